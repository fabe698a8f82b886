"""Learned automata as records: what is decided, and a most likely state for everything else."""

import numpy as np
from numpy.typing import NDArray

from nonmarkov.core import Alphabet, Automaton
from nonmarkov.kernels.evidence import NOWHERE, Draft
from nonmarkov.learning.corpus import Corpus
from nonmarkov.learning.drafting import Explanation
from nonmarkov.learning.edges import Edges, decided_edges

Counts = NDArray[np.int32]


def decided(corpus: Corpus, explanation: Explanation, edges: Edges) -> Automaton:
    """Return the automaton with those edges only whose target is beyond reasonable doubt."""
    state, s = np.nonzero(decided_edges(explanation, edges))
    target = explanation.successor[state, s]
    table = np.stack([state, corpus.present[s], target], axis=1)
    return Automaton(corpus.alphabet, explanation.n_states, table)


def completed(corpus: Corpus, draft: Draft) -> Automaton:
    """Return the automaton with an edge for every symbol in every state.

    An edge that was never observed leads where the same outcome leads from its state after
    another action; else where the symbol, the outcome or at least the observation leads most
    often; else nowhere new.
    """
    from nonmarkov.kernels.evidence import complete

    complete(corpus.words, draft)
    alphabet, n_states = corpus.alphabet, len(draft.successor)
    outcome = np.arange(alphabet.n_symbols) % (alphabet.n_outcomes + 1)
    table = np.tile(np.arange(n_states)[:, None], (1, alphabet.n_symbols))
    usual = _usual_targets(alphabet, _arrivals(corpus, draft), outcome)
    table[:, usual != NOWHERE] = usual[usual != NOWHERE]
    table[:, corpus.present] = np.where(
        draft.successor >= 0, draft.successor, table[:, corpus.present]
    )
    state, symbol = np.nonzero(np.tile(outcome < alphabet.n_outcomes, (n_states, 1)))
    return Automaton(alphabet, n_states, np.stack([state, symbol, table[state, symbol]], axis=1))


def familiar(corpus: Corpus, draft: Draft) -> Automaton:
    """Return the automaton with an edge for every symbol whose observation was seen in a state.

    After an action with which an outcome was not seen, it leads where it leads after another;
    with another reward, where the observation leads from there most often.
    """
    going_on = ~(corpus.words.ends | corpus.final)
    counts = np.where(going_on, draft.counts, 0)
    table = np.where(counts > 0, draft.successor, NOWHERE)
    observation = corpus.words.outcome // len(corpus.alphabet.rewards)
    for letters in (corpus.words.outcome, observation):
        pooled = _pooled_targets(counts, draft.successor, letters)
        table = np.where(table == NOWHERE, pooled, table)
    state, s = np.nonzero((table != NOWHERE) & going_on)
    edges = np.stack([state, corpus.present[s], table[state, s]], axis=1)
    return Automaton(corpus.alphabet, len(draft.successor), edges)


def _pooled_targets(counts: Counts, successor: Counts, letters: NDArray[np.int32]) -> Counts:
    """Return where the symbols of one letter lead from every state most often, (Q, S)."""
    pooled = np.full(counts.shape, NOWHERE, dtype=np.int32)
    for letter in np.unique(letters):
        alike = letters == letter
        most = counts[:, alike].argmax(axis=1)[:, None]
        seen = counts[:, alike].any(axis=1, keepdims=True)
        target = np.take_along_axis(successor[:, alike], most, axis=1)
        pooled[:, alike] = np.where(seen, target, NOWHERE)
    return pooled


def usual_states(corpus: Corpus, draft: Draft) -> NDArray[np.int64]:
    """Return the state that every observation leads to most often, or NOWHERE."""
    alphabet = corpus.alphabet
    arrivals = np.zeros((len(alphabet.observations), len(draft.successor)), dtype=np.int64)
    state, s = np.nonzero((draft.counts > 0) & ~(corpus.words.ends | corpus.final))
    observation = corpus.words.outcome[s] // len(alphabet.rewards)
    np.add.at(arrivals, (observation, draft.successor[state, s]), draft.counts[state, s])
    return np.where(arrivals.any(axis=1), arrivals.argmax(axis=1), NOWHERE)


def _arrivals(corpus: Corpus, draft: Draft) -> NDArray[np.int64]:
    """Return how often a symbol led to a state, (n_symbols of the alphabet, Q)."""
    arrivals = np.zeros((corpus.alphabet.n_symbols, len(draft.successor)), dtype=np.int64)
    state, s = np.nonzero((draft.counts > 0) & ~corpus.words.ends)
    np.add.at(arrivals, (corpus.present[s], draft.successor[state, s]), draft.counts[state, s])
    return arrivals


def _usual_targets(
    alphabet: Alphabet, arrivals: NDArray[np.int64], outcome: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return where a symbol leads most often, or its outcome, or its observation, or NOWHERE."""
    n_states = arrivals.shape[1]
    usual = np.full(alphabet.n_symbols, NOWHERE)
    observation = np.where(
        outcome < alphabet.n_outcomes, outcome // len(alphabet.rewards), alphabet.n_outcomes
    )
    for letters in (observation, outcome, np.arange(alphabet.n_symbols)):
        pooled = np.zeros((int(letters.max()) + 1, n_states), dtype=np.int64)
        np.add.at(pooled, letters, arrivals)
        seen = pooled[letters].any(axis=1)
        usual[seen] = pooled[letters].argmax(axis=1)[seen]
    return usual
