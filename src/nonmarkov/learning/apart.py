"""The learner without mu, n or d: the automaton that best explains all episodes so far."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nonmarkov.core import Alphabet
from nonmarkov.kernels.evidence import NOWHERE
from nonmarkov.learning.climber import Climber
from nonmarkov.learning.corpus import Corpus
from nonmarkov.learning.drafting import Explanation
from nonmarkov.learning.edges import CLEAR, observed_edges
from nonmarkov.learning.search import Finding, search
from nonmarkov.stored import Stored, columns

MOST_STEPS = 1_000_000  # remembered; beyond that, fewer and fewer of the older episodes
THOROUGH_GROWTH = 1.5  # of the steps, between two searches from many starts
SETTLED_GROWTH = 2.0  # the same, after searches that found nothing new
BARREN = 4  # searches from many starts without result, after which the learner has settled
# Besides episodes and automaton, all that a learner knows.
NUMBERS = (
    *("seen_episodes", "seen_steps", "frozen_at", "version", "forgettings"),
    *("_searched_at", "_barren"),
)
RESULT = 10.0  # nats more than greedy moves alone would have gained


@dataclass(frozen=True)
class Revision:
    """One change of the automaton."""

    episode: int  # after which it was made
    states: int  # of the new automaton
    before: int  # states of the old one
    moved: int  # edges of the old automaton that lead elsewhere in the new one
    evidence: float  # nats by which the new one explains the episodes better than the old one

    def __str__(self) -> str:
        return (
            f"after {self.episode:,} episodes: {self.before} -> {self.states} states, "
            f"{self.moved} edge{'s' if self.moved != 1 else ''} moved, "
            f"{self.evidence:.1f} nats better"
        )


class ApartLearner:
    """Remembers episodes, and searches for the automaton that explains them best."""

    def __init__(self, alphabet: Alphabet, rng: np.random.Generator) -> None:
        self.alphabet = alphabet
        self.changes: list[Revision] = []
        self.seen_episodes, self.seen_steps = 0, 0
        self._rng = rng
        self._symbols = np.zeros(0, dtype=np.int32)
        self._starts = np.zeros(1, dtype=np.int64)
        self._corpus: Corpus | None = None
        self._explanation: Explanation | None = None
        self._start: Explanation | None = None  # from which that was found
        self._searched_at = 0  # of `_seen`, when the last thorough search was made
        self._barren = 0  # thorough searches in a row that brought nothing
        self.frozen_at = 0  # episodes remembered when the automaton was last changed
        self.version = 0  # of the automaton, and of what is remembered before it was changed
        self.forgettings = 0

    @property
    def corpus(self) -> Corpus:
        """The episodes that are remembered."""
        if self._corpus is None:
            self._corpus = Corpus(self.alphabet, self._symbols, self._starts)
        return self._corpus

    @property
    def explanation(self) -> Explanation:
        """The automaton; `search` must have been called."""
        assert self._explanation is not None
        return self._explanation

    @property
    def settled(self) -> bool:
        """Whether the last searches from many starts found nothing that greedy moves did not."""
        return self._barren >= BARREN

    def remember(self, symbols: NDArray[np.int32], starts: NDArray[np.int64]) -> None:
        """Add episodes to those remembered, and forget some if they become too many."""
        self.add(symbols, starts)
        self.forget()

    def add(self, symbols: NDArray[np.int32], starts: NDArray[np.int64]) -> None:
        """Add episodes to those remembered, however many they become."""
        old = self.corpus
        self.seen_episodes += starts.size - 1
        self.seen_steps += symbols.size
        self._symbols = np.concatenate([self._symbols, symbols])
        self._starts = np.concatenate([self._starts, self._starts[-1] + starts[1:]])
        self._renew_corpus(old)

    def widen(self, alphabet: Alphabet) -> None:
        """Go on with an alphabet that has grown; its symbols keep their order."""
        if alphabet != self.alphabet:
            self._symbols = self.alphabet.renumbered(self._symbols, alphabet)
            self.alphabet, self._corpus = alphabet, None

    def forget(self) -> None:
        """Forget every second episode, again and again, until they are not too many."""
        old = self.corpus
        while self._symbols.size > MOST_STEPS and self._starts.size > 2:
            self._forget()
        if self._symbols.size < old.n_steps:
            self._renew_corpus(old)

    def _renew_corpus(self, old: Corpus) -> None:
        self._corpus = None
        if self._explanation is not None:
            self._explanation = self._explanation.over(self.corpus, old.present)
        if self._start is not None:
            self._start = self._start.over(self.corpus, old.present)

    def _forget(self) -> None:
        """Forget every second episode."""
        lengths = np.diff(self._starts)
        keep = np.arange(lengths.size) % 2 == 1
        self._symbols = self._symbols[np.repeat(keep, lengths)]
        self._starts = np.concatenate([[0], np.cumsum(lengths[keep])])
        self.forgettings += 1
        self._freeze()

    def _freeze(self) -> None:
        """Begin anew to collect episodes that had no part in choosing the automaton."""
        self.frozen_at = self._starts.size - 1
        self.version += 1

    @property
    def _seen(self) -> int:
        """What searches from many starts go by: steps, and in environments episodes.

        There the first episodes, played without looking, can be much longer than all others.
        """
        return self.seen_episodes if self.alphabet.is_of_environment else self.seen_steps

    def search(self, last: bool = False) -> None:
        """Find the automaton that best explains what is remembered.

        last: no other search will improve on this one, so it takes its time.
        """
        growth = SETTLED_GROWTH if self.settled else THOROUGH_GROWTH
        thorough = self._seen >= growth * self._searched_at
        old = self._explanation
        finding = self._find(thorough, last)
        if thorough:
            self._searched_at = self._seen
            self._barren += 1
        if finding.surplus >= RESULT or (
            old and _grown(old.n_states, finding.explanation.n_states)
        ):
            self._barren = 0
        self._adopt(finding.explanation, finding.gained)

    def revise(self) -> None:
        """Let edges in doubt lead where the episodes since the last search speak for."""
        edges = observed_edges(self.corpus, self.explanation)
        if edges.in_doubt.any():
            doubtful = edges.table(edges.in_doubt)
            found, gained = Climber(self.corpus).revise(self.explanation, doubtful)
            if gained >= CLEAR:
                self._adopt(found, gained)

    def _adopt(self, found: Explanation, gained: float) -> None:
        """Go on with another explanation, which is so much better."""
        old, self._explanation = self._explanation, found
        before = 0 if old is None else old.n_states
        moved = found.n_states if old is None else _moved_edges(old, found)
        if moved > 0 or before != found.n_states:
            self.changes.append(Revision(self.seen_episodes, found.n_states, before, moved, gained))
            self._freeze()

    def _find(self, thorough: bool, last: bool) -> Finding:
        previous = None if self._explanation is None else self._explanation.successor
        known = self._start.successor if self._start and 2 * self._barren >= BARREN else None
        finding = search(self.corpus, previous, thorough, self._rng, known, last)
        if finding.start is not None:
            self._start = _unexplained(finding.start)
        return finding

    # --- files ----------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Return what it remembers, and how it explains that."""
        found, start = self._explanation, self._start
        return {
            "changes": columns(Revision, self.changes),
            **{name: getattr(self, name) for name in NUMBERS},
            "symbols": self._symbols,
            "starts": self._starts,
            "start": None if start is None else start.successor,
            "explanation": None
            if found is None
            else {
                "evidence": np.array([found.evidence]),
                "successor": found.successor,
                "margin": found.margin,
            },
        }

    def restore(self, stored: Stored) -> None:
        """Become a stored learner."""
        self.changes = stored.records("changes", Revision)
        for name in NUMBERS:
            setattr(self, name, stored.integer(name))
        self._symbols, self._starts = read_episodes(stored, self.alphabet)
        stored.require(self.frozen_at < self._starts.size, "frozen_at is an episode")
        stored.require(bool(self.changes) == stored.has("explanation"), "changes explain")
        self._corpus, self._explanation, self._start = None, None, None
        if self.changes:
            stored.require(self.version > 0, "what was changed has a version")
            self._explanation = self._read_explanation(stored.part("explanation"))
        if stored.has("start"):
            self._start = _unexplained(self._read_automaton(stored, "start"))

    def _read_explanation(self, stored: Stored) -> Explanation:
        successor = self._read_automaton(stored, "successor")
        return Explanation(
            float(stored.reals("evidence", (1,))[0]),
            successor,
            stored.reals("margin", successor.shape),
        )

    def _read_automaton(self, stored: Stored, name: str) -> NDArray[np.int32]:
        n_states, n_symbols = len(stored.plain(name)), np.unique(self._symbols).size
        stored.require(n_states > 0 and n_symbols > 0, "there is something to explain")
        shape = (n_states, n_symbols)
        return stored.integers(name, shape, NOWHERE, n_states - 1, np.int32).astype(np.int32)


def read_episodes(
    stored: Stored, alphabet: Alphabet
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return stored episodes: each ends with its only ending, or begins with its only reset."""
    symbols = stored.integers("symbols", (None,), 0, alphabet.n_symbols - 1, np.int32)
    starts = stored.integers("starts", (None,), 0, symbols.size)
    stored.require(
        starts.size > 0 and starts[0] == 0 and starts[-1] == symbols.size, "episodes begin and end"
    )
    if alphabet.is_of_environment:
        _require_resets(stored, alphabet, symbols, starts)
        return symbols, starts
    ends = np.flatnonzero(symbols % (alphabet.n_outcomes + 1) == alphabet.n_outcomes)
    stored.require(np.array_equal(ends + 1, starts[1:]), "episodes end with termination")
    return symbols, starts


def _require_resets(
    stored: Stored, alphabet: Alphabet, symbols: NDArray[np.int32], starts: NDArray[np.int64]
) -> None:
    """Refuse episodes of an environment that do not begin where they are reset, or go on after."""
    action, outcome = np.divmod(symbols, alphabet.n_outcomes + 1)
    resets = np.flatnonzero(action == alphabet.n_choices)
    stored.require(np.array_equal(resets, starts[:-1]), "episodes begin with a reset")
    stored.require((outcome < alphabet.n_outcomes).all(), "episodes end with a step")
    final = np.flatnonzero(alphabet.is_final(symbols))
    stored.require(np.isin(final + 1, starts[1:]).all(), "episodes end when they have ended")


def _unexplained(successor: NDArray[np.int32]) -> Explanation:
    """Return an automaton of which nothing is known."""
    return Explanation(0.0, successor, np.zeros(successor.shape))


def _grown(before: int, after: int) -> bool:
    """Return whether the number of states has changed by more than one in fifty."""
    return abs(after - before) * 50 > before


def _moved_edges(old: Explanation, new: Explanation) -> int:
    """Return how many observed edges of the old automaton lead elsewhere in the new one."""
    n_states = min(old.n_states, new.n_states)
    before, after = old.successor[:n_states], new.successor[:n_states]
    return int(((before != NOWHERE) & (before != after)).sum())
