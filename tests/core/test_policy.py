"""Policies on automata."""

import numpy as np
import pytest

import nonmarkov as nm
from nonmarkov.core import UNDEFINED, Automaton
from nonmarkov.errors import AlphabetError, InvalidParameterError


def test_a_policy_is_followed_step_by_step(weather):
    policy = weather.optimal_policy
    memory = policy.start(observation=None)
    assert policy.act(memory) == "fast"
    memory = policy.update(memory, "fast", "skidded", 0.0)
    assert policy.act(memory) == "slow"
    memory = policy.update(memory, "slow", "arrived", 1.0)
    assert policy.act(memory) == "fast"
    assert policy.update(memory, "fast", nm.END, 0.0) == UNDEFINED


def test_a_policy_is_uniform_where_its_automaton_is_undefined(weather):
    partial = Automaton(weather.alphabet, 1, np.empty((0, 3)))
    policy = nm.Policy.greedy(partial, [0])
    assert policy.update(0, "fast", "skidded", 0.0) == UNDEFINED
    assert policy.update(UNDEFINED, "fast", "skidded", 0.0) == UNDEFINED
    assert policy.rows(np.array([0, UNDEFINED])).tolist() == [[1.0, 0.0], [0.5, 0.5]]
    rng = np.random.default_rng(0)
    assert {policy.act(UNDEFINED, rng) for _ in range(50)} == {"fast", "slow"}


def test_candidates_are_uniform(weather):
    candidate = Automaton(weather.alphabet, 1, np.empty((0, 3)), candidates=(0,))
    assert nm.Policy.greedy(candidate, [0]).table.tolist() == [[0.5, 0.5]]


def test_actions_are_drawn_with_their_probabilities(weather):
    policy = nm.Policy.greedy(weather.automaton, [0, 0], epsilon=0.5)
    rng = np.random.default_rng(0)
    fast = sum(policy.act(0, rng) == "fast" for _ in range(2000))
    assert abs(fast - 1500) < 5 * np.sqrt(2000 * 0.75 * 0.25)


def test_a_partial_policy_is_valued_exactly(weather):
    """Fast at first, uniform ever after: value by hand from V of the uniform policy."""
    first_only = nm.Policy.greedy(Automaton(weather.alphabet, 1, np.empty((0, 3))), [0])
    uniform = nm.Policy.uniform(weather.automaton)
    wet = nm.histories.value(weather, uniform, [("fast", "skidded", 0.0)])
    dry = nm.histories.value(weather, uniform)
    expected = 10 / 11 * (0.7 * (3.0 + dry) + 0.3 * wet)
    assert weather.value(first_only) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([[1.0, 0.0]], "shape"),
        ([[0.5, 0.4], [1.0, 0.0]], r"table\[0\] must be a distribution"),
        ([[1.0, 0.0], [1.5, -0.5]], r"table\[1\] must be a distribution"),
        ([[np.nan, 1.0], [1.0, 0.0]], r"table\[0\] must be a distribution"),
    ],
)
def test_bad_tables_are_refused(weather, table, message):
    with pytest.raises(InvalidParameterError, match=message):
        nm.Policy(weather.automaton, np.array(table))


@pytest.mark.parametrize("actions", [[0], [0, 2], [0, -1], [0.5, 0.5]])
def test_bad_actions_are_refused(weather, actions):
    with pytest.raises(InvalidParameterError, match="actions must be"):
        nm.Policy.greedy(weather.automaton, actions)


def test_a_policy_by_names(weather):
    best = weather.policy({"dry": "fast", "wet": "slow"})
    assert best == weather.optimal_policy
    assert weather.policy(lambda road: "fast" if road == "dry" else "slow") == best
    with pytest.raises(AlphabetError, match="action 'fly'"):
        weather.policy(lambda road: "fly")


@pytest.mark.parametrize("memory", ["wet", 2, -2, 0.5])
def test_an_unknown_memory_is_refused(weather, memory):
    with pytest.raises(InvalidParameterError, match="memory must be"):
        weather.optimal_policy.act(memory)


def test_a_function_is_no_policy(weather):
    with pytest.raises(InvalidParameterError, match="policy must be a Policy, got"):
        weather.sample(3, policy=lambda history: "fast")


def test_the_order_of_labels_does_not_matter(weather):
    """The same policy, written by somebody who met the labels in another order."""
    other = nm.Alphabet(("slow", "fast"), ("skidded", "arrived"), (3.0, 0.0, 1.0))
    moved = weather.optimal_policy.over(other)
    assert moved.table.tolist() == [[0.0, 1.0], [1.0, 0.0]]
    assert weather.value(moved) == weather.optimal_value
    assert weather.score(moved) == weather.optimal_score
    assert nm.histories.value(weather, moved) == pytest.approx(weather.optimal_value)
    assert weather.sample(20, policy=moved) == weather.sample(20, policy=weather.optimal_policy)
    for episode in weather.sample(5, policy=moved):
        assert nm.histories.remainder_probability(weather, moved, episode) > 0.0
