"""Values against repeated backups, an independent library, and hand-worked numbers."""

import fcntl
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nonmarkov as nm
from nonmarkov.exact import solving
from nonmarkov.testing.strategies import policies, processes

from ..reference import exact as reference


@given(st.data())
def test_values_equal_repeated_backups(data):
    process = data.draw(processes(max_states=4))
    policy = data.draw(policies(process))
    np.testing.assert_allclose(
        solving.evaluate(process.tables, policy.table),
        reference.value(process, policy.table),
        atol=1e-9,
    )


def dense_mdp(process):
    """Reward (Q, A) and transition (Q + 1, A, Q + 1) with termination as an absorbing state."""
    tables = process.tables
    n, a = tables.n_states, tables.n_actions
    reward = np.zeros((n + 1, a))
    transition = np.zeros((n + 1, a, n + 1))
    reward[:n] = (tables.dynamics * tables.gain).sum(axis=2)
    for state, action, entry in np.ndindex(tables.probability.shape):
        successor = tables.successor[state, action, entry]
        transition[state, action, successor] += tables.dynamics[state, action, entry]
    transition[:n, :, n] = tables.ending
    transition[n, :, n] = 1.0
    return reward, transition


@cache
def quantecon_solver():
    """Import it in one process at a time: its compiled code breaks when two write it at once."""
    with open(Path(tempfile.gettempdir()) / "nonmarkov-quantecon.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        from quantecon.markov import DiscreteDP
    return DiscreteDP


def quantecon_values(process):
    # The chance of going on is the discount; the rest of every row is spent on termination, so
    # rows are divided by it and the world's own endings stay in the absorbing state.
    reward, transition = dense_mdp(process)
    keep = 1.0 - process.stop
    going_on = transition.copy()
    going_on[: process.n_states, :, -1] -= process.stop
    going_on[: process.n_states] /= keep
    result = quantecon_solver()(reward, going_on, keep).solve(method="policy_iteration")
    return result.v[:-1]


@given(processes())
def test_optimal_values_equal_quantecon(process):
    np.testing.assert_allclose(process.solution.values, quantecon_values(process), atol=1e-9)


def test_optimal_values_of_published_configurations_equal_quantecon(published):
    np.testing.assert_allclose(
        published.solution.values, quantecon_values(published), rtol=1e-11, atol=1e-9
    )


def test_optimal_policy_is_worth_the_optimal_value(published):
    assert published.value(published.optimal_policy) == pytest.approx(
        published.optimal_value, abs=1e-9
    )


@pytest.mark.parametrize(
    ("name", "parameters", "value"),
    [
        # Ten steps on average, each won with 0.9.
        ("rotating_mab", {"k": 6}, 900.0),
        ("reset_rotating_mab", {"k": 8}, 900.0),
        # Seven steps, each survived with 10/11, then the prize.
        ("flickering_grid", {}, 100 * (10 / 11) ** 7),
        # Three poor pulls, then every pull wins.
        (
            "cheat_mab",
            {"k": 3},
            20 * sum((10 / 11) ** i for i in (1, 2, 3)) + 1000 * (10 / 11) ** 3,
        ),
    ],
)
def test_optimal_values_worked_out_by_hand(name, parameters, value):
    assert nm.domain(name, **parameters).optimal_value == pytest.approx(value, abs=1e-9)


def test_negative_rewards_are_solved(weather):
    """Pay for being slow: then it is better to skid."""

    def outcomes(state, action):
        return [(1.0, "toll", -1.0, state)] if action == "pay" else [(1.0, "free", 0.0, state)]

    process = nm.RegularProcess.from_outcomes(0, ["pay", "wait"], outcomes, stop=0.25)
    assert process.optimal_value == 0.0
    always_pay = nm.Policy.greedy(process.automaton, [0])
    assert process.value(always_pay) == pytest.approx(-3.0, abs=1e-12)


def test_without_random_stopping_the_world_must_end_by_itself():
    def outcomes(state, action):
        return [(1.0, "step", 1.0, None if state == 4 else state + 1)]

    process = nm.RegularProcess.from_outcomes(0, ["on"], outcomes, horizon=10)
    assert process.optimal_value == pytest.approx(5.0, abs=1e-12)


def test_epsilon_optimality_is_exact(weather):
    worst = nm.Policy.greedy(weather.automaton, [0, 0])
    loss = weather.optimal_value - weather.value(worst)
    assert loss > 0.1
    assert weather.is_epsilon_optimal(worst, loss)
    assert not weather.is_epsilon_optimal(worst, loss - 1e-6)


def test_a_huge_penalty_elsewhere_does_not_blur_the_choice():
    """Actions worth 0, 1 and -1e11 a step: the last one must not make a tie of the others."""
    pay = {"nothing": 0.0, "one": 1.0, "ruin": -1e11}
    process = nm.RegularProcess.from_outcomes(
        0, list(pay), lambda state, action: [(1.0, "o", pay[action], state)], stop=0.1
    )
    assert process.optimal_value == pytest.approx(9.0)
    assert process.is_epsilon_optimal(process.optimal_policy, 0.0)


def test_a_pit_elsewhere_does_not_blur_the_choice():
    """From the pit there is no way out, and it costs 1e11 a step; up here it is 0 or 1."""
    pay = {"nothing": 0.0, "one": 1.0, "jump": 0.0}

    def outcomes(state, action):
        if state == "pit" or action == "jump":
            return [(1.0, "o", -1e11, "pit")]
        return [(1.0, "o", pay[action], state)]

    process = nm.RegularProcess.from_outcomes("up", list(pay), outcomes, stop=0.1)
    assert process.optimal_value == pytest.approx(9.0)
    assert process.is_epsilon_optimal(process.optimal_policy, 0.0)


def test_patience_is_not_rounded_away():
    """Half now, or nothing now and one for ever after."""
    pay = {("start", "now"): 0.5, ("later", "wait"): 1.0, ("later", "now"): 1.0}

    def outcomes(state, action):
        if action == "ruin":
            return [(1.0, "o", -1e11, state)]
        moved = "later" if action == "wait" else state
        return [(1.0, "o", pay.get((state, action), 0.0), moved)]

    process = nm.RegularProcess.from_outcomes("start", ["now", "wait", "ruin"], outcomes, stop=0.1)
    assert process.optimal_value == pytest.approx(0.9 * 9.0)


def test_small_advantages_count_over_a_long_time():
    pay = {"a": 100.0, "b": 100.000009}
    process = nm.RegularProcess.from_outcomes(
        0, ["a", "b"], lambda state, action: [(1.0, "o", pay[action], state)], stop=1 / 1001
    )
    assert process.value(process.optimal_policy) == pytest.approx(100_000.009, abs=1e-6)


def test_what_looks_like_a_tie_may_add_up():
    """A difference of 1e-8 a step is below the margin for ties, a thousand of them are not."""
    pay = {"a": 100.0, "b": 100.00000001}
    process = nm.RegularProcess.from_outcomes(
        0, ["a", "b"], lambda state, action: [(1.0, "o", pay[action], state)], stop=1 / 1001
    )
    assert process.solution.actions.tolist() == [1]


def test_ties_are_broken_by_the_first_action():
    process = nm.RegularProcess.from_outcomes(
        0, ["a", "b"], lambda state, action: [(1.0, action, 1.0, state)], stop=0.5
    )
    assert process.solution.actions.tolist() == [0]
