"""Registers against their slow twins."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from nonmarkov.kernels.counters import register_values, usual_counts
from nonmarkov.kernels.evidence import evidence
from nonmarkov.kernels.registers import judge_registers, make_board
from nonmarkov.learning.corpus import Corpus
from nonmarkov.learning.drafting import read
from nonmarkov.learning.registers import Register, with_register
from nonmarkov.testing.strategies import processes, seeds

from ..reference import explanation as reference

LARGEST = 6


@st.composite
def beside(draw):
    """Draw a corpus, an automaton, and the events that two registers count and go back at."""
    batch = draw(processes()).sample(
        draw(st.sampled_from([1, 10, 40])),
        seed=draw(seeds),
        max_steps=draw(st.sampled_from([None, 5])),
    )
    corpus = Corpus(batch.alphabet, batch.symbols, batch.starts)
    rng, n_states = np.random.default_rng(draw(seeds)), draw(st.integers(1, 4))
    table = rng.integers(n_states, size=(n_states, corpus.n_symbols)).astype(np.int32)
    counted = rng.random((2, corpus.n_symbols)) < draw(st.sampled_from([0.3, 0.7, 1.0]))
    reset = rng.random((2, corpus.n_symbols)) < draw(st.sampled_from([0.0, 0.3]))
    return corpus, table, counted, reset


def board_for(corpus, table, values=LARGEST):
    return make_board(corpus.log, corpus.words, read(corpus, table), values)


def judge(corpus, counted, reset, board, most=LARGEST, glance=LARGEST):
    """Return F, and what could be gained, by pair of events, size and kind."""
    values = np.full((len(counted), LARGEST + 1, 2, 2), np.nan)
    limits = np.full(len(counted), most)
    judge_registers(corpus.log, corpus.words, board, counted, reset, limits, glance, values)
    return values


@given(drawn=beside(), size=st.integers(2, LARGEST), wrap=st.booleans())
def test_values_equal_their_twin(drawn, size, wrap):
    corpus, _, counted, reset = drawn
    for events, resets in zip(counted, reset, strict=True):
        values = reference.register_values(corpus, events, resets, size, wrap)
        found = register_values(corpus.log, events, resets, size, wrap)
        assert found.tolist() == [value for episode in values for value in episode]


@given(drawn=beside(), share=st.floats(0.0, 1.0), most=st.integers(1, 6))
def test_usual_counts_are_those_of_a_share_of_the_episodes(drawn, share, most):
    corpus, _, counted, _ = drawn
    found = usual_counts(corpus.log, counted, share, most)
    for events, count in zip(counted, found, strict=True):
        happened = sorted(sum(events[episode]) for episode in reference.episodes_of(corpus))
        assert count == min(most, happened[int(share * (len(happened) - 1))])


@given(drawn=beside())
def test_evidence_equals_its_twin(drawn):
    corpus, table, counted, reset = drawn
    found = judge(corpus, counted, reset, board_for(corpus, table))
    for i, (events, resets) in enumerate(zip(counted, reset, strict=True)):
        for size in range(2, LARGEST + 1):
            for wrap in (False, True):
                register = (events, resets, size, wrap)
                value, hope = found[i, size, int(wrap)]
                if np.isfinite(value):
                    expected = reference.product_evidence(corpus, table, *register)
                    assert value == pytest.approx(expected, rel=1e-10)
                    hoped = reference.product_hope(corpus, table, *register)
                    assert hope == pytest.approx(hoped, rel=1e-9, abs=1e-9)


@given(drawn=beside())
def test_registers_that_are_not_judged_are_others_by_another_name(drawn):
    corpus, table, counted, reset = drawn
    found = judge(corpus, counted, reset, board_for(corpus, table))[..., 0]
    for values, events, resets in zip(found, counted, reset, strict=True):
        tallies = register_values(corpus.log, events, resets, corpus.n_steps + 1, False)
        largest = int(tallies.max())
        for size in range(2, LARGEST + 1):
            never_full, never_wraps = size > largest + 1, size >= largest + 1
            assert np.isnan(values[size]).tolist() == [never_full, never_wraps]
            wrapped = register_values(corpus.log, events, resets, size, True)
            if never_wraps:
                assert np.array_equal(wrapped, tallies)


@given(drawn=beside())
def test_the_board_can_be_used_again(drawn):
    corpus, table, counted, reset = drawn
    board = board_for(corpus, table)
    first = judge(corpus, counted, reset, board)
    judge(corpus, reset, counted, board)
    np.testing.assert_array_equal(judge(corpus, counted, reset, board), first)


@given(drawn=beside(), most=st.integers(1, LARGEST), room=st.integers(1, LARGEST))
def test_only_sizes_that_are_asked_for_and_fit_are_judged(drawn, most, room):
    corpus, table, counted, reset = drawn
    values = judge(corpus, counted, reset, board_for(corpus, table, room), most)[..., 0]
    largest = judge(corpus, counted, reset, board_for(corpus, table))[..., 0]
    asked = np.arange(LARGEST + 1) <= min(most, room)
    np.testing.assert_array_equal(np.isfinite(values), np.isfinite(largest) & asked[:, None])


@given(drawn=beside(), glance=st.integers(2, LARGEST))
def test_beyond_a_glance_only_registers_with_hope_are_judged(drawn, glance):
    corpus, table, counted, reset = drawn
    board = board_for(corpus, table)
    found = judge(corpus, counted, reset, board, glance=glance)
    for values, whole in zip(found, judge(corpus, counted, reset, board), strict=True):
        hopeful = (whole[: glance + 1, :, 1] > 0.0).any()
        expected = (
            whole
            if hopeful
            else np.where(np.arange(LARGEST + 1)[:, None, None] <= glance, whole, np.nan)
        )
        np.testing.assert_array_equal(values, expected)


@given(drawn=beside(), size=st.integers(2, LARGEST), wrap=st.booleans())
def test_the_states_of_a_product_are_those_of_automaton_and_register(drawn, size, wrap):
    corpus, table, counted, reset = drawn
    register = Register(counted[0], reset[0], size, wrap, 0.0)
    found = read(corpus, with_register(corpus, table, register))
    value = register_values(corpus.log, counted[0], reset[0], size, wrap)
    pairs = set(zip(found.state, read(corpus, table).state, value, strict=True))
    assert len(pairs) == len({q for q, _, _ in pairs}) == len({pair[1:] for pair in pairs})
    assert (found.visits > 0).all()


@given(drawn=beside(), size=st.integers(2, LARGEST), wrap=st.booleans())
def test_the_product_is_explained_no_better_than_judged(drawn, size, wrap):
    """An outcome leads to one state at least."""
    corpus, table, counted, reset = drawn
    judged = judge(corpus, counted, reset, board_for(corpus, table))[0, size, int(wrap), 0]
    assume(np.isfinite(judged))
    register = Register(counted[0], reset[0], size, wrap, judged)
    product = with_register(corpus, table, register)
    assert evidence(corpus.words, read(corpus, product)) <= judged + 1e-9
