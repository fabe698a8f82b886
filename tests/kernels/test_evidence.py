"""F of an automaton against its slow twin, and against numbers worked by hand."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nonmarkov as nm
from nonmarkov.kernels.evidence import (
    GROUPS,
    LINKS,
    NOWHERE,
    USED,
    evidence,
    half_log_gamma,
    log_gamma_table,
)
from nonmarkov.learning.corpus import Corpus
from nonmarkov.learning.drafting import read
from nonmarkov.testing import random_process
from nonmarkov.testing.strategies import processes, seeds

from ..reference import explanation as reference


def corpus_of(batch):
    return Corpus(batch.alphabet, batch.symbols, batch.starts)


def random_table(corpus, n_states, seed):
    shape = (n_states, corpus.n_symbols)
    return np.random.default_rng(seed).integers(n_states, size=shape).astype(np.int32)


@st.composite
def readings(draw):
    """Draw a corpus, of episodes that may be cut off, and an automaton."""
    batch = draw(processes()).sample(
        draw(st.sampled_from([1, 10, 100])),
        seed=draw(seeds),
        max_steps=draw(st.sampled_from([None, 1, 5])),
    )
    corpus = corpus_of(batch)
    return corpus, random_table(corpus, draw(st.integers(1, 6)), draw(seeds))


@given(reading=readings())
def test_evidence_equals_its_twin(reading):
    corpus, table = reading
    found = evidence(corpus.words, read(corpus, table))
    assert found == pytest.approx(reference.evidence(corpus, table), rel=1e-10)


@given(reading=readings())
def test_counts_equal_the_twins(reading):
    corpus, table = reading
    draft = read(corpus, table)
    paths = reference.states(corpus, table)
    counts = reference.count_steps(corpus, paths)
    assert draft.state.tolist() == [state for path in paths for state in path]
    observed = np.argwhere(draft.counts).tolist()
    assert {(q, s): draft.counts[q, s] for q, s in observed} == counts
    tries, endings, support, visits = Counter(), Counter(), Counter(), Counter()
    for (state, symbol), n in counts.items():
        action, outcome = reference.meaning(corpus, symbol)
        visits[state] += n
        endings[state, action] += n if outcome == reference.END else 0
        tries[state, action] += 0 if outcome == reference.END else n
        support[state, action] += outcome != reference.END
    for q in range(len(table)):
        assert draft.visits[q] == visits[q]
        for a in range(corpus.alphabet.n_actions):
            assert draft.tries[q, a] == tries[q, a]
            assert draft.endings[q, a] == endings[q, a]
            assert draft.support[q, a] == support[q, a]


@given(reading=readings())
def test_links_and_groups_equal_the_twins(reading):
    corpus, table = reading
    draft = read(corpus, table)
    counts = reference.count_steps(corpus, reference.states(corpus, table))
    links = reference.count_links(corpus, table, counts)
    for q in range(len(table)):
        mine = [n for (state, _), n in links.items() if state == q]
        assert (draft.links[q], draft.groups[q]) == (sum(mine), len(mine))
    assert draft.sizes[USED] == len({state for state, _ in counts})
    assert (draft.sizes[LINKS], draft.sizes[GROUPS]) == (sum(links.values()), len(links))


@given(reading=readings())
def test_the_words_price_outcomes_and_endings_as_the_twin_does(reading):
    corpus, _ = reading
    assert corpus.words.price == pytest.approx(reference.price(corpus))
    assert corpus.words.ending == pytest.approx(reference.ending_rate(corpus))


@given(reading=readings(), share=st.floats(0.0, 1.0))
def test_a_share_of_the_structure_is_paid_for(reading, share):
    corpus, table = reading
    counts = reference.count_steps(corpus, reference.states(corpus, table))
    links = sum(reference.count_links(corpus, table, counts).values())
    expected = reference.log_data(corpus, counts) - share * reference.structure(
        corpus, counts, links
    )
    found = evidence(corpus.words._replace(share=share), read(corpus, table))
    assert found == pytest.approx(expected)


@pytest.mark.parametrize("n_states", [1, 3])
@pytest.mark.parametrize("seed", range(3))
def test_episodes_of_which_none_ends(seed, n_states):
    process = random_process(seed, stop=1e-9, horizon=6)
    corpus = corpus_of(process.sample(50, seed=seed, max_steps=6))
    table = random_table(corpus, n_states, seed)
    assert corpus.words.ending == 0.0
    found = evidence(corpus.words, read(corpus, table))
    assert found == pytest.approx(reference.evidence(corpus, table))


def toss(*sides):
    return [("toss", side, 0.0) for side in sides]


def test_a_coin_worked_by_hand():
    """P(two heads, a tail) = 1/16; three terms of ln(2)/2 for a state and two links; 2 ln 2."""
    corpus = corpus_of(nm.EpisodeBatch.from_lists([toss("head", "tail", "head")]))
    found = evidence(corpus.words, read(corpus, np.zeros((1, 2), dtype=np.int32)))
    assert found == pytest.approx(-7.5 * math.log(2))


def test_what_follows_heads_is_told_apart_by_a_second_state():
    episodes = [toss(*("head", "tail") * 20)] * 5
    corpus = corpus_of(nm.EpisodeBatch.from_lists(episodes))
    one, two = (np.array(table, dtype=np.int32) for table in ([[0, 0]], [[1, 1], [0, 0]]))
    assert evidence(corpus.words, read(corpus, two)) > evidence(corpus.words, read(corpus, one))


def test_edges_without_a_target_lead_where_is_usual():
    corpus = corpus_of(nm.domain("rotating_mab").sample(100, seed=0))
    table = random_table(corpus, 4, 2)
    table[:, 0], table[1, 1:] = 2, 3
    table[3, 0] = NOWHERE
    assert read(corpus, table).successor[3, 0] == 2


def test_large_numbers_are_not_in_the_table_and_need_not_be():
    table = log_gamma_table(4)
    assert [half_log_gamma(table, i) for i in (1, 3, 4, 9)] == pytest.approx(
        [math.lgamma(i / 2) for i in (1, 3, 4, 9)]
    )
