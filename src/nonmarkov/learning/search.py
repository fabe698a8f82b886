"""The search for the automaton that best explains a corpus."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from nonmarkov.kernels.blocks import KINDS
from nonmarkov.kernels.evidence import Draft, evidence
from nonmarkov.kernels.scratch import Scratch
from nonmarkov.learning.corpus import Corpus
from nonmarkov.learning.drafting import Explanation, copied, explanation, read, used_successors
from nonmarkov.learning.memories import (
    best_registers,
    last_outcome,
    one_state,
    windows,
    with_register,
)

Integers = NDArray[np.int32]

BUDGET = 30_000_000  # steps walked in one climb
SAMPLE = 10_000  # steps on which starts are improved a little
JURY = 50_000  # steps on which they are compared
FINALISTS = 5  # starts that are followed to the end
SHAKES = 12  # at most, fewer on long logs
SHAKEN_STEPS = 100_000  # walked again, by all shakes together
REGISTERS = 3  # in a row, one beside the product with the other
MOST_STATES = 4096  # of an automaton
SWEEPS = 20  # over all blocks; a climb ends when one brings nothing


class Climber:
    """Climbs from automata to better ones on one corpus."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus

    def climb(self, successor: Integers, sweeps: int = SWEEPS) -> "Summit":
        """Return where greedy moves lead from an automaton, with more room whenever it is full."""
        draft = read(self.corpus, successor, self._room(len(successor)))
        due = np.full((KINDS, draft.head.size), -1.0)
        summit = self._climb(draft, due, np.zeros(draft.head.size), sweeps)
        if sweeps == SWEEPS and summit.is_full and len(draft.visits) < MOST_STATES:
            return self.climb(summit.successor)
        return summit

    def _room(self, n_states: int) -> int:
        """Return for how many more states to have room; as episodes come in, for any number."""
        room = 10 + n_states // 2 + self.corpus.n_episodes.bit_length()
        return max(0, min(room, MOST_STATES - n_states))

    def _climb(
        self, draft: Draft, due: NDArray[np.float64], margin: NDArray[np.float64], sweeps: int
    ) -> "Summit":
        from nonmarkov.kernels.climbing import climb

        corpus, scratch = self.corpus, self._scratch(draft)
        climb(corpus.log, corpus.words, draft, scratch, due, margin, sweeps, BUDGET)
        return Summit(self, draft, due, margin)

    def _scratch(self, draft: Draft) -> Scratch:
        from nonmarkov.kernels.scratch import make_scratch

        corpus = self.corpus
        sizes = (corpus.alphabet.n_actions, corpus.n_steps, corpus.n_episodes)
        return make_scratch(len(draft.successor), corpus.n_symbols, *sizes)

    def shaken(self, summit: "Summit", rng: np.random.Generator) -> "Summit":
        """Return where greedy moves lead from a summit after some random ones."""
        from nonmarkov.kernels.climbing import shake

        corpus, draft, due = self.corpus, copied(summit.draft), summit.due.copy()
        shake(corpus.log, corpus.words, draft, self._scratch(draft), due, rng)
        return self._climb(draft, due, summit.margin.copy(), SWEEPS)


class Summit:
    """A draft that no greedy move improves, or at which the climb was broken off."""

    def __init__(
        self, climber: Climber, draft: Draft, due: NDArray[np.float64], margin: NDArray[np.float64]
    ) -> None:
        self.corpus, self.draft, self.due, self.margin = climber.corpus, draft, due, margin
        self.evidence = evidence(self.corpus.words, draft)

    @property
    def explanation(self) -> Explanation:
        """The automaton."""
        return explanation(self.corpus, self.draft, self.margin)

    @property
    def is_full(self) -> bool:
        """Whether no row was left for another state."""
        return bool((self.draft.visits > 0).all())

    @property
    def successor(self) -> Integers:
        """The automaton, with a guess for edges that were not observed."""
        return used_successors(self.draft)


def search(
    corpus: Corpus, previous: Integers | None, thorough: bool, rng: np.random.Generator
) -> tuple[Explanation, float]:
    """Return the best automaton found, and how much better it is than the previous one.

    thorough: from many starts; otherwise from the previous automaton alone.
    """
    climber = Climber(corpus)
    start = one_state(corpus) if previous is None else previous
    before = evidence(corpus.words, read(corpus, start))
    best = climber.climb(start)
    if thorough or previous is None:
        for finalist in _finalists(corpus, previous):
            summit = climber.climb(finalist)
            if summit.evidence > best.evidence + 1e-6:
                best = summit
    for _ in range(_shakes(corpus, thorough)):
        summit = climber.shaken(best, rng)
        if summit.evidence > best.evidence + 1e-6:
            best = summit
    return best.explanation, best.evidence - before


def _shakes(corpus: Corpus, thorough: bool) -> int:
    number = max(1, min(SHAKES, SHAKEN_STEPS // corpus.n_steps))
    return number if thorough else min(number, 2)


def _finalists(corpus: Corpus, previous: Integers | None) -> list[Integers]:
    """Return the most promising starts, after a first sweep on a sample of the corpus."""
    sample, jury = corpus.thinned(SAMPLE), corpus.thinned(JURY)
    climber = Climber(sample)
    judged: dict[float, Integers] = {}
    for start in _starts(jury, sample, previous):
        swept = climber.climb(start, sweeps=1).successor
        values = [evidence(jury.words, read(jury, table)) for table in (start, swept)]
        judged.setdefault(round(max(values), 6), start if values[0] > values[1] else swept)
    return [judged[value] for value in sorted(judged, reverse=True)[:FINALISTS]]


def _starts(corpus: Corpus, sample: Corpus, previous: Integers | None) -> Iterator[Integers]:
    simple = [one_state(corpus), last_outcome(corpus)]
    yield from simple
    yield from windows(corpus)
    for base in simple:
        yield from _register_chain(corpus, sample, base)
    if previous is not None:
        for register in best_registers(sample, previous, 2):
            yield with_register(corpus, previous, register)


def _register_chain(corpus: Corpus, sample: Corpus, base: Integers) -> Iterator[Integers]:
    """Yield products with registers, the best of them once more with the next."""
    value = evidence(sample.words, read(sample, base))
    for depth in range(REGISTERS):
        registers = best_registers(sample, base, 4 if depth == 0 else 1)
        products = [with_register(corpus, base, register) for register in registers]
        yield from products
        if not registers or registers[0].evidence <= value:
            return
        base, value = products[0], registers[0].evidence
