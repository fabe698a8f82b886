"""What follows edges, and whether that speaks for their targets, against slow and obvious twins."""

from collections import Counter
from itertools import pairwise
from math import lgamma

import numpy as np
import pytest
from hypothesis import given

from nonmarkov.kernels import continuations
from nonmarkov.learning.corpus import Corpus
from nonmarkov.learning.drafting import read
from nonmarkov.testing.strategies import processes, seeds


def drafted(process, seed):
    """Return episodes, read through a random automaton of five states."""
    batch = process.sample(60, seed=seed)
    corpus = Corpus(batch.alphabet, batch.symbols, batch.starts)
    table = np.random.default_rng(seed).integers(5, size=(5, corpus.n_symbols))
    return corpus, read(corpus, table.astype(np.int32))


def as_counts(rows, words):
    """Return the entries of rows as {(row, symbol): count}; actions must be where they belong."""
    found = {}
    for row, first in enumerate(rows.first):
        for a, (begin, end) in enumerate(pairwise(first)):
            symbols = rows.symbol[begin:end]
            assert (words.action[symbols] == a).all()
            assert (np.diff(symbols) > 0).all()
            found |= {
                (row, int(s)): int(n) for s, n in zip(symbols, rows.count[begin:end], strict=True)
            }
    assert len(found) == rows.symbol.size
    return found


def followed(corpus, draft, number):
    """Return how often symbols followed edges, one step at a time."""
    log = corpus.log
    return Counter(
        (int(number[draft.state[step - 1], log.symbols[step - 1]]), int(log.symbols[step]))
        for step in range(1, corpus.n_steps)
        if log.episode[step] == log.episode[step - 1]
    )


def log_mixture(counts, kinds):
    """Return ln of the Dirichlet(1/2) mixture over so many outcomes."""
    value = lgamma(kinds / 2) - lgamma(kinds / 2 + sum(counts)) - len(counts) * lgamma(0.5)
    return value + sum(lgamma(n + 0.5) for n in counts)


def factor(corpus, draft, follow, edge, target):
    """Return the log Bayes factor of one distribution after an edge and elsewhere, against two."""
    total, words = 0.0, corpus.words
    for a in range(corpus.alphabet.n_actions):
        symbols = [
            s
            for s in range(corpus.n_symbols)
            if words.action[s] == a and not words.ends[s] and draft.counts[target, s] > 0
        ]
        both = [int(draft.counts[target, s]) for s in symbols]
        here = [follow[edge, s] for s in symbols]
        there = [n - x for n, x in zip(both, here, strict=True)]
        if sum(here) and sum(there):
            kinds = max(2, len(symbols))
            total += log_mixture(both, kinds) - log_mixture(here, kinds) - log_mixture(there, kinds)
    return total


@given(processes(), seeds)
def test_counts_of_states_and_edges(process, seed):
    corpus, draft = drafted(process, seed)
    words = corpus.words
    number, edges = continuations.number_edges(words, corpus.final, draft, len(draft.successor))
    observed = (draft.counts > 0) & ~words.ends
    assert np.array_equal(np.flatnonzero(observed), edges)
    assert np.array_equal(number[observed], np.arange(edges.size))
    assert (number[~observed] == -1).all()

    seen = as_counts(continuations.states_seen(words, draft), words)
    assert seen == {(q, s): draft.counts[q, s] for q, s in np.argwhere(draft.counts).tolist()}
    rows = continuations.continuations(corpus.log, words, draft, number, edges.size)
    assert as_counts(rows, words) == followed(corpus, draft, number)


@given(processes(), seeds)
def test_sameness_is_the_bayes_factor_of_one_distribution_against_two(process, seed):
    corpus, draft = drafted(process, seed)
    words = corpus.words
    number, edges = continuations.number_edges(words, corpus.final, draft, len(draft.successor))
    targets = draft.successor.ravel()[edges]
    rows = continuations.continuations(corpus.log, words, draft, number, edges.size)
    seen = continuations.states_seen(words, draft)
    found, tried, rest = continuations.sameness(words, seen, rows, targets)
    follow = followed(corpus, draft, number)
    for edge, target in enumerate(targets):
        assert found[edge] == pytest.approx(
            factor(corpus, draft, follow, edge, target), rel=1e-9, abs=1e-9
        )
        after = [0] * corpus.alphabet.n_actions
        for s in range(corpus.n_symbols):
            after[words.action[s]] += follow[edge, s]
        assert tried[edge].tolist() == after
        assert rest[edge] == draft.visits[target] - sum(after)
