"""Lower bounds from logs hold as often as they say, whatever policy made the log."""

import numpy as np
import pytest

import nonmarkov as nm
from nonmarkov.kernels import confidence

from ..reference.horizon import value_over

pytestmark = pytest.mark.slow

RUNS = 150
DELTA = 0.2


def lopsided(process, rng):
    """Any policy on the hidden states may have made a log."""
    automaton = process.policy(dict.fromkeys(process.states, process.actions[0])).automaton
    table = rng.dirichlet(np.full(len(process.actions), 0.7), automaton.n_states)
    return nm.Policy(automaton, 0.9 * table + 0.1 / len(process.actions))


def outcomes_of(process, episodes, runs):
    """How often the condition was met, and then the bound failed, and was better than nothing."""
    right, failed, useful = 0, 0, 0
    for seed in range(runs):
        rng = np.random.default_rng([seed, episodes])
        log = process.sample(episodes, policy=lopsided(process, rng), seed=seed)
        result = nm.learn_from_log(log, delta=DELTA, horizon=20, seed=seed)
        if result.abstraction.matches(process):
            right += 1
            failed += result.lower_bound > value_over(process, result.policy, 20)
            useful += result.lower_bound > 0.0
    return right, failed, useful


@pytest.mark.parametrize(("name", "k"), [("rotating_mab", 2), ("malfunction_mab", 3)])
@pytest.mark.parametrize("episodes", [200, 1000])
def test_the_bound_fails_no_more_often_than_it_may(name, k, episodes):
    right, failed, useful = outcomes_of(nm.domain(name, k=k), episodes, RUNS)
    assert right >= RUNS // 4  # otherwise nothing was tested
    assert useful >= right // 2
    assert failed <= DELTA * right


def test_the_test_can_fail(monkeypatch):
    """Without the radius, it is an estimate, of the policy that looks best."""
    monkeypatch.setattr(confidence, "radius", lambda *_: 0.0)
    right, failed, _ = outcomes_of(nm.domain("rotating_mab", k=2), 200, 30)
    assert failed > DELTA * right


def test_costs_are_bounded_too():
    """Every step costs 1 until the right one of two doors is opened, which a noise tells."""

    def outcomes(state, action):
        if action == "wait":
            return [(0.7, "noise", -1, state), (0.3, "silence", -1, 1 - state)]
        if (action == "left") == (state == 0):
            return [(1.0, "out", 0, None)]
        return [(1.0, "bump", -2, state)]

    process = nm.RegularProcess.from_outcomes(0, ["wait", "left", "right"], outcomes, stop=0.05)
    failed, bounds = 0, []
    for seed in range(60):
        result = nm.learn_from_log(process.sample(2000, seed=seed), delta=DELTA, horizon=15)
        if result.abstraction.matches(process):
            failed += result.lower_bound > value_over(process, result.policy, 15)
            bounds.append(result.lower_bound)
    assert len(bounds) >= 30
    assert failed <= DELTA * len(bounds)
    assert np.median(bounds) > -15 * 2.0
