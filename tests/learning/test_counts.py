"""Exact counts count, and sketches bound, whatever the strings are."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nonmarkov.errors import InvalidParameterError
from nonmarkov.kernels import prefix_sketch
from nonmarkov.learning.counts import ExactCounts, SketchCounts
from nonmarkov.learning.settings import StreamSettings

from ..reference.stream import largest_differences, prefix_counts
from .test_similarity import END, flat, suffixes


def settings(depth, mu=0.5, counts="exact"):
    return StreamSettings(mu=mu, n=3, d=depth, counts=counts)


@given(portions=st.lists(suffixes(), min_size=1, max_size=4), depth=st.integers(1, 4))
def test_absorbing_in_portions_equals_counting_at_once(portions, depth):
    together = [string for portion in portions for string in portion]
    counts = ExactCounts(5, settings(depth))
    for portion in portions:
        counts.absorb(1, *flat(portion))
    counts.absorb(2, *flat(together))
    assert counts.reached[1].tolist() == prefix_counts(together, depth)[1]
    assert counts.compare(1, [2]).high.max() == 0.0


@given(sets=st.lists(suffixes(), min_size=2, max_size=6), depth=st.integers(1, 4))
def test_exact_counts_give_the_true_differences(sets, depth):
    counts = ExactCounts(5, settings(depth))
    for candidate, strings in enumerate(sets):
        counts.absorb(candidate, *flat(strings))
    others = list(range(1, len(sets)))
    compared = counts.compare(0, others)
    expected = [largest_differences(sets[0], sets[other], depth) for other in others]
    np.testing.assert_allclose(compared.low, expected)
    np.testing.assert_array_equal(compared.low, compared.high)


def test_the_forest_grows(monkeypatch):
    monkeypatch.setattr("nonmarkov.learning.counts.FIRST_NODES", 4)
    rng = np.random.default_rng(0)
    sets = [[(*rng.integers(0, END, 6), END) for _ in range(200)] for _ in range(3)]
    counts = ExactCounts(5, settings(5))
    for candidate, strings in enumerate(sets):
        counts.absorb(candidate, *flat(strings))
    expected = [largest_differences(sets[0], other, 5) for other in sets[1:]]
    np.testing.assert_allclose(counts.compare(0, [1, 2]).low, expected)


@given(sets=st.lists(suffixes(), min_size=2, max_size=3), depth=st.integers(1, 3))
def test_a_sketch_bounds_the_true_differences(sets, depth):
    sketch = SketchCounts(5, settings(depth, mu=1.0, counts="sketch"))
    for candidate, strings in enumerate(sets):
        sketch.absorb(candidate, *flat(strings))
    others = list(range(1, len(sets)))
    compared = sketch.compare(0, others)
    expected = np.array([largest_differences(sets[0], sets[other], depth) for other in others])
    assert (compared.low <= expected + 1e-12).all()
    assert (compared.high >= expected - 1e-12).all()


def test_the_error_of_a_sketch_is_at_most_mu_over_four():
    rng = np.random.default_rng(1)
    sets = [[(*rng.integers(0, END, 6), END) for _ in range(5000)] for _ in range(2)]
    for mu in (0.05, 0.2, 0.8):
        sketch = SketchCounts(5, settings(4, mu=mu, counts="sketch"))
        for candidate, strings in enumerate(sets):
            sketch.absorb(candidate, *flat(strings))
        compared = sketch.compare(0, [1])
        exact = largest_differences(*sets, 4)
        assert (compared.high - exact).max() <= mu / 4 + 1e-12
        assert (exact - compared.low).max() <= mu / 4 + 1e-12


def test_a_sketch_with_room_for_all_is_exact():
    strings, others = [(0, END)] * 3 + [(1, END)] * 2, [(0, END)] * 4 + [(END,)]
    sketch = SketchCounts(5, settings(2, counts="sketch"))
    sketch.absorb(1, *flat(strings))
    sketch.absorb(2, *flat(others))
    compared = sketch.compare(1, [2])
    np.testing.assert_allclose(compared.low, [largest_differences(strings, others, 2)])
    np.testing.assert_allclose(compared.high, compared.low)


def test_the_memory_of_a_sketch_does_not_grow_with_the_stream():
    rng = np.random.default_rng(2)
    sketch = SketchCounts(1000, settings(3, mu=0.1, counts="sketch"))
    exact = ExactCounts(1000, settings(3, mu=0.1))
    sizes = []
    for _ in range(4):
        strings = [tuple(rng.integers(0, 999, 4)) for _ in range(20_000)]
        sketch.absorb(1, *flat(strings))
        exact.absorb(1, *flat(strings))
        sizes.append((sketch.nbytes, exact.nbytes))
    assert sizes[0][0] == sizes[-1][0] < 10**6
    assert sizes[-1][1] > 2 * sizes[0][1] > 10**7


def test_more_candidates_than_there_was_room_for():
    for kind in (ExactCounts, SketchCounts):
        name = "exact" if kind is ExactCounts else "sketch"
        counts = kind(5, settings(2, counts=name))
        for candidate in (1, 500):
            counts.absorb(candidate, *flat([(0, END), (1, END)]))
        assert counts.compare(1, [500]).high.max() == 0.0


def test_prefixes_that_do_not_fit_into_a_number_are_refused():
    with pytest.raises(InvalidParameterError, match='use counts="exact" or a smaller d'):
        SketchCounts(10**5, settings(4, counts="sketch"))


@pytest.mark.parametrize("variant", [lambda k: k, lambda k: k.py_func], ids=["jit", "py"])
@given(strings=suffixes())
def test_space_saving_keeps_its_promises(variant, strings):
    """Upper bounds that exceed the truth by at most their error; nothing frequent is missing."""
    keys, counts, errors = (np.zeros(3, dtype=np.int64) for _ in range(3))
    stream = [string[0] for string in strings]
    for key in stream:
        variant(prefix_sketch._add)(keys, counts, errors, key)
    true = Counter(stream)
    held = {k: (c, e) for k, c, e in zip(keys, counts, errors, strict=True) if c}
    assert counts.sum() == len(stream)
    for key, (count, error) in held.items():
        assert count - error <= true[key] <= count
    for key, count in true.items():
        assert key in held or count <= counts.min()
