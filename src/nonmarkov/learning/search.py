"""The search for the automaton that best explains a corpus.

It begins with the automaton found before. A thorough search also climbs from simple ones. If
two ways up end at the same place, that is taken to be the top; otherwise, and always as long as
there is little to go by, many more starts are tried. Then it looks for a register that the best
automaton lacks, and shakes it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nonmarkov.kernels.evidence import evidence
from nonmarkov.learning.climber import Climber, Summit
from nonmarkov.learning.corpus import Corpus
from nonmarkov.learning.drafting import Explanation, read
from nonmarkov.learning.memories import (
    best_registers,
    last_outcome,
    last_symbol,
    one_state,
    windows,
    with_register,
)

Integers = NDArray[np.int32]

SAMPLE = 10_000  # steps on which starts are improved
LITTLE = 3_000  # steps, on which all starts are tried: too few for simple ones to tell anything
JURY = 50_000  # steps on which they are compared
REVIEW = 5_000_000  # steps times symbols, on which a register is looked for in the end
FINALISTS = 5  # starts that are followed to the end
SHAKES = 12  # at most, fewer on long logs
SHAKEN_STEPS = 100_000  # walked again, by all shakes together
REGISTERS = 3  # in a row, one beside the product with the other
SHORT = 25.0  # nats that a product with a register may be short of: climbing will merge states
TIE = 1e-6  # nats
NEARLY = 5.0  # nats between summits that differ in little more than a few rare edges


@dataclass(frozen=True)
class Finding:
    """What a search has found."""

    explanation: Explanation
    gained: float  # nats by which it is better than the automaton found before
    surplus: float  # nats of it that greedy moves from that one would not have gained
    start: Integers | None = None  # of the many, the one from which this was reached


def search(
    corpus: Corpus,
    previous: Integers | None,
    thorough: bool,
    rng: np.random.Generator,
    known: Integers | None = None,
) -> Finding:
    """Return the best automaton found.

    thorough: from several starts; otherwise from the previous automaton alone.
    known: a start that led to the previous automaton before, and need only confirm it now.
    """
    climber = Climber(corpus)
    start = one_state(corpus) if previous is None else previous
    before = evidence(corpus.words, read(corpus, start))
    first = [] if previous is None else [climber.climb(previous)]
    local = first[0].evidence if first else before
    if thorough or not first:
        best, known = _search_thoroughly(climber, first, known, rng)
    else:
        best = _shaken(climber, first[0], 2, rng)
    return Finding(best.explanation, best.evidence - before, best.evidence - local, known)


def _search_thoroughly(
    climber: Climber, first: list[Summit], known: Integers | None, rng: np.random.Generator
) -> tuple[Summit, Integers | None]:
    """Return the best summit, and the start that led there if it is not a simple one.

    first: where the climb from the previous automaton ended, if there is one.
    """
    best, agreed = _from_few_starts(climber, first, known)
    if not agreed:
        best, known = _from_all_starts(climber, best, known)
    unshaken = _with_more_registers(climber, best)
    best = _shaken(climber, unshaken, SHAKES, rng)
    if agreed and best.evidence > unshaken.evidence + NEARLY:  # after all, it was not the top
        best, known = _from_all_starts(climber, best, known)
        best = _shaken(climber, best, SHAKES, rng)
    return best, known


def _better(summit: Summit, other: Summit) -> Summit:
    return other if other.evidence > summit.evidence + TIE else summit


def _best(summits: Sequence[Summit]) -> Summit:
    return max(summits, key=lambda summit: summit.evidence)


def _spread(summits: Sequence[Summit]) -> float:
    """Return how far the best is above the worst; if not at all, they are the same."""
    return _best(summits).evidence - min(summit.evidence for summit in summits)


def _shaken(climber: Climber, best: Summit, most: int, rng: np.random.Generator) -> Summit:
    for _ in range(max(1, min(most, SHAKEN_STEPS // climber.corpus.n_steps))):
        best = _better(best, climber.shaken(best, rng))
    return best


def _from_few_starts(
    climber: Climber, first: list[Summit], known: Integers | None
) -> tuple[Summit, bool]:
    """Return the best summit reached from few starts, and whether two ways lead there."""
    corpus = climber.corpus
    if known is not None and _spread(again := [*first, climber.climb(known)]) <= NEARLY:
        return _best(again), True
    sampler = Climber(corpus.thinned(SAMPLE))
    starts = (one_state(corpus), last_outcome(corpus), last_symbol(corpus))
    simple = [sampler.climb(start) for start in starts]
    same = _spread(simple) <= TIE
    counting = [sampler.climb(start) for start in _counters(corpus, sampler.corpus)]
    if counting and _best(counting).evidence > _best(simple).evidence + TIE:
        same, simple = False, [*simple, _best(counting)]
    top = list(first)
    for summit in simple[:1] if same else simple:
        goal = _best(top).evidence if top else -np.inf
        top.append(climber.climb(summit.successor, goal=goal))
    top.sort(key=lambda summit: summit.evidence)
    return top[-1], corpus.n_steps > LITTLE and (same or _spread(top[-2:]) <= TIE)


def _counters(corpus: Corpus, sample: Corpus) -> list[Integers]:
    """Return the registers that explain most alone."""
    alone = one_state(corpus)
    return [with_register(corpus, alone, register) for register in best_registers(sample, alone, 1)]


def _from_all_starts(
    climber: Climber, best: Summit, known: Integers | None
) -> tuple[Summit, Integers | None]:
    """Return the best summit reached from the most promising of all starts, and that start."""
    for start in _finalists(climber.corpus):
        summit = climber.climb(start, goal=best.evidence)
        if summit.evidence > best.evidence - NEARLY:
            known = start
        best = _better(best, summit)
    return best, known


def _with_more_registers(climber: Climber, best: Summit) -> Summit:
    """Return a summit beside which no register is of use."""
    corpus = climber.corpus
    jury = corpus.thinned(max(JURY, REVIEW // corpus.n_symbols))
    for _ in range(REGISTERS):
        idle = evidence(jury.words, read(jury, best.successor))
        found = best
        for register in best_registers(jury, best.successor, 1):
            if register.evidence > idle - SHORT:
                product = with_register(corpus, best.successor, register)
                found = _better(found, climber.climb(product))
        if found is best:
            break
        best = found
    return best


def _finalists(corpus: Corpus) -> list[Integers]:
    """Return the most promising of many starts, after a first sweep on a sample of the corpus."""
    sample, jury = corpus.thinned(SAMPLE), corpus.thinned(JURY)
    climber = Climber(sample)
    judged: dict[float, Integers] = {}
    for start in _starts(jury, sample):
        swept = climber.climb(start, sweeps=1).successor
        values = [evidence(jury.words, read(jury, table)) for table in (start, swept)]
        judged.setdefault(round(max(values), 6), start if values[0] > values[1] else swept)
    return [judged[value] for value in sorted(judged, reverse=True)[:FINALISTS]]


def _starts(corpus: Corpus, sample: Corpus) -> Iterator[Integers]:
    yield from windows(corpus)
    for base in (one_state(corpus), last_outcome(corpus)):
        yield from _register_chain(corpus, sample, base)


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
