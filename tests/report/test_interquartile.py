"""Interquartile means and their intervals, against slow twins."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import trim_mean

from nonmarkov.errors import InvalidParameterError
from nonmarkov.report.interquartile import (
    draw_within_strata,
    interquartile_intervals,
    interquartile_mean,
)
from tests.reference import interquartile as slow

numbers = st.floats(-1e3, 1e3).map(lambda x: round(x, 3))
strata_of_runs = st.lists(st.lists(numbers, min_size=1, max_size=6), min_size=1, max_size=5)


def column(strata):
    return [np.array(stratum)[:, None] for stratum in strata]


@given(st.lists(numbers, min_size=1, max_size=30))
def test_the_mean_is_that_of_the_middle_half(values):
    assert interquartile_mean(values) == pytest.approx(slow.interquartile_mean(values), abs=1e-9)
    assert interquartile_mean(values) == pytest.approx(trim_mean(values, 0.25), abs=1e-9)


def test_one_bad_run_of_four_does_not_count():
    assert interquartile_mean([0.0, 1.0, 1.0, 1.0]) == 1.0
    assert interquartile_mean([0.0, 1.0, 1.0]) == pytest.approx(2 / 3)


def test_means_are_taken_along_the_last_axis():
    table = np.arange(12.0).reshape(3, 4)
    assert interquartile_mean(table).tolist() == [1.5, 5.5, 9.5]


@pytest.mark.parametrize("nothing", [[], np.zeros((3, 0)), 1.0])
def test_nothing_has_no_mean(nothing):
    with pytest.raises(InvalidParameterError, match="at least one value"):
        interquartile_mean(nothing)


@given(st.lists(st.integers(1, 6), min_size=1, max_size=5), st.integers(0, 5))
def test_runs_are_drawn_within_their_stratum(sizes, seed):
    drawn = draw_within_strata(sizes, resamples=20, seed=seed)
    stratum = np.repeat(np.arange(len(sizes)), sizes)
    assert (stratum[drawn] == stratum).all()


def test_every_run_is_drawn_equally_often():
    drawn = draw_within_strata([4, 2], resamples=6000)
    shares = np.bincount(drawn.ravel(), minlength=6) / 6000
    assert shares == pytest.approx(np.ones(6), abs=0.06)


@pytest.mark.parametrize(("sizes", "message"), [([], "one stratum"), ([2, 0], "without values")])
def test_empty_strata_are_refused(sizes, message):
    with pytest.raises(InvalidParameterError, match=message):
        draw_within_strata(sizes)


@given(strata_of_runs, st.integers(0, 3))
def test_intervals_are_percentiles_of_the_means_of_the_draws(strata, seed):
    (found,) = interquartile_intervals(column(strata), resamples=50, seed=seed)
    values = [value for stratum in strata for value in stratum]
    rows = draw_within_strata(map(len, strata), 50, seed)
    assert found.estimate == pytest.approx(slow.interquartile_mean(values), abs=1e-9)
    assert (found.low, found.high) == pytest.approx(slow.interval_of_draws(values, rows), abs=1e-9)
    assert min(values) - 1e-9 <= found.low <= found.high <= max(values) + 1e-9


def test_another_generator_gives_nearly_the_same_interval():
    rng = np.random.default_rng(1)
    strata = [rng.normal(mean, 1.0, 8).tolist() for mean in (0.0, 3.0, 6.0)]
    (found,) = interquartile_intervals(column(strata), resamples=4000)
    assert (found.low, found.high) == pytest.approx(slow.bootstrap(strata, 4000, 7), abs=0.06)


def test_what_differs_between_strata_is_no_uncertainty():
    (found,) = interquartile_intervals(column([[0.0] * 5, [1.0] * 5]))
    assert found == (0.5, 0.5, 0.5)


def test_intervals_cover_about_as_often_as_they_say():
    rng = np.random.default_rng(2)
    covered = 0
    for seed in range(200):
        strata = [rng.normal(0.0, 1.0, (10, 1)) for _ in range(4)]
        (found,) = interquartile_intervals(strata, resamples=300, seed=seed)
        covered += found.low <= 0.0 <= found.high
    assert 0.87 <= covered / 200 <= 0.99


def test_columns_are_drawn_together_and_seeds_decide():
    rng = np.random.default_rng(3)
    strata = [rng.random((5, 1)).repeat(2, axis=1) for _ in range(2)]
    first, second = interquartile_intervals(strata)
    assert first == second
    assert interquartile_intervals(strata) == [first, second]
    assert interquartile_intervals(strata, seed=1) != [first, second]
