"""The graph and its pool of strings: what goes in comes out, and every block comes back."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nonmarkov as nm
from nonmarkov.errors import AlphabetError
from nonmarkov.kernels.shapes import CURSOR, N_FREE
from nonmarkov.kernels.stream import _probe, read_strings
from nonmarkov.kernels.strings import unpack_strings
from nonmarkov.learning.hypothesis import Hypothesis

ALPHABETS = {
    1: nm.Alphabet(("a",), (0, 1), (0.0,)),
    2: nm.Alphabet(("a",), tuple(range(400)), (0.0,)),
    4: nm.Alphabet(("a", "b"), tuple(range(40_000)), (0.0,)),
}


def fill(hypothesis, strings, probing=0):
    cursor = np.zeros(CURSOR, dtype=np.int64)
    symbols = np.array([s for string in strings for s in string], dtype=np.int32)
    starts = np.cumsum([0, *map(len, strings)])
    hypothesis.make_room(int(symbols.size) + 1)
    read_strings(symbols, starts, 0, hypothesis.graph, hypothesis.pool, cursor, 10**9, probing, 1)


def stored(hypothesis, span, drain):
    strings = []
    while span[0] != span[1]:
        symbols, starts = hypothesis.unpack(span, drain=drain)
        strings += [symbols[a:b].tolist() for a, b in pairwise(starts)]
    return strings


@pytest.mark.parametrize("width", ALPHABETS)
@given(data=st.data())
def test_strings_come_out_as_they_went_in(width, data):
    alphabet = ALPHABETS[width]
    hypothesis = Hypothesis(alphabet)
    assert hypothesis.pool.width == width
    end = alphabet.n_outcomes
    letters = st.one_of(st.integers(0, end - 1), st.just(end - 1))
    ended = st.lists(letters, max_size=150).map(lambda s: [*s, end])
    cut_off = st.lists(letters, min_size=1, max_size=5)
    strings = data.draw(st.lists(st.one_of(ended, cut_off), min_size=1, max_size=20))
    free = int(hypothesis.pool.free[N_FREE])
    fill(hypothesis, strings)
    total = len(hypothesis.pool.following)
    assert stored(hypothesis, hypothesis.chain(1), drain=False) == strings
    assert stored(hypothesis, hypothesis.detach(1), drain=True) == strings
    assert hypothesis.pool.free[N_FREE] == total >= free
    assert hypothesis.chain(1).tolist() == [-1, -1]


@given(limit=st.integers(1, 40), lengths=st.lists(st.integers(1, 60), min_size=1, max_size=20))
def test_portions_are_whole_strings(limit, lengths):
    hypothesis = Hypothesis(ALPHABETS[1])
    strings = [[0] * (length - 1) + [2] for length in lengths]
    fill(hypothesis, strings)
    span, seen = hypothesis.detach(1), []
    while span[0] != span[1]:
        room = np.empty(limit, dtype=np.int32), np.empty(limit + 1, dtype=np.int64)
        symbols, starts = unpack_strings(hypothesis.pool, span, *room, True)
        assert starts.size > 1
        assert symbols.size <= max(limit, *lengths) * 2
        seen += np.diff(starts).tolist()
    assert seen == lengths
    assert hypothesis.pool.free[N_FREE] == len(hypothesis.pool.following)


def test_blocks_that_came_back_are_used_again():
    hypothesis = Hypothesis(ALPHABETS[1])
    for _ in range(200):
        fill(hypothesis, [[0] * 2000 + [2]])
        stored(hypothesis, hypothesis.detach(1), drain=True)
    assert hypothesis.nbytes < 10**6


def test_an_automaton_survives_the_way_through_the_graph():
    for name in nm.domains():
        automaton = nm.domain(name).automaton
        assert Hypothesis.of(automaton).to_automaton() == automaton


def test_it_begins_with_one_candidate():
    hypothesis = Hypothesis(ALPHABETS[1])
    automaton = hypothesis.to_automaton()
    assert (hypothesis.n_safe, hypothesis.n_candidates, automaton.candidates) == (0, 1, (0,))
    assert hypothesis.to_automaton(candidates=False).candidates == (0,)


def test_a_probe_stops_where_others_pass():
    """Candidates that stand for a safe node are transparent, except to probing strings."""
    hypothesis = Hypothesis(ALPHABETS[1])
    node = hypothesis.add_safe()
    hypothesis.graph.target[1] = node
    fill(hypothesis, [[0, 2]] * 6, probing=2)
    arrivals = hypothesis.graph.arrivals
    # Strings 0, 2, 4 are probes that pass 0, 1 and 0 candidates; two stop at the start.
    assert arrivals[1] == 2
    assert arrivals[2] == 4
    assert hypothesis.start == node
    assert hypothesis.candidates() == [2]


def test_alphabets_that_no_table_can_hold_are_refused():
    huge = nm.Alphabet(("a",), tuple(range(1000)), tuple(map(float, range(1001))))
    with pytest.raises(AlphabetError, match="group observations or rewards"):
        Hypothesis(huge)


def test_no_decided_edge_is_too_deep_to_be_probed():
    """One probe in j + 1 passes j candidates or more."""
    depths = np.array([_probe.py_func(10 * i, 10) for i in range(20_000)])
    for j in (1, 4, 9, 99):
        assert (depths >= j).mean() == pytest.approx(1 / (j + 1), rel=0.02)
    assert _probe.py_func(11, 10) == _probe.py_func(10, 0) == -1
