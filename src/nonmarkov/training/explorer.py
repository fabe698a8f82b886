"""Acting and learning at once, without mu, n or d.

loop
    play some episodes: optimistically on the automaton, sometimes without looking
    every few per cent of episodes: revise edges in doubt, and plan again on all statistics
    whenever the episodes have grown by a fifth: search for a better automaton
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nonmarkov.agents import ConditionalCertificate
from nonmarkov.core import Alphabet, Automaton, Experience, Policy
from nonmarkov.core.automaton import UNDEFINED
from nonmarkov.learning.apart import ApartLearner, Revision, read_episodes
from nonmarkov.learning.completion import decided
from nonmarkov.learning.edges import Edges, observed_edges, undecided_edges
from nonmarkov.stored import Stored
from nonmarkov.training.assurance import certify, nothing_certain, weigh
from nonmarkov.training.decisions import Merge, Split, list_merges, list_splits
from nonmarkov.training.interface import LONGEST_STRETCH
from nonmarkov.training.outlook import Outlook, highest_value
from nonmarkov.training.worlds import World

FIRST = 20  # episodes before the first search
GROWTH = 1.2  # of the episodes, between two searches
SETTLED_GROWTH = 2.0  # the same, once nothing new is found
REPLANNING = 0.03  # of the episodes, between two plans
FEWEST = 4  # episodes between two plans


class Explorer:
    """Trains `apart` in a process or an environment."""

    def __init__(
        self,
        world: World,
        epsilon: float,
        delta: float,
        rng: np.random.Generator,
        learner: ApartLearner | None = None,
    ) -> None:
        self._world, self._epsilon, self._delta, self._rng = world, epsilon, delta, rng
        self.learner = learner or ApartLearner(world.alphabet, rng)
        self.episodes, self.version = 0, 0
        self._steps = 0
        self._next_search, self._next_plan = FIRST, FIRST
        self._course = world.ignorance()
        self._waiting: list[tuple[NDArray[np.int32], NDArray[np.int64]]] = []

    def run(self, until: int) -> None:
        """Play on until that many episodes have been played in all, or for a while."""
        begun = self._steps
        while self.episodes < until and self._steps < begun + LONGEST_STRETCH:
            self._play(min(until, self._next_plan, self._next_search) - self.episodes)
            if self.episodes >= self._next_search:
                self._remember()
                self.learner.forget()
                self.learner.search()
                growth = SETTLED_GROWTH if self.learner.settled else GROWTH
                self._next_search = max(self.episodes + 2, int(self.episodes * growth))
                self._plan()
            elif self.episodes >= self._next_plan:
                self._remember()
                self.learner.forget()
                if self._world.revises:
                    self.learner.revise()
                self._plan()

    def _play(self, episodes: int) -> None:
        before = self._world.alphabet
        symbols, starts, error = self._world.play(self._course, self.episodes, episodes, self._rng)
        if self._world.alphabet is not before:
            self._widen(before)
        self._waiting.append((symbols, starts))
        self.episodes += starts.size - 1
        self._steps += symbols.size
        self.version += 1
        if error is not None:
            raise error

    def _widen(self, before: Alphabet) -> None:
        """Renumber all symbols: there are new ones."""
        after = self._world.alphabet
        self.learner.widen(after)
        self._course = self._world.renumbered(self._course, before)
        self._waiting = [(before.renumbered(s, after), starts) for s, starts in self._waiting]

    def _remember(self) -> None:
        """Hand the episodes played since the last time to the learner.

        It forgets nothing then: to look at what was learned does not change what will be.
        """
        if self._waiting:
            self.learner.add(*self._new_episodes())
            self._waiting = []

    def _new_episodes(self) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        symbols = [symbols for symbols, _ in self._waiting]
        lengths = [np.diff(starts) for _, starts in self._waiting]
        total = np.cumsum(np.concatenate([np.zeros(1, dtype=np.int64), *lengths]))
        return np.concatenate([np.zeros(0, dtype=np.int32), *symbols]), total

    def _plan(self) -> None:
        self._next_plan = self.episodes + max(FEWEST, int(REPLANNING * self.episodes))
        self._course = self._world.course(self.outlook())

    # --- what was learned -----------------------------------------------------------------------

    @property
    def steps(self) -> tuple[int, int]:
        """Steps so far; all of them are of use."""
        return self._steps, 0

    @property
    def changes(self) -> list[Revision]:
        """Changes of the automaton so far."""
        return self.learner.changes

    @property
    def merges(self) -> tuple[Merge, ...]:
        """All observed edges, with what speaks for their targets."""
        self._remember()
        return list_merges(self.learner) if self.changes else ()

    @property
    def splits(self) -> tuple[Split, ...]:
        """All pairs of states, with what speaks against making them one."""
        self._remember()
        return list_splits(self.learner, weigh(self.learner, self._delta)) if self.changes else ()

    @property
    def n_states(self) -> int:
        """Number of states."""
        return self.learner.explanation.n_states if self.changes else 1

    @property
    def n_candidates(self) -> int:
        """Number of observed edges whose target is undecided."""
        if not self.changes:
            return 0
        self._remember()
        return int(undecided_edges(self.learner.explanation, self._edges()).sum())

    @property
    def automaton(self) -> Automaton:
        """The states, and the edges that are decided."""
        if not self.changes:
            return Automaton(self._world.alphabet, 1, np.zeros((0, 3), dtype=np.int64))
        self._remember()
        return decided(self.learner.corpus, self.learner.explanation, self._edges())

    def _edges(self) -> Edges:
        return observed_edges(self.learner.corpus, self.learner.explanation)

    def outlook(self) -> Outlook:
        """Return all episodes read through the automaton."""
        self._remember()
        corpus = self.learner.corpus
        return Outlook(corpus, self.learner.explanation, highest_value(corpus))

    def experience(self) -> Experience:
        """Return what was seen in the states, of the episodes that are remembered."""
        alphabet = self._world.alphabet
        if not self.changes:
            visits, none = np.zeros((1, alphabet.n_actions), np.int64), np.zeros(0, np.int64)
            return Experience(alphabet, 0, visits, none, none, none, none)
        outlook = self.outlook()
        draft, corpus = outlook.draft, outlook.corpus
        state, s = np.nonzero(draft.counts)
        successor = np.where(corpus.words.ends[s], UNDEFINED, draft.successor[state, s])
        return Experience(
            alphabet,
            0,
            (draft.tries + draft.endings).astype(np.int64),
            state,
            corpus.present[s],
            draft.counts[state, s].astype(np.int64),
            successor.astype(np.int64),
        )

    def policy(self) -> Policy:
        """Return the policy to be evaluated; it covers every history."""
        if not self.changes:
            return self._world.first_policy(self.automaton)
        return self._world.policy(self.outlook())

    def portrait(self) -> Policy:
        """Return the same policy on the edges that are decided."""
        return Policy(self.automaton, self.policy().table)

    def certificate(self) -> ConditionalCertificate:
        """Return how far the policy is from optimal at most, if the automaton is right."""
        self._remember()
        stakes = self._world.stakes(self.learner.corpus)
        if not self.changes:
            return nothing_certain(stakes, self._epsilon, self._delta, self.episodes)
        outlook, policy = self.outlook(), self.policy()
        evidence = weigh(self.learner, self._delta)
        return certify(stakes, outlook, policy, evidence, self.learner, self._epsilon, self._delta)

    # --- files ----------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Return how far training is; nothing is handed over for that."""
        symbols, starts = self._new_episodes()
        return {
            "episodes": self.episodes,
            "steps": self._steps,
            "version": self.version,
            "next_search": self._next_search,
            "next_plan": self._next_plan,
            "course": self._world.course_state(self._course),
            "waiting": {"symbols": symbols, "starts": starts},
            "learner": self.learner.state(),
        }

    def restore(self, stored: Stored) -> None:
        """Go on where a stored training was."""
        alphabet = self._world.alphabet
        self.learner.widen(alphabet)
        self.learner.restore(stored.part("learner"))
        self.episodes, self._steps = stored.integer("episodes"), stored.integer("steps")
        self.version = stored.integer("version")
        self._next_search = stored.integer("next_search", self.episodes + 1)
        self._next_plan = stored.integer("next_plan", self.episodes + 1)
        self._course = self._world.read_course(stored.part("course"))
        symbols, starts = read_episodes(stored.part("waiting"), alphabet)
        self._waiting = [(symbols, starts)] if symbols.size else []
        seen = (
            self.learner.seen_episodes + starts.size - 1,
            self.learner.seen_steps + symbols.size,
        )
        stored.require(seen == (self.episodes, self._steps), "all that was played was seen")
