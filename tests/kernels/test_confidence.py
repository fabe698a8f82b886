"""Values at the edges of what counts allow, against a slow twin and exact values."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nonmarkov as nm
from nonmarkov.exact.tables import PADDING
from nonmarkov.kernels import confidence
from nonmarkov.testing import random_process
from nonmarkov.testing.strategies import seeds

from ..reference import apartness as reference

WIDTHS = st.sampled_from([0.003, 0.03, 0.3, 1.0, 3.0])


def situation(seed, kinds):
    """Shares, and gains of which some are negative and some equal."""
    rng = np.random.default_rng(seed)
    share = rng.dirichlet(np.ones(kinds))
    return share, rng.integers(-3, 4, kinds).astype(float)


# --- one pair of state and action -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("kinds", "steps", "missed"), [(1, 2000, 0.01), (2, 180, 0.15), (3, 36, 0.5)]
)
@settings(max_examples=8)
@given(seed=seeds, width=WIDTHS, unseen=st.sampled_from([-5.0, 0.5, 4.0]))
def test_the_highest_mean_equals_its_twin(kinds, steps, missed, seed, width, unseen):
    """The shares lie on the grid, and the very best p at most that far beyond it."""
    rng = np.random.default_rng(seed)
    share = (1 + rng.multinomial(12 - kinds, np.full(kinds, 1.0 / kinds))) / 12
    gain = rng.integers(-3, 4, kinds).astype(float)
    found = confidence.highest_mean(share, gain, unseen, width)
    expected = reference.highest_mean(share, gain, unseen, width, steps)
    assert expected - 1e-9 <= found <= expected + missed


@given(seed=seeds, width=WIDTHS)
def test_a_coin_is_taken_to_the_edge_exactly(seed, width):
    """Of all p from share on, the divergence grows: so the largest is found by halving."""
    share, _ = situation(seed, 2)
    low, high = share[0], 1.0
    for _ in range(100):
        middle = 0.5 * (low + high)
        inside = reference.divergence(share, [middle, 1.0 - middle]) <= width
        low, high = (middle, high) if inside else (low, middle)
    gain = np.array([1.0, 0.0])
    assert confidence.highest_mean(share, gain, 0.0, width) == pytest.approx(low, abs=1e-6)


@given(seed=seeds, kinds=st.integers(1, 5), unseen=st.sampled_from([-5.0, 0.5, 100.0]))
def test_with_width_zero_it_is_the_plain_mean(seed, kinds, unseen):
    share, gain = situation(seed, kinds)
    found = confidence.highest_mean(share, gain, unseen, 0.0)
    assert found == pytest.approx(share @ gain, abs=1e-5 * max(1.0, abs(unseen)))


@given(seed=seeds, kinds=st.integers(1, 5), unseen=st.sampled_from([-5.0, 0.5, 9.0]))
def test_it_grows_with_the_width_up_to_the_best_outcome(seed, kinds, unseen):
    share, gain = situation(seed, kinds)
    widths = [0.0, 1e-6, 1e-3, 0.01, 0.1, 1.0, 10.0, 50.0, math.inf]
    found = [confidence.highest_mean(share, gain, unseen, width) for width in widths]
    assert (np.diff(found) >= -1e-5).all()
    assert found[-1] == pytest.approx(max(unseen, gain[share > 0.0].max()))


def test_outcomes_never_seen_get_mass_when_they_are_best():
    """KL((1, 0) ‖ (1 - x, x)) = -ln(1 - x), so x = 1 - exp(-width)."""
    share, gain = np.array([1.0]), np.array([2.0])
    for width in (0.01, 0.5, 3.0):
        mass = 1.0 - math.exp(-width)
        expected = (1.0 - mass) * 2.0 + mass * 10.0
        assert confidence.highest_mean(share, gain, 10.0, width) == pytest.approx(expected)


def test_outcomes_never_seen_get_nothing_when_they_are_not():
    share, gain = np.array([0.5, 0.5]), np.array([0.0, 2.0])
    for width in (0.01, 0.5, 3.0):
        without = confidence.highest_mean(share, gain, -math.inf, width)
        assert confidence.highest_mean(share, gain, 1.9, width) == pytest.approx(without)


def test_gains_of_outcomes_with_share_zero_do_not_count():
    share, gain = np.array([0.5, 0.5, 0.0]), np.array([0.0, 1.0, 100.0])
    assert confidence.highest_mean(share, gain, 0.0, 5.0) <= 1.0


@given(seed=seeds, kinds=st.integers(1, 5))
def test_the_radius_is_what_its_formula_says(seed, kinds):
    counts = np.random.default_rng(seed).integers(0, 20, kinds).astype(float)
    found = confidence.radius(counts, 0.5, math.log(1.0 / 0.05))
    mixture = reference.log_mixture(counts, [0.5] * kinds)
    assert found == pytest.approx(
        math.log(1.0 / 0.05) + reference.log_likelihood(counts) - mixture, abs=1e-9
    )


def test_the_more_draws_the_narrower():
    widths = [confidence.radius(np.array([n, n]), 0.5, 3.0) / (2 * n) for n in (1.0, 10.0, 1e3)]
    assert widths[0] > 5.0 * widths[1] > 100.0 * widths[2]


# --- whole worlds ---------------------------------------------------------------------------------


def bounds(process, policy, width, sign):
    """A bound on the value of the start, from shares that are exact."""
    tables = process.tables
    first, share, gain, successor = [0], [], [], []
    for q, a in np.ndindex(tables.n_states, tables.n_actions):
        entries = np.flatnonzero(tables.outcome[q, a] != PADDING)
        share += [*tables.dynamics[q, a, entries], tables.ending[q, a]]
        gain += [*tables.gain[q, a, entries], 0.0]
        successor += [*tables.successor[q, a, entries], -1]
        first.append(len(share))
    most = max(0.0, *(sign * np.array(process.rewards))) / process.stop
    paid = max(0.0, *(sign * np.array(process.rewards)))
    values = confidence.bound_values(
        np.array(first),
        np.array(share),
        sign * np.array(gain),
        np.array(successor, dtype=np.int32),
        np.broadcast_to(width, len(first) - 1).astype(float),
        np.array(policy.rows(np.arange(tables.n_states))),
        paid + most,
        most,
        sign,
        1.0,
    )
    return sign * values[tables.start]


def worlds():
    return [
        random_process(seed, n_states=3, rewards=rewards, stop=0.2)
        for seed in range(5)
        for rewards in ((0.0, 1.0), (-1.0, 2.0), (-2.0, -1.0))
    ]


def test_without_any_width_bounds_are_exact_values():
    for process in worlds():
        uniform = nm.Policy.uniform(process.automaton)
        best = bounds(process, process.optimal_policy, 0.0, 1.0)
        assert best == pytest.approx(process.optimal_value, abs=1e-3)
        for policy in (process.optimal_policy, uniform):
            worth = bounds(process, policy, 0.0, -1.0)
            assert worth == pytest.approx(process.value(policy), abs=1e-3)


@pytest.mark.parametrize("width", [0.001, 0.1, 2.0])
def test_bounds_enclose_the_exact_value(width):
    for process in worlds():
        uniform = nm.Policy.uniform(process.automaton)
        assert bounds(process, uniform, width, 1.0) > process.optimal_value
        for policy in (process.optimal_policy, uniform):
            assert bounds(process, policy, width, -1.0) < process.value(policy)


def test_bounds_come_nearer_the_more_is_known():
    for process in worlds():
        policy = process.optimal_policy
        gaps = [
            bounds(process, policy, width, 1.0) - bounds(process, policy, width, -1.0)
            for width in (3.0, 0.3, 0.03, 0.003)
        ]
        assert gaps == sorted(gaps, reverse=True)


def test_radii_of_exact_counts_enclose_the_exact_value(weather):
    uniform = nm.Policy.uniform(weather.automaton)
    for total in (11.0, 110.0, 1100.0):
        counts = total * np.array([0.7, 0.3]) * 10.0 / 11.0
        width = confidence.radius(np.array([*counts, total / 11.0]), 0.5, math.log(20.0)) / total
        upper, lower = (bounds(weather, uniform, width, sign) for sign in (1.0, -1.0))
        assert lower < weather.value(uniform) < weather.optimal_value < upper


def test_what_was_never_tried_may_be_worth_anything():
    none = np.zeros(0)
    values = confidence.bound_values(
        np.zeros(5, dtype=np.int64),
        none,
        none,
        none.astype(np.int32),
        np.full(4, np.inf),
        np.full((2, 2), 0.5),
        8.0,
        7.0,
        1.0,
        1.0,
    )
    assert values.tolist() == [7.0, 7.0]


def test_what_the_policy_never_does_cannot_hurt_it():
    """One state, two actions: one pays 3 and ends, the other was never tried."""
    arguments = np.array([0, 1, 1]), np.ones(1), -np.full(1, 3.0), np.full(1, -1, dtype=np.int32)
    for chosen, expected in (([1.0, 0.0], 3.0), ([0.5, 0.5], 1.5), ([0.0, 1.0], 0.0)):
        values = confidence.bound_values(
            *arguments, np.array([0.0, np.inf]), np.array([chosen]), 0.0, 0.0, -1.0, 1.0
        )
        assert -values[0] == pytest.approx(expected, abs=1e-5)
