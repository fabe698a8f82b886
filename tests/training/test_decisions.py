"""Merges and splits, listed with their evidence."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nonmarkov as nm
from nonmarkov.learning.corpus import Corpus
from nonmarkov.learning.drafting import read
from nonmarkov.testing.strategies import processes, seeds
from nonmarkov.training.decisions import _log_gamma, next_outcome_differences

from ..reference import explanation as reference


@pytest.fixture(scope="module")
def agent():
    agent = nm.Agent(nm.domain("rotating_mab", k=3), seed=1)
    agent.learn(2000)
    return agent


def test_every_observed_edge_is_listed_once(agent):
    places = [(m.state, m.action, m.observation, m.reward) for m in agent.merges]
    assert len(set(places)) == len(places)
    assert {m.state for m in agent.merges} == set(range(agent.n_states))
    assert all(m.passages > 0 for m in agent.merges)


def test_decided_merges_are_the_edges_of_the_abstraction(agent):
    decided = [m for m in agent.merges if m.decided]
    assert len(decided) == len(agent.abstraction.automaton.edges)
    for m in decided:
        assert agent.abstraction.step(m.state, m.action, m.observation, m.reward) == m.target


def test_passages_are_the_steps_that_did_not_end_an_episode(agent):
    assert sum(m.passages for m in agent.merges) == sum(agent._training.steps) - agent.episodes


def test_all_pairs_are_listed_with_the_least_different_first(agent):
    pairs = [(s.first, s.second) for s in agent.splits]
    assert sorted(pairs) == [(0, 1), (0, 2), (1, 2)]
    differences = [s.difference for s in agent.splits]
    assert differences == sorted(differences)
    assert differences[0] > 50.0  # three different machines win in the three states


def test_certified_splits_are_those_of_the_certificate(agent):
    certificate = agent.certificate()
    assert sum(s.certified for s in agent.splits) == certificate.apart
    open_pairs = {(s.first, s.second) for s in agent.splits if not s.certified}
    assert open_pairs == set(certificate.undecided)


def test_they_read_as_sentences(agent):
    assert "times" in str(agent.merges[0])
    assert "ln E" in str(agent.splits[0])


def test_before_the_first_search_there_is_nothing_to_list():
    agent = nm.Agent(nm.domain("rotating_mab"))
    assert agent.merges == agent.splits == ()


def test_the_agents_of_the_paper_list_changes_instead():
    agent = nm.Agent(nm.domain("rotating_mab"), "paper", epsilon=0.5, delta=0.5)
    agent.learn(10)
    assert agent.merges == agent.splits == ()


@given(process=processes(), seed=seeds, n_states=st.integers(1, 4))
def test_differences_equal_their_twin(process, seed, n_states):
    batch = process.sample(20, seed=seed)
    corpus = Corpus(batch.alphabet, batch.symbols, batch.starts)
    table = np.random.default_rng(seed).integers(n_states, size=(n_states, corpus.n_symbols))
    counts = read(corpus, table.astype(np.int32)).counts
    found = next_outcome_differences(corpus, counts)
    for p in range(n_states):
        for q in range(n_states):
            assert found[p, q] == pytest.approx(slow_difference(corpus, counts, p, q), abs=1e-8)


def slow_difference(corpus, counts, p, q):
    """Return the log Bayes factor of two distributions against one, with nothing left out."""
    total = 0.0
    for a in range(corpus.alphabet.n_actions):
        columns = [s for s in range(corpus.n_symbols) if corpus.words.action[s] == a]
        columns = [s for s in columns if not corpus.words.ends[s]]
        seen = [s for s in columns if counts[p, s] + counts[q, s] > 0]
        if seen:
            one = [int(counts[p, s] + counts[q, s]) for s in seen]
            apart = [[int(counts[x, s]) for s in seen] for x in (p, q)]
            total += sum(map(reference.log_mixture, apart)) - reference.log_mixture(one)
    return total


def test_large_counts_are_beyond_the_table():
    table = np.array([0.0, *(math.lgamma(i / 2) for i in range(1, 200))])
    twice = np.array([1, 7, 199, 200, 1001, 10**7])
    expected = [math.lgamma(n / 2) for n in twice]
    np.testing.assert_allclose(_log_gamma(table, twice), expected, rtol=1e-9)
