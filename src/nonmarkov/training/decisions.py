"""Why the automaton of `apart` is as it is: every merge and every split, with its evidence.

A merge is an edge that leads to a state which other edges lead to as well; a split is a pair of
states that were not made one.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nonmarkov.core.alphabet import Termination
from nonmarkov.labels import Label
from nonmarkov.learning.apart import ApartLearner
from nonmarkov.learning.corpus import Corpus
from nonmarkov.learning.edges import decided_edges, observed_edges
from nonmarkov.training.assurance import Evidence

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Merge:
    """Where an observed edge leads, and what speaks for it."""

    state: int
    action: Label
    observation: Label | Termination
    reward: float
    target: int
    passages: int  # how often the edge was passed
    margin: float  # nats of evidence by which the target beats the next best one
    sameness: float  # ln of the Bayes factor that what followed the edge is as elsewhere in target
    decided: bool  # beyond reasonable doubt

    def __str__(self) -> str:
        return (
            f"state {self.state} -> {self.target} after ({self.action!r}, {self.observation!r}, "
            f"{self.reward:g}): passed {self.passages:,} times, {self.margin:.1f} nats before the "
            f"next best target, {self.sameness:+.1f} nats for sameness; "
            f"{'decided' if self.decided else 'undecided'}"
        )


@dataclass(frozen=True)
class Split:
    """Two states, and what speaks for keeping them apart."""

    first: int
    second: int
    difference: float  # ln of the Bayes factor that their next outcomes differ, from all episodes
    evalue: float  # ln E against one state, from episodes that had no part in the automaton
    certified: bool  # the e-value is large enough to rule out one state

    def __str__(self) -> str:
        return (
            f"states {self.first} and {self.second}: {self.difference:+.1f} nats for a difference "
            f"in what happens next, ln E = {self.evalue:.1f}; "
            f"{'certified' if self.certified else 'not certified'}"
        )


def list_merges(learner: ApartLearner) -> tuple[Merge, ...]:
    """Return all observed edges, in the order of states and symbols."""
    corpus, explanation = learner.corpus, learner.explanation
    edges = observed_edges(corpus, explanation)
    decided = decided_edges(explanation, edges)
    merges = []
    for edge, (q, s) in enumerate(np.argwhere(edges.number >= 0)):
        action, observation, reward = corpus.alphabet.symbol(int(corpus.present[s]))
        merges.append(
            Merge(
                int(q),
                action,
                observation,
                reward,
                int(edges.target[edge]),
                int(edges.draft.counts[q, s]),
                float(explanation.margin[q, s]),
                float(edges.sameness[edge]),
                bool(decided[q, s]),
            )
        )
    return tuple(merges)


def list_splits(learner: ApartLearner, evidence: Evidence) -> tuple[Split, ...]:
    """Return all pairs of states, the least different first."""
    corpus = learner.corpus
    counts = observed_edges(corpus, learner.explanation).draft.counts
    difference = next_outcome_differences(corpus, counts)
    pairs = np.argwhere(np.triu(np.ones(difference.shape, dtype=np.bool_), 1))
    order = np.argsort(difference[tuple(pairs.T)], kind="stable")
    return tuple(
        Split(
            int(p),
            int(q),
            float(difference[p, q]),
            float(evidence.pairs[p, q]),
            bool(evidence.pairs[p, q] >= evidence.enough),
        )
        for p, q in pairs[order]
    )


def next_outcome_differences(corpus: Corpus, counts: NDArray[np.int32]) -> Floats:
    """Return ln of the Bayes factor of two distributions against one, for all pairs, (Q, Q).

    Outcomes are those observed after an action in either state, under Dirichlet(1/2) mixtures;
    endings are left out.
    """
    words, n_states = corpus.words, len(counts)
    table = words.log_gamma
    total = np.zeros((n_states, n_states))
    for a in range(words.first.size - 1):
        columns = np.arange(words.first[a], words.first[a + 1])
        here = counts[:, columns[~words.ends[columns]]]
        for q in range(n_states):
            kinds = np.maximum(((here + here[q]) > 0).sum(axis=1), 1)
            apart = _mixture(table, here, kinds) + _mixture(table, here[q : q + 1], kinds)
            total[q] += apart - _mixture(table, here + here[q], kinds)
    return total


def _mixture(table: Floats, counts: NDArray[np.int32], kinds: NDArray[np.int64]) -> Floats:
    """Return ln of the probability of outcomes, (n, K), if so many kinds are possible, (n,)."""
    terms = _log_gamma(table, 2 * counts + 1) - table[1]
    tries = counts.sum(axis=1)
    return np.asarray(
        terms.sum(axis=1) + _log_gamma(table, kinds) - _log_gamma(table, kinds + 2 * tries)
    )


def _log_gamma(table: Floats, twice: NDArray[Any]) -> Floats:
    """Return ln Γ(twice / 2); beyond the table, Stirling's series."""
    x = 0.5 * np.maximum(twice, table.size)
    stirling = (x - 0.5) * np.log(x) - x + 0.5 * np.log(2.0 * np.pi) + 1.0 / (12.0 * x)
    inner = table[np.minimum(twice, table.size - 1)]
    return np.asarray(np.where(twice < table.size, inner, stirling))
