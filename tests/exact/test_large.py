"""Processes with many states are solved by sweeps; the result is the same."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nonmarkov as nm
from nonmarkov.exact import solving
from nonmarkov.testing.strategies import policies, processes


@pytest.fixture
def sweeping(monkeypatch):
    monkeypatch.setattr(solving, "LARGEST_MATRIX", 0)


@given(st.data())
def test_sweeps_give_the_same_values(data):
    process = data.draw(processes())
    policy = data.draw(policies(process))
    direct = solving.evaluate(process.tables, policy.table)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(solving, "LARGEST_MATRIX", 0)
        swept = solving.evaluate(process.tables, policy.table)
    np.testing.assert_allclose(swept, direct, rtol=1e-10, atol=1e-10)


def test_published_configurations_by_sweeps(published):
    direct = solving.solve(published.tables).values
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(solving, "LARGEST_MATRIX", 0)
        swept = solving.solve(published.tables).values
    np.testing.assert_allclose(swept, direct, rtol=1e-12, atol=1e-12)


def test_an_episode_that_ends_only_at_the_goal(sweeping):
    """Without random stopping: a walk whose expected length is known, 1 / 0.01."""

    def outcomes(state, action):
        return [(0.99, "on", 1.0, state), (0.01, "off", 1.0, None)]

    process = nm.RegularProcess.from_outcomes(0, ["go"], outcomes, horizon=5)
    assert process.optimal_value == pytest.approx(100.0, rel=1e-11)


def test_a_corridor_of_thousands():
    process = nm.domain("enemy_corridor", k=1000)
    assert process.n_states == 2000
    values = process.solution.values
    backed_up = solving.action_values(process.tables, values).max(axis=1)
    np.testing.assert_allclose(values, backed_up, rtol=1e-12)
