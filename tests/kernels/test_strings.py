"""Chains of blocks, copied as they read."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nonmarkov.core import Alphabet
from nonmarkov.kernels.shapes import BLOCK
from nonmarkov.kernels.strings import copy_chains, measure_chains
from nonmarkov.learning import chains
from nonmarkov.learning.hypothesis import Hypothesis

ALPHABETS = [
    Alphabet(("a", "b"), ("x", "y"), (0.0, 1.0)),
    Alphabet(("a",), tuple(range(300)), (0.0, 1.0)),
]


def followed(pool, candidate):
    """The bytes of a chain, one after the other: the slow twin."""
    position, data = int(pool.head[candidate]), []
    while position >= 0 and position != pool.tail[candidate]:
        data.append(int(pool.data[position]))
        position += 1
        if position % BLOCK == 0:
            position = int(pool.following[position // BLOCK - 1]) * BLOCK
    return data


@st.composite
def filled(draw):
    """A graph whose candidates have received suffixes in turns, and given some back."""
    alphabet = draw(st.sampled_from(ALPHABETS))
    hypothesis = Hypothesis(alphabet)
    from nonmarkov.kernels.stream import _store

    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    ends = np.flatnonzero(hypothesis.pool.ends[:-1])
    marks = {}
    for _ in range(draw(st.integers(0, 40))):
        candidate = int(rng.integers(1, 6))
        if rng.random() < 0.1:
            span = hypothesis.detach(candidate)
            marks.pop(candidate, None)
            while span[0] != span[1]:
                hypothesis.unpack(span, drain=True)
            continue
        string = rng.integers(0, alphabet.n_outcomes, int(rng.integers(1, 150)), dtype=np.int32)
        string[-1] = rng.choice(ends)
        _store(hypothesis.pool, candidate, string, False)
        if rng.random() < 0.3:
            marks[candidate] = int(hypothesis.pool.tail[candidate])
    return hypothesis, marks


@given(filled())
def test_chains_are_copied_as_they_read(case):
    hypothesis, marks = case
    pool = hypothesis.pool
    sizes, before, places = np.zeros((3, pool.head.size), dtype=np.int64)
    places[:] = -1
    places[list(marks)] = list(marks.values())
    measure_chains(pool, places, sizes, before)
    data = np.empty(int(sizes.sum()), dtype=np.uint8)
    copy_chains(pool, sizes, data)
    expected = [followed(pool, candidate) for candidate in range(pool.head.size)]
    assert [len(chain) for chain in expected] == sizes.tolist()
    assert data.tolist() == [byte for chain in expected for byte in chain]
    for candidate, mark in marks.items():
        shorter = pool._replace(tail=np.where(np.arange(pool.tail.size) == candidate, mark, 0))
        assert len(followed(shorter, candidate)) == before[candidate]


@given(filled())
def test_chains_in_other_blocks_read_the_same(case):
    hypothesis, marks = case
    pool, room = hypothesis.pool, hypothesis.pool.head.size
    gathered = chains.gathered(pool, 6, marks)
    back, positions = chains.scattered(gathered, pool, room, 100)
    assert [followed(pool, c) for c in range(room)] == [followed(back, c) for c in range(room)]
    again = chains.gathered(back, 6, positions)
    for one, other in zip(gathered, again, strict=True):
        np.testing.assert_array_equal(one, other)
    used = sum(len(followed(back, c)) // BLOCK + 1 for c in range(room) if back.head[c] >= 0)
    assert back.free.tolist() == [used, max(used, 100) - used]


def test_suffixes_behind_a_mark_are_counted():
    ends = np.array([False, True, True])
    held = chains.Chains(
        np.array([0, 1, 0, 1, 0, 2, 0], dtype=np.uint8), np.array([0, 4, 3]), np.array([0, 2, 0])
    )
    assert held.suffixes_behind(ends).tolist() == [0, 1, 1]
    assert held.incomplete(ends) == [2]
