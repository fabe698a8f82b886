"""The three-valued test against its formulas, computed by hand and by a slow twin."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nonmarkov.errors import InvalidParameterError
from nonmarkov.learning.counts import ExactCounts
from nonmarkov.learning.settings import StreamSettings
from nonmarkov.learning.similarity import (
    Comparison,
    Distances,
    Verdict,
    confidence,
    deviation,
    distances,
)

from ..reference import stream as reference

END = 4  # of the symbols 0 .. 4, the last one ends a string


@st.composite
def suffixes(draw):
    strings = draw(st.lists(st.lists(st.integers(0, END - 1), max_size=5), min_size=1, max_size=40))
    return [(*string, END) for string in strings]


def flat(strings):
    starts = np.cumsum([0, *map(len, strings)])
    return np.array([s for string in strings for s in string], dtype=np.int32), starts


def test_the_confidence_of_a_test_is_as_published():
    settings = StreamSettings(mu=0.1, n=10, delta=0.1)
    share = 0.1 / (2 * 8 * 10 * 12)
    assert confidence(settings, 8, 1) == pytest.approx(6 * share / math.pi**2)
    assert confidence(settings, 8, 11) == pytest.approx(6 * share / (math.pi**2 * 121))


def test_all_tests_together_stay_within_delta():
    settings = StreamSettings(mu=0.1, n=5, delta=0.1)
    per_candidate = sum(confidence(settings, 8, i) for i in range(1, 10_000))
    candidates, opponents = 5 * 8 + 1, 5 + 1
    termination = 1.5  # |AOR|^l + |A| |AOR|^(l-1) prefixes of each length instead of |AOR|^l
    assert per_candidate * candidates * opponents * termination <= 0.1


def test_the_deviation_by_hand():
    settings = StreamSettings(mu=0.1, n=10, d=2, delta=0.1)
    reached, others = np.array([400, 400, 100]), np.array([[900, 900, 900]])
    delta = confidence(settings, 8, 3)
    room = 100 * 900 / (10 + 30) ** 2
    expected = math.sqrt(math.log(4 * 2 * 8**2 / delta) / (2 * room))
    assert deviation(reached, others, settings, 8, 3)[0, 2] == pytest.approx(expected)


def test_a_length_that_one_side_never_reaches_is_judged_by_all_its_suffixes():
    settings = StreamSettings(mu=0.1, n=10, d=2, delta=0.1)
    with_none = deviation(np.array([400, 400, 0]), np.array([[900, 900, 900]]), settings, 8, 1)
    with_all = deviation(np.array([400, 400, 400]), np.array([[900, 900, 900]]), settings, 8, 1)
    np.testing.assert_allclose(with_none, with_all)


def test_two_goal_states_can_be_merged_although_nothing_follows_them():
    settings = StreamSettings(mu=0.5, n=2, d=3, delta=0.5)
    counts = ExactCounts(5, settings)
    for candidate in (1, 2):
        counts.absorb(candidate, *flat([(END,)] * 500))
    verdicts = distances(counts.compare(1, [2]), settings, 4, 1).verdicts(0.5)
    assert verdicts == [Verdict.EQUAL]


def test_equal_comes_before_distinct_before_unknown():
    answers = Distances(np.array([0.1, 0.1, -0.1]), np.array([0.3, 0.6, 0.6])).verdicts(0.5)
    assert answers == [Verdict.EQUAL, Verdict.DISTINCT, Verdict.UNKNOWN]


def test_the_bounds_of_counts_that_are_not_exact_are_kept_apart():
    settings = StreamSettings(mu=0.5, n=2, d=1, delta=0.5)
    reached = np.array([10**6, 10**6])
    comparison = Comparison(
        np.array([[0.0, 0.2]]), np.array([[0.0, 0.4]]), reached, reached[None, :]
    )
    bounds = distances(comparison, settings, 4, 1)
    assert 0.19 < bounds.least[0] < 0.2
    assert 0.4 < bounds.most[0] < 0.41


@given(one=suffixes(), two=suffixes(), depth=st.integers(1, 4), number=st.integers(1, 9))
def test_the_test_equals_its_twin(one, two, depth, number):
    settings = StreamSettings(mu=0.7, n=3, d=depth, delta=0.5)
    counts = ExactCounts(5, settings)
    counts.absorb(1, *flat(one))
    counts.absorb(2, *flat(two))
    bounds = distances(counts.compare(1, [2, 1]), settings, 4, number)
    for place, other in enumerate((two, one)):
        verdict, least, most = reference.compare(one, other, settings, 4, number)
        assert bounds.least[place] == pytest.approx(least)
        assert bounds.most[place] == pytest.approx(most)
        assert bounds.verdicts(settings.mu)[place].value == verdict


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("mu", 0.0, r"mu must lie in \(0, 1\], got 0"),
        ("mu", -0.1, "mu must lie in"),
        ("mu", 1.01, "mu must lie in"),
        ("mu", float("nan"), "mu must be a finite number"),
        ("n", 0, "n must be at least 1"),
        ("d", 0, "d must be at least 1"),
        ("d", 1.5, "d must be an integer"),
        ("alpha", 1.0, "alpha must be greater than 1"),
        ("alpha_0", 0, "alpha_0 must be at least 1"),
        ("delta", 0.0, r"delta must lie in \(0, 1\)"),
        ("delta", 1.0, r"delta must lie in \(0, 1\)"),
        ("counts", "some", "counts must be one of exact, sketch"),
        ("propagation", 1, "propagation must be True or False"),
    ],
)
def test_wrong_settings_are_named(name, value, message):
    with pytest.raises(InvalidParameterError, match=message):
        StreamSettings(**({"mu": 0.1, "n": 3} | {name: value}))


def test_a_sketch_cannot_propagate_strings():
    assert StreamSettings(0.1, 3, counts="sketch").propagation is False
    assert StreamSettings(0.1, 3).propagation is True
    with pytest.raises(InvalidParameterError, match="propagation keeps whole strings"):
        StreamSettings(0.1, 3, counts="sketch", propagation=True)


def test_milestones_are_geometric_and_never_stand_still():
    settings = StreamSettings(0.1, 3, alpha=2.0, alpha_0=128)
    assert [settings.milestone(i) for i in range(1, 5)] == [128, 256, 512, 1024]
    slow = StreamSettings(0.1, 3, alpha=1.01, alpha_0=1)
    milestones = [slow.milestone(i) for i in range(1, 200)]
    assert milestones == sorted(milestones)
    assert milestones[-1] > milestones[0]
