"""Processes written as .pomdp files and read back: the same values and states."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

import nonmarkov as nm
from nonmarkov.formats.model import model_of_process
from nonmarkov.formats.pomdp_reading import parse_pomdp
from nonmarkov.formats.pomdp_writing import to_pomdp
from nonmarkov.testing.strategies import processes
from tests.conftest import SMALLEST
from tests.formats.nasty import nasty_process


def read_back(process, **options):
    model = parse_pomdp(to_pomdp(model_of_process(process)))
    return model.to_process(horizon=process.horizon, **options)


@given(process=processes())
def test_processes_come_back(process):
    back = read_back(process, sinks_end=False)  # these have states that never pay, and no endings
    assert back.optimal_value == pytest.approx(process.optimal_value, rel=1e-9, abs=1e-9)
    assert back.minimal().n_states == process.minimal().n_states
    assert back.stop == pytest.approx(process.stop)


@pytest.mark.parametrize(("name", "k"), SMALLEST)
def test_domains_come_back(name, k):
    process = nm.domain(name, k=k)
    back = read_back(process)
    assert back.optimal_value == pytest.approx(process.optimal_value)
    assert back.optimal_score == pytest.approx(process.optimal_score)
    assert back.minimal().n_states == process.minimal().n_states


@given(chance=st.floats(0.1, 0.9), paid=st.integers(-3, 3))
def test_endings_come_back(chance, paid):
    process = nm.RegularProcess.from_tables(
        [[[[1.0 - chance]], [[1.0]]], [[[0.5]], [[0.0]]]],
        [[[[1]], [[0]]], [[[0]], [[0]]]],
        termination=[[chance, 0.0], [0.5, 1.0]],
        **{"actions": ["a", "b"], "observations": ["o"], "rewards": [paid], "stop": 0.2},
    )
    back = read_back(process)
    assert back.optimal_value == pytest.approx(process.optimal_value)
    assert back.observations == ("o", "terminated")


def test_dynamics_come_back_under_their_names(weather):
    back = read_back(weather)
    symbols = [("fast", "skidded", 0.0), ("fast", "arrived", 3.0), ("slow", "arrived", 1.0)]
    for history in itertools.product(symbols, repeat=3):
        for action in weather.actions:
            expected = nm.histories.dynamics(weather, history, action)
            assert nm.histories.dynamics(back, history, action) == pytest.approx(expected)


def test_any_labels_can_be_written():
    process = nasty_process()
    back = read_back(process)
    assert len(set(back.actions)) == len(back.actions) == len(process.actions)
    assert len(set(back.observations)) == len(process.observations)
    assert back.optimal_value == pytest.approx(process.optimal_value)
    text = to_pomdp(model_of_process(process))
    assert 'is "new\\nline"' in text
    assert text.isascii()
