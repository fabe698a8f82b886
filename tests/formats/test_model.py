"""Models: exact for processes, frequencies for agents."""

import numpy as np
import pytest

import nonmarkov as nm
from nonmarkov.core.automaton import UNDEFINED
from nonmarkov.formats.model import UNKNOWN, Step, model_of_experience, model_of_process


def test_a_process_lists_its_steps(weather):
    model = model_of_process(weather)
    assert model.states == ("dry", "wet")
    assert model.stop == weather.stop
    assert Step(0, 0, 1, weather.rewards.index(0.0), 0.3, 1) in model.steps
    assert model.ending(0, 0) == 0.0
    assert not model.is_over(0)


def experience(weather, start=0):
    symbol = weather.alphabet.symbol_index
    steps = [
        (0, symbol("fast", "arrived", 3.0), 6, 0),
        (0, symbol("fast", "skidded", 0.0), 3, UNDEFINED),
        (0, symbol("fast", nm.END, 0), 1, UNDEFINED),
    ]
    state, symbols, count, successor = np.array(steps).T
    visits = np.array([[10, 0]])
    return nm.Experience(weather.alphabet, start, visits, state, symbols, count, successor)


def test_an_experience_becomes_frequencies(weather):
    model = model_of_experience(experience(weather))
    rewards = weather.rewards
    assert model.states == (0, UNKNOWN)
    assert model.steps == (
        Step(0, 0, 0, rewards.index(3.0), 0.6, 0),
        Step(0, 0, 1, rewards.index(0.0), 0.3, 1),
    )
    assert model.ending(0, 0) == pytest.approx(0.1)
    assert model.ending(0, 1) == 1.0  # never tried
    assert model.is_over(1)


def test_an_undecided_start_is_unknown(weather):
    assert model_of_experience(experience(weather, UNDEFINED)).start == 1
