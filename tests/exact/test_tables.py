"""Endings and reachability against trying everything."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nonmarkov as nm
from nonmarkov.errors import InvalidProcessError
from nonmarkov.exact.tables import Tables, endless_states

from ..reference import exact as reference


@st.composite
def tables_without_stopping(draw):
    shape = (draw(st.integers(1, 4)), 2, 2)
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    outcome = np.tile(np.array([0, 1]), (*shape[:2], 1))
    outcome[rng.random(shape[:2]) < 0.5, 1] = -1
    termination = np.where(rng.random(shape[:2]) < 0.4, 0.5, 0.0)
    probability = np.where(outcome >= 0, 1.0, 0.0)
    probability *= ((1 - termination) / probability.sum(axis=2))[:, :, None]
    successor = np.where(outcome >= 0, rng.integers(shape[0], size=shape), 0)
    return Tables(probability, outcome, successor, termination, np.array([0.0, 1.0]), 1, 0, 0.0, 5)


@given(tables_without_stopping())
def test_endless_states_equal_trying_all_policies(tables):
    assert set(endless_states(tables).tolist()) == reference.endless(tables)


def test_random_stopping_ends_everything(weather):
    assert endless_states(weather.tables).size == 0


def test_arrays_are_frozen(weather):
    with pytest.raises(ValueError, match="read-only"):
        weather.tables.probability[0, 0, 0] = 0.5


def test_a_record_does_not_share_the_callers_array(weather):
    probability = np.array(weather.tables.probability)
    fields = {
        name: getattr(weather.tables, name)
        for name in ("outcome", "successor", "termination", "rewards", "n_observations")
    }
    tables = Tables(probability=probability, start=0, stop=0.1, horizon=3, **fields)
    probability[:] = 0.0
    assert tables.probability.sum() > 0.0


def test_shapes_are_checked(weather):
    with pytest.raises(InvalidProcessError, match="one shape"):
        Tables(
            weather.tables.probability,
            weather.tables.outcome[:, :, :1],
            weather.tables.successor,
            weather.tables.termination,
            weather.tables.rewards,
            2,
            0,
            0.1,
            5,
        )


def test_goal_states_are_known():
    maze = nm.domain("rotating_maze")
    assert [maze.states[q] for q in np.flatnonzero(maze.tables.ended)] == [None]
