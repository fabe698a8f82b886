"""The observed edges of an automaton, and how sure it is where they lead."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nonmarkov.kernels.continuations import Rows
from nonmarkov.kernels.evidence import Draft
from nonmarkov.learning.corpus import Corpus
from nonmarkov.learning.drafting import Explanation, read

SAME = 1.0  # nats of evidence for sameness, from which an edge is planned with as if it were
CLEAR = 1.0  # nats by which the target of an edge beats the next best
FEW_PASSAGES = 5  # along an edge; its target is in doubt
LONE_PASSAGES = 50  # the same for the only way into a state: nothing else tells what it is like


class Edges(NamedTuple):
    """E observed edges, in the order of states and symbols."""

    draft: Draft  # the episodes, read through the automaton
    number: NDArray[np.int32]  # (Q, S), of an edge, or NOWHERE
    target: NDArray[np.int32]  # (E,)
    seen: Rows  # what was seen in the states
    follow: Rows  # what followed the edges
    tried: NDArray[np.int32]  # (E, A), actions tried after an edge
    sameness: NDArray[np.float64]  # (E,), ln of the Bayes factor that it leads where it is said to
    is_open: NDArray[np.bool_]  # (E,), nothing shows yet that it leads where it is said to
    unclear: NDArray[np.bool_]  # (E,), another target would be nearly as good

    @property
    def in_doubt(self) -> NDArray[np.bool_]:
        """Which edges may well lead elsewhere, (E,)."""
        return self.is_open | self.unclear

    def table(self, flags: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return flags of edges by states and symbols, (Q, S)."""
        table = self.number >= 0
        table[table] = flags
        return table


def observed_edges(corpus: Corpus, explanation: Explanation) -> Edges:
    """Return the edges of an automaton that the episodes pass."""
    from nonmarkov.kernels import continuations

    draft, words = read(corpus, explanation.successor), corpus.words
    number, edges = continuations.number_edges(words, corpus.final, draft, explanation.n_states)
    seen, target = continuations.states_seen(words, draft), draft.successor.ravel()[edges]
    follow = continuations.continuations(corpus.log, words, draft, number, edges.size)
    factor, tried, rest = continuations.sameness(words, seen, follow, target)
    margin, passages = explanation.margin.ravel()[edges], draft.counts.ravel()[edges]
    doubtful = np.isfinite(margin)  # all edges, unless the automaton was given
    untried = (tried[:, : corpus.alphabet.n_choices] == 0).any(axis=1)
    is_open = (rest > 0) & ((factor < SAME) | untried) & doubtful
    few = np.where(_is_only_way(draft, edges, target), LONE_PASSAGES, FEW_PASSAGES)
    unclear = ((margin < CLEAR) | (passages < few)) & doubtful
    return Edges(draft, number, target, seen, follow, tried, factor, is_open, unclear)


def _is_only_way(
    draft: Draft, edges: NDArray[np.int32], target: NDArray[np.int32]
) -> NDArray[np.bool_]:
    """Return which edges are the only way into their target, but for its own loops, (E,).

    Into state 0 there is always another: episodes begin there.
    """
    n_states, n_symbols = draft.successor.shape
    foreign = edges // n_symbols != target
    ways = np.bincount(target[foreign], minlength=n_states)
    return np.asarray(foreign & (ways[target] == 1) & (target != 0))


def decided_edges(explanation: Explanation, edges: Edges) -> NDArray[np.bool_]:
    """Return which edges lead where they do beyond reasonable doubt, (Q, S).

    The next best target is far behind, and what followed the edge itself speaks for this one: that
    an automaton without a further state is simpler is no evidence.
    """
    return explanation.beyond_doubt & edges.table(~edges.is_open)


def undecided_edges(explanation: Explanation, edges: Edges) -> NDArray[np.bool_]:
    """Return which observed edges may lead elsewhere, (Q, S)."""
    return (edges.number >= 0) & ~decided_edges(explanation, edges)
