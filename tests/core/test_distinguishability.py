"""How far states are apart: against all strings, and in worlds worked out by hand."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nonmarkov as nm
from nonmarkov.errors import InvalidParameterError
from nonmarkov.kernels.separation import separation
from nonmarkov.testing.strategies import processes, seeds

from ..reference import separation as reference

VARIANTS = pytest.mark.parametrize("variant", [lambda k: k, lambda k: k.py_func], ids=["jit", "py"])
DEPTHS = st.integers(1, 3)


@st.composite
def mortal_processes(draw):
    """Processes that also end by themselves, more often in some states than in others."""
    process = draw(processes(max_states=4, max_actions=2, max_observations=2))
    rng = np.random.default_rng(draw(seeds))
    tables = process.tables
    ends = rng.random(tables.termination.shape) * (rng.random(tables.termination.shape) < 0.5)
    tables = replace(
        tables, probability=tables.probability * (1 - ends[:, :, None]), termination=ends
    )
    return nm.RegularProcess(process.alphabet, process.states, tables)


def apart(kernel, tables, pair, depth, enough=2.0):
    return kernel(
        tables.dynamics, tables.outcome, tables.successor, tables.ending, pair, depth, enough
    )


@VARIANTS
@given(process=mortal_processes(), depth=DEPTHS)
def test_separation_equals_its_twin(variant, process, depth):
    tables = process.tables
    listed = [reference.strings(tables, state, depth) for state in range(process.n_states)]
    for one, two in permutations(range(process.n_states), 2):
        assert apart(variant(separation), tables, (one, two), depth) == pytest.approx(
            reference.separation(listed[one], listed[two]), abs=1e-14
        )


@VARIANTS
@given(process=mortal_processes(), depth=DEPTHS, share=st.sampled_from([0.0, 0.5, 0.99, 1.01]))
def test_the_search_stops_when_it_has_found_enough(variant, process, depth, share):
    """What is below is exact, what is above is a lower bound that is large enough."""
    tables = process.tables
    for pair in permutations(range(process.n_states), 2):
        exact = apart(separation, tables, pair, depth)
        found = apart(variant(separation), tables, pair, depth, share * exact)
        assert min(share, 1.0) * exact <= found <= exact


def test_a_search_for_nothing_is_over_at_once():
    tables = nm.domain("rotating_mab", k=2).tables
    assert apart(separation, tables, (0, 1), 3, 0.0) == 0.0


@given(process=mortal_processes(), depth=DEPTHS)
def test_distinguishability_equals_its_twin(process, depth):
    expected = reference.distinguishability(process, depth)
    assert process.distinguishability(depth) == pytest.approx(expected, abs=1e-14)


@settings(max_examples=20)
@given(processes())
def test_it_equals_its_twin_where_there_are_more_symbols(process):
    expected = reference.distinguishability(process, 2)
    assert process.distinguishability(2) == pytest.approx(expected, abs=1e-14)


@given(mortal_processes())
def test_longer_prefixes_never_tell_less(process):
    values = [process.distinguishability(depth) for depth in (1, 2, 3, 4)]
    assert values == sorted(values)


@pytest.mark.parametrize("k", [2, 3, 6])
def test_arms_are_told_apart_by_a_win(k):
    """The arm that is good in one of two states: 0.9 against 0.2, pulled with 1/k."""
    process = nm.domain("rotating_mab", k=k)
    assert process.distinguishability(1) == pytest.approx((0.9 - 0.2) / k * 10 / 11)


@pytest.mark.parametrize(("depth", "value"), [(1, 0.0), (2, 0.25), (3, 0.25)])
def test_a_bell_is_heard_two_steps_ahead(depth, value):
    """It rings at every third step, and half of the steps are the last."""

    def outcomes(state, action):
        return [(1.0, "bell" if state == 2 else "tick", 0.0, (state + 1) % 3)]

    process = nm.RegularProcess.from_outcomes(0, ["wait"], outcomes, stop=0.5)
    assert process.distinguishability(depth) == pytest.approx(value)


def test_the_closest_two_states_count():
    """Three coins, with heads at 0.1, 0.5 and 0.6."""
    heads = {"first": 0.1, "second": 0.5, "third": 0.6}
    following = {"first": "second", "second": "third", "third": "third"}

    def outcomes(coin, action):
        chance = heads[coin]
        return [(chance, "heads", 1.0, following[coin]), (1 - chance, "tails", 0.0, coin)]

    process = nm.RegularProcess.from_outcomes("first", ["toss"], outcomes, stop=0.2)
    assert process.distinguishability(1) == pytest.approx(0.8 * 0.1)


def test_endings_are_symbols_too():
    """Half of the steps from the second state end; each of the five numbers tells less."""
    probability = np.zeros((2, 1, 5, 1))
    probability[0], probability[1] = 0.2, 0.1
    process = nm.RegularProcess.from_tables(
        probability,
        np.ones((2, 1, 5, 1), dtype=int),
        actions=["roll"],
        observations=range(5),
        rewards=[0.0],
        termination=[[0.0], [0.5]],
        stop=0.1,
    )
    assert process.distinguishability(1) == pytest.approx(0.9 * 0.5)


def test_an_outcome_that_only_one_state_has_tells_them_apart():
    """Whichever of the two has it."""
    probability, successor = np.zeros((2, 1, 4, 1)), np.zeros((2, 1, 4, 1), dtype=int)
    probability[0, 0, :, 0] = [0.4, 0.3, 0.3, 0.0]
    probability[1, 0, :, 0] = [0.2, 0.1, 0.1, 0.6]
    successor[0] = 1
    process = nm.RegularProcess.from_tables(
        probability, successor, actions="a", observations=range(4), rewards=[0.0], stop=0.5
    )
    assert process.distinguishability(1) == pytest.approx(0.5 * 0.6)
    for pair in ((0, 1), (1, 0)):
        assert apart(separation, process.tables, pair, 1) == pytest.approx(0.5 * 0.6)


def test_equivalent_states_count_as_one():
    """A bandit that also counts its pulls, to no effect."""
    plain = nm.domain("rotating_mab", k=2)

    def outcomes(state, arm):
        rotation, pulls = state
        chance = 0.9 if arm == rotation else 0.2
        following = (pulls + 1) % 3
        return [
            (chance, "win", 100.0, (1 - rotation, following)),
            (1 - chance, "lose", 0.0, (rotation, following)),
        ]

    counting = nm.RegularProcess.from_outcomes((0, 0), [0, 1], outcomes, stop=1 / 11)
    assert counting.n_states == 6
    for depth in (1, 3):
        assert counting.distinguishability(depth) == pytest.approx(plain.distinguishability(depth))


def test_states_out_of_reach_do_not_count():
    """The second state is next to equal to the first, but nothing leads there."""
    probability = [[[[0.5], [0.5]]], [[[0.5001], [0.4999]]], [[[0.1], [0.9]]]]
    successor = [[[[0], [2]]], [[[0], [2]]], [[[0], [2]]]]
    process = nm.RegularProcess.from_tables(
        probability, successor, actions="a", observations="xy", rewards=[0.0], stop=0.5
    )
    assert process.distinguishability(1) == pytest.approx(0.5 * 0.4)


def test_a_single_state_is_told_apart_from_nothing():
    process = nm.RegularProcess.from_outcomes(
        0, ["a"], lambda state, action: [(1.0, "o", 1.0, state)], stop=0.5
    )
    assert process.distinguishability(4) == 1.0


@pytest.mark.parametrize(
    ("depth", "complaint"),
    [
        (0, "depth must be at least 1, got 0"),
        (-1, "depth must be at least 1, got -1"),
        (1.5, "depth must be an integer, got 1.5"),
        (True, "depth must be an integer, got True"),
    ],
)
def test_prefixes_have_a_length(depth, complaint, weather):
    with pytest.raises(InvalidParameterError, match=complaint):
        weather.distinguishability(depth)


def test_the_kernel_is_compiled_once():
    nm.domain("rotating_mab", k=2).distinguishability(1)
    nm.domain("cheat_mab", k=3).distinguishability(3)
    assert len(separation.signatures) == 1
