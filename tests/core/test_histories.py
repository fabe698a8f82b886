"""The paper's functions of histories, against their recursive definitions."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nonmarkov as nm
from nonmarkov import histories
from nonmarkov.errors import AlphabetError, ImpossibleHistoryError
from nonmarkov.testing.strategies import policies, processes

from ..reference import exact as reference


@settings(max_examples=20)
@given(processes(max_states=4, max_actions=2))
def test_dynamics_sum_to_one(process):
    for history in reference.all_histories(process, 2):
        for action in process.actions:
            assert sum(histories.dynamics(process, history, action).values()) == pytest.approx(1.0)


@settings(max_examples=20)
@given(st.data())
def test_values_satisfy_the_paper_recursions(data):
    process = data.draw(processes(max_states=4, max_actions=2))
    policy = data.draw(policies(process))
    for history in reference.all_histories(process, 1):
        worth = {}
        policy_value = 0.0
        memory = policy.automaton.state_of(history)
        for i, action in enumerate(process.actions):
            chances = histories.dynamics(process, history, action)
            going_on = [(p, o) for o, p in chances.items() if o is not nm.END]
            worth[action] = sum(
                p * (o[1] + histories.optimal_value(process, [*history, (action, *o)]))
                for p, o in going_on
            )
            policy_value += policy.table[memory, i] * sum(
                p * (o[1] + histories.value(process, policy, [*history, (action, *o)]))
                for p, o in going_on
            )
            assert histories.optimal_action_value(process, history, action) == pytest.approx(
                worth[action], abs=1e-9
            )
        assert histories.optimal_value(process, history) == pytest.approx(
            max(worth.values()), abs=1e-9
        )
        assert histories.value(process, policy, history) == pytest.approx(policy_value, abs=1e-9)


@settings(max_examples=15)
@given(st.data())
def test_episode_probabilities_of_one_length_sum_to_the_chance_of_ending_there(data):
    process = data.draw(processes(max_states=3, max_actions=2, max_observations=2))
    policy = data.draw(policies(process))
    total = sum(
        histories.remainder_probability(process, policy, [*h, (a, nm.END, 0.0)])
        for h in reference.all_histories(process, 3)
        for a in process.actions
    )
    # Random stopping is the only ending: episodes of at most four actions.
    assert total == pytest.approx(1 - (1 - process.stop) ** 4, abs=1e-9)


def test_dynamics_after_a_history(weather):
    answers = histories.dynamics(weather, [("fast", "skidded", 0.0)], "fast")
    assert answers == pytest.approx(
        {("arrived", 3.0): 0.1 * 10 / 11, ("skidded", 0.0): 0.9 * 10 / 11, nm.END: 1 / 11}
    )


def test_the_goal_is_followed_by_termination_for_sure():
    grid = nm.domain("flickering_grid", start=(3, 3))
    assert histories.dynamics(grid, [("up", "blank", 100.0)], "up") == {nm.END: 1.0}


def test_an_impossible_history_is_refused(weather):
    with pytest.raises(ImpossibleHistoryError, match="step 1"):
        histories.state_after(weather, [("slow", "arrived", 1.0), ("slow", "skidded", 0.0)])


@pytest.mark.parametrize("symbol", [("slow", "arrived"), "abc", 5])
def test_a_symbol_has_three_parts(weather, symbol):
    with pytest.raises(AlphabetError, match=r"step 0: expected \(action, observation, reward\)"):
        histories.state_after(weather, [symbol])
    with pytest.raises(AlphabetError, match="step 0 of the remainder: expected"):
        histories.remainder_probability(weather, weather.optimal_policy, [symbol])


def test_a_history_cannot_hold_termination(weather):
    with pytest.raises(AlphabetError, match="before termination"):
        histories.dynamics(weather, [("slow", nm.END, 0.0)], "slow")


def test_nothing_follows_termination(weather):
    over = [("slow", nm.END, 0.0), ("slow", "arrived", 1.0)]
    with pytest.raises(AlphabetError, match="Nothing follows termination"):
        histories.remainder_probability(weather, weather.optimal_policy, over)


def test_an_impossible_remainder_has_probability_zero(weather):
    uniform = nm.Policy.uniform(weather.automaton)
    assert histories.remainder_probability(weather, uniform, [("slow", "skidded", 0.0)]) == 0.0
