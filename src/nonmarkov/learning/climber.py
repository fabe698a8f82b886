"""Climbing from automata to better ones, by greedy moves."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nonmarkov.kernels.blocks import EDGE, KINDS
from nonmarkov.kernels.evidence import Draft, evidence
from nonmarkov.kernels.scratch import Scratch
from nonmarkov.learning.corpus import Corpus
from nonmarkov.learning.drafting import Explanation, copied, read
from nonmarkov.learning.side_by_side import side_by_side
from nonmarkov.learning.summits import Summit

Integers = NDArray[np.int32]

BUDGET = 2_500_000  # steps walked in one climb, at least
PASSES = 10  # the same, in times of all steps
ENDLESS = 1 << 60
MOST_STATES = 4096  # of an automaton
SWEEPS = 20  # over all blocks; a climb ends when one brings nothing


class Climber:
    """Climbs from automata to better ones on one corpus."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus

    def climb(self, successor: Integers, sweeps: int = SWEEPS, goal: float = -np.inf) -> Summit:
        """Return where greedy moves lead from an automaton, with more room whenever it is full.

        goal: the evidence of the best summit so far; climbs that stay behind are broken off.
        """
        draft = read(self.corpus, successor, self._room(len(successor)))
        due = np.full((KINDS, draft.head.size), -1.0)
        summit = self._climb(draft, due, np.zeros(draft.head.size), sweeps, goal)
        if sweeps == SWEEPS and summit.is_full and len(draft.visits) < MOST_STATES:
            return self.climb(summit.successor, goal=goal)
        return summit

    def revise(
        self, explanation: Explanation, edges: NDArray[np.bool_]
    ) -> tuple[Explanation, float]:
        """Return where greedy moves of some edges lead, (Q, S), and what is gained by them."""
        n_states = explanation.n_states
        draft = read(self.corpus, explanation.successor, self._room(n_states))
        before = evidence(self.corpus.words, draft)
        due = np.full((KINDS, *draft.successor.shape), np.inf)
        due[EDGE, :n_states][edges] = -1.0
        margin = np.zeros(draft.successor.shape)
        margin[:n_states] = explanation.margin
        summit = self._climb(draft, due.reshape(KINDS, -1), margin.ravel())
        return summit.explanation, summit.evidence - before

    def climb_all(
        self, successors: Sequence[Integers], sweeps: int = SWEEPS, goal: float = -np.inf
    ) -> list[Summit]:
        """Return where greedy moves lead from several automata."""
        return side_by_side(lambda successor: self.climb(successor, sweeps, goal), successors)

    def _room(self, n_states: int) -> int:
        """Return for how many more states to have room; as episodes come in, for any number."""
        room = 10 + n_states // 2 + self.corpus.n_episodes.bit_length()
        return max(0, min(room, MOST_STATES - n_states))

    def _climb(
        self,
        draft: Draft,
        due: NDArray[np.float64],
        margin: NDArray[np.float64],
        sweeps: int = SWEEPS,
        goal: float = -np.inf,
        budget: int = 0,
        known: float = np.inf,
    ) -> Summit:
        """Climb on from a draft; if that leads to a known evidence, it is not looked further."""
        from nonmarkov.kernels.climbing import climb

        corpus, scratch = self.corpus, self._scratch(draft)
        before = evidence(corpus.words, draft)
        budget = max(budget, BUDGET, PASSES * corpus.n_steps)
        levels = (goal - before, known - before)
        climb(corpus.log, corpus.words, draft, scratch, due, margin, sweeps, budget, *levels)
        return Summit(self.corpus, draft, due, margin)

    def finish(self, summit: Summit) -> Summit:
        """Return where greedy moves lead in the end, however long that takes."""
        draft, due, margin = copied(summit.draft), summit.due.copy(), summit.margin.copy()
        return self._climb(draft, due, margin, budget=ENDLESS)

    def _scratch(self, draft: Draft) -> Scratch:
        from nonmarkov.kernels.scratch import make_scratch

        corpus = self.corpus
        sizes = (corpus.alphabet.n_actions, corpus.n_steps, corpus.n_episodes)
        return make_scratch(len(draft.successor), corpus.n_symbols, *sizes)

    def shaken(self, summit: Summit, times: int, rng: np.random.Generator) -> list[Summit]:
        """Return where greedy moves lead from a summit after some random ones, each time others."""
        from nonmarkov.kernels.climbing import shake

        corpus, copies = self.corpus, []
        for _ in range(times):
            draft, due = copied(summit.draft), summit.due.copy()
            shake(corpus.log, corpus.words, draft, self._scratch(draft), due, rng)
            copies.append((draft, due))
        height = summit.evidence
        return side_by_side(
            lambda copy: self._climb(*copy, summit.margin.copy(), goal=height, known=height),
            copies,
        )
