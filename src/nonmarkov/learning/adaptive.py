"""The stream learner without mu and n: it searches for them.

It starts with a coarse mu and a small n, and keeps its hypothesis as long as that explains the
stream. Merges are provisional: some episodes, the probes, go on uniformly from a state that a
candidate was merged into, and the suffixes of all edges into one state are compared with each
other for ever. When two turn out to be distinct, mu was too large: it is halved and learning starts
again. When there are more safe states than n, n is doubled, which only makes further tests more
careful.

The idea of the search is that of Balle, Castro and Gavaldà, 2014; the probes are ours. Search
number j has the share 6 δ / (π² j²) of the error probability. A wrong merge is noticed in the end
if two edges that should not lead to one state keep being visited, but nobody knows when: until
then the hypothesis is wrong, so nothing that rests on it can be certified.
"""

import math
from dataclasses import replace
from typing import Any

from nonmarkov.checks import MOST
from nonmarkov.core import Alphabet, Automaton, EpisodeBatch
from nonmarkov.learning.changes import StructuralChange, changes_state, read_changes
from nonmarkov.learning.hypothesis import Hypothesis
from nonmarkov.learning.settings import StreamSettings
from nonmarkov.learning.stream import StreamLearner
from nonmarkov.learning.streams import check_episodes
from nonmarkov.stored import Stored

COARSEST, FEWEST = 0.5, 8
BATCH = 256  # episodes after which a log is looked at again


class AdaptiveLearner:
    """A stream learner that finds mu and n by itself.

    settings: where the search begins; by default with a coarse mu and a small n.
    """

    def __init__(self, alphabet: Alphabet, settings: StreamSettings | None = None) -> None:
        settings = settings or StreamSettings(COARSEST, FEWEST)
        self._delta = settings.delta
        self.searches = 1
        first = replace(settings, delta=self._share())
        self._learner = StreamLearner(alphabet, first, provisional=True)
        self._past: list[StructuralChange] = []

    @property
    def settings(self) -> StreamSettings:
        """The settings in use now."""
        return self._learner.settings

    @property
    def alphabet(self) -> Alphabet:
        """The symbols it reads."""
        return self._learner.alphabet

    @property
    def hypothesis(self) -> Hypothesis:
        """The graph in use now."""
        return self._learner.hypothesis

    @property
    def automaton(self) -> Automaton:
        """The hypothesis: safe states first, then the candidates."""
        return self._learner.automaton

    @property
    def changes(self) -> list[StructuralChange]:
        """Promotions, merges and restarts so far."""
        return self._past + self._learner.changes

    @property
    def episodes(self) -> int:
        """Episodes consumed."""
        return self._learner.episodes

    @property
    def first_milestone(self) -> int:
        """Arrivals at which a new candidate is tested first."""
        return self._learner.first_milestone

    @property
    def probing(self) -> int:
        """Every so many episodes one must be a probe."""
        return self._learner.probing

    @property
    def nbytes(self) -> int:
        """Memory in use."""
        return self._learner.nbytes

    def consume(self, episodes: EpisodeBatch, *, max_steps: int | None = None) -> bool:
        """Read episodes in which actions were uniform; return whether the hypothesis changed.

        A stream is read once: after a restart, what came before is not read again.
        max_steps: number of steps after which episodes were cut off, if any were.
        """
        check_episodes(episodes, self.alphabet)
        changed = False
        for begin in range(0, len(episodes), BATCH):
            part = episodes[begin : begin + BATCH]
            changed |= self._learner.consume(part, max_steps=max_steps)
            changed |= self._adapt()
        return changed

    def on_milestone(self, candidate: int, episode: int) -> bool:
        """Test a candidate, and change mu or n if need be."""
        changed = self._learner.on_milestone(candidate, episode)
        return self._adapt() or changed

    def make_room(self, n_symbols: int = 0, busy: int = 0) -> None:
        """Make room for more suffixes."""
        self._learner.make_room(n_symbols, busy)

    def state(self) -> dict[str, Any]:
        """Return how far the search is."""
        return {
            "searches": self.searches,
            "past": changes_state(self._past),
            "learner": self._learner.state(),
        }

    def restore(self, stored: Stored, busy: int) -> None:
        """Become a stored search; the last suffix of the candidate `busy` is incomplete."""
        self.searches = stored.integer("searches", 1, MOST)
        self._past = read_changes(stored, "past")
        self._learner.restore(stored.part("learner"), busy)

    def _share(self) -> float:
        return 6.0 * self._delta / (math.pi * self.searches) ** 2

    def _adapt(self) -> bool:
        """Search on if the hypothesis does not explain the stream; return if it was dropped."""
        learner = self._learner
        if not learner.refuted and learner.hypothesis.n_safe <= learner.settings.n:
            return False
        self.searches += 1
        if not learner.refuted:
            n = 2 * learner.settings.n
            learner.settings = replace(learner.settings, n=n, delta=self._share())
            return False
        finer = replace(learner.settings, mu=learner.settings.mu / 2.0, delta=self._share())
        restart = StructuralChange("restart", learner.episodes, 0, None, 0, finer.mu)
        self._past = [*self.changes, restart]
        self._learner = StreamLearner(learner.alphabet, finer, provisional=True)
        self._learner.episodes = learner.episodes
        return True
