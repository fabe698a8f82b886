"""Automata together with the episodes read through them."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nonmarkov.kernels.evidence import NOWHERE, Draft, evidence, read_episodes
from nonmarkov.learning.corpus import Corpus

Integers = NDArray[np.int32]

DOUBT = 0.05


@dataclass(frozen=True)
class Explanation:
    """An automaton that explains a corpus, with what was found out about it."""

    evidence: float  # F
    successor: Integers  # (Q, S), or NOWHERE
    margin: NDArray[np.float64]  # (Q, S), what F loses if an edge leads elsewhere

    @property
    def n_states(self) -> int:
        """Number of states."""
        return len(self.successor)

    @property
    def beyond_doubt(self) -> NDArray[np.bool_]:
        """Which observed edges have a next best target that is far behind, (Q, S).

        Their margin is what it takes for all of them to be right with probability 1 - DOUBT, if
        only the next best target of every edge is considered.
        """
        observed = self.successor != NOWHERE
        enough = math.log(max(1, int(observed.sum())) / DOUBT)
        return np.asarray(observed & (self.margin >= enough))

    def over(self, corpus: Corpus, present: NDArray[np.int64]) -> "Explanation":
        """Return the same automaton with the symbols numbered as in another corpus."""
        if np.array_equal(corpus.present, present):
            return self
        _, here, there = np.intersect1d(corpus.present, present, return_indices=True)
        successor = np.full((self.n_states, corpus.n_symbols), NOWHERE, dtype=np.int32)
        successor[:, here] = self.successor[:, there]
        margin = np.zeros(successor.shape)
        margin[:, here] = self.margin[:, there]
        return Explanation(self.evidence, successor, margin)


def read(corpus: Corpus, successor: Integers, room: int = 0) -> Draft:
    """Return the draft of an automaton, with room for so many more states."""
    rows, n_symbols = len(successor) + room, corpus.n_symbols
    n_actions, steps = corpus.alphabet.n_actions, corpus.n_steps
    table = np.full((rows, n_symbols), NOWHERE, dtype=np.int32)
    table[: len(successor)] = successor

    def zeros(*shape: int) -> Integers:
        return np.zeros(shape, dtype=np.int32)

    draft = Draft(
        successor=table,
        counts=zeros(rows, n_symbols),
        tries=zeros(rows, n_actions),
        endings=zeros(rows, n_actions),
        support=zeros(rows, n_actions),
        worth=np.zeros((rows, n_actions)),
        visits=zeros(rows),
        links=zeros(rows),
        groups=zeros(rows),
        state=zeros(steps),
        head=zeros(rows * n_symbols) + np.int32(NOWHERE),
        after=zeros(steps),
        before=zeros(steps),
        usual=usual_targets(successor),
        sizes=np.array([len(successor), 0, 0, 0]),
    )
    read_episodes(corpus.log, corpus.words, draft)
    return draft


def evidence_of(corpus: Corpus, successor: Integers) -> float:
    """Return F of an automaton on a corpus."""
    return float(evidence(corpus.words, read(corpus, successor)))


def usual_targets(successor: Integers) -> Integers:
    """Return the state that every symbol leads to from most states, (S,)."""
    n_states, n_symbols = successor.shape
    state, s = np.nonzero(successor != NOWHERE)
    arrivals = np.bincount(s * n_states + successor[state, s], minlength=n_symbols * n_states)
    return np.asarray(arrivals.reshape(n_symbols, n_states).argmax(axis=1), dtype=np.int32)


def copied(draft: Draft) -> Draft:
    """Return a draft that can be changed without changing this one."""
    return Draft._make(array.copy() for array in draft)


def explanation(corpus: Corpus, draft: Draft, margin: NDArray[np.float64]) -> Explanation:
    """Return the used states of a draft, and the edges observed."""
    used, successor = np.flatnonzero(draft.visits > 0), used_successors(draft)
    observed = (draft.counts[used] > 0) & ~corpus.words.ends
    # Where episodes are cut off, an edge may lead to a state in which nobody has been.
    reached = np.where(successor == NOWHERE, usual_targets(successor), successor)
    successor = np.where(observed, reached, NOWHERE)
    return Explanation(
        evidence(corpus.words, draft),
        successor.astype(np.int32),
        margin.reshape(draft.successor.shape)[used].copy(),
    )


def used_successors(draft: Draft) -> Integers:
    """Return the successors of the used states, numbered among themselves."""
    used = np.flatnonzero(draft.visits > 0)
    number = np.full(draft.visits.size + 1, NOWHERE, dtype=np.int32)  # the last is for NOWHERE
    number[used] = np.arange(used.size)
    return number[draft.successor[used]]
