"""The agent that users hold."""

import os
import signal
import threading

import numpy as np
import pytest

import nonmarkov as nm
from nonmarkov.errors import InvalidParameterError, UnknownNameError
from nonmarkov.training import METHODS


class Restless(nm.MarkovAgent):
    """A planner of somebody else's: tries everything, plans again every ten visits."""

    def __init__(self):
        self.plans = 0

    def plan(self, experience):
        self.plans += 1
        shape = (experience.n_states, experience.n_actions)
        return nm.Plan(np.full(shape, 1.0 / shape[1]), experience.visits // 10 * 10 + 10)

    def exploit(self, experience):
        paid = np.zeros((experience.n_states, experience.n_actions))
        np.add.at(paid, (experience.state, experience.action), experience.reward * experience.count)
        best = paid / np.maximum(1, experience.visits)
        return np.eye(experience.n_actions)[best.argmax(axis=1)]


def content(result):
    return [point[:7] for point in result.curve]


@pytest.mark.parametrize("method", METHODS)
def test_every_method_learns_what_it_can(method):
    process = nm.domain("rotating_mab", k=2)
    result = nm.Agent(process, method, seed=1).learn(30_000)
    expected = {"rmax": (3, 30.0, 80.0)}.get(method, (2, 90.0, 90.0))
    assert result.n_states == expected[0]
    assert expected[1] - 1e-9 <= result.score <= expected[2] + 1e-9
    assert result.episodes == 30_000


def test_the_result_says_how_it_went():
    process = nm.domain("enemy_corridor", k=4)
    agent = nm.Agent(process, "paper")
    result = agent.learn(40_000)
    assert [point.episodes for point in result.curve] == [0, 15_000, 30_000, 40_000]
    assert result.curve[-1].score == result.score == pytest.approx(agent.score())
    assert result.score == pytest.approx(process.score(agent.policy))
    assert result.n_states == agent.n_states == agent.abstraction.automaton.safe.sum() == 8
    assert agent.abstraction.matches(process)
    assert agent.abstraction.is_sound(process)
    assert result.episodes_per_second == pytest.approx(40_000 / result.seconds)
    assert "score 85.0000 with 8 states after 40,000 episodes" in repr(result)


def test_steps_with_and_without_a_safe_state_are_told_apart():
    result = nm.Agent(nm.domain("flickering_grid"), "paper").learn(60_000)
    first, *others = result.curve[1:]
    assert first.safe_steps < first.outside_steps
    assert others[-1].safe_steps > first.safe_steps
    assert all(5 < point.safe_steps + point.outside_steps < 12 for point in result.curve[1:])


def test_the_sampled_score_is_near_the_exact_one():
    curve = nm.Agent(nm.domain("rotating_mab"), "oracle", evaluation_episodes=5000).learn(30_000)
    for point in curve.curve:
        assert point.sampled_score == pytest.approx(point.score, abs=1.0)


def test_the_same_seed_gives_the_same_run_and_another_one_another():
    process = nm.domain("reset_rotating_mab", k=4)
    runs = [nm.Agent(process, "paper", seed=seed).learn(20_000) for seed in (3, 3, 4)]
    assert content(runs[0]) == content(runs[1]) != content(runs[2])


def test_learning_in_pieces_is_learning_at_once():
    process = nm.domain("enemy_corridor", k=4)
    whole, pieces = nm.Agent(process, "paper", seed=5), nm.Agent(process, "paper", seed=5)
    whole.learn(30_000)
    for part in (1, 14_999, 4_000, 11_000):
        result = pieces.learn(part)
    assert result.episodes == 30_000
    assert pieces.abstraction == whole.abstraction
    assert pieces.changes == whole.changes
    assert np.array_equal(pieces.policy.table, whole.policy.table)
    assert {p.episodes for p in pieces.curve} == {0, 1, 15_000, 19_000, 30_000}


def test_evaluation_does_not_disturb_training():
    process = nm.domain("reset_rotating_mab", k=4)
    often, seldom = (nm.Agent(process, "paper", seed=2, evaluate_every=n) for n in (100, 10_000))
    often.learn(20_000)
    seldom.learn(20_000)
    assert often.changes == seldom.changes
    assert len(often.curve) == 201


@pytest.mark.parametrize("on_change", ["affected", "reset", "carry"])
@pytest.mark.parametrize("planner", ["rmax", "e3"])
def test_rules_and_planners_all_get_there(planner, on_change):
    agent = nm.Agent(
        nm.domain("rotating_mab"), "paper", m=500, planner=planner, on_change=on_change
    )
    assert agent.learn(30_000).score == pytest.approx(90.0)


def test_a_planner_of_ones_own_is_plugged_in():
    process, planner = nm.domain("rotating_mab"), Restless()
    agent = nm.Agent(process, "paper", planner=planner)
    result = agent.learn(20_000)
    assert result.score == pytest.approx(90.0)
    visits = agent._training.experience().visits
    assert planner.plans >= visits.sum() // 10
    assert not result.certificate.passed


def test_an_illegal_action_of_a_planner_is_named():
    class Illegal(Restless):
        def plan(self, experience):
            plan = super().plan(experience)
            wrong = np.full((experience.n_states, experience.n_actions + 1), 0.1)
            return nm.Plan(wrong, plan.goals) if experience.n_states else plan

    agent = nm.Agent(nm.domain("rotating_mab"), "paper", planner=Illegal())
    for _ in range(2):  # asked again, it fails again
        with pytest.raises(InvalidParameterError, match=r"policy must have shape \(1, 2\)"):
            agent.learn(10_000)
    assert agent.n_states == 1


def test_without_published_settings_it_searches_for_mu_and_n():
    process = nm.domain("rotating_mab", win_probabilities=(0.95, 0.1))
    agent = nm.Agent(process, "paper", d=1)
    result = agent.learn(40_000)
    assert agent.settings.mu is None
    assert result.n_states == 2
    assert result.score == pytest.approx(process.optimal_score)
    assert not result.certificate.passed
    assert "It cannot be certified: mu and n are searched for" in str(result.certificate)
    with pytest.raises(InvalidParameterError, match="cannot be reached: mu and n are searched"):
        agent.learn(1000, until_certified=True)


def test_a_wrong_merge_is_found_out_while_learning():
    """At first mu is so coarse that all states look the same; probes tell otherwise."""
    process = nm.domain("rotating_mab", k=4, horizon=9)
    agent = nm.Agent(process, "paper", d=1)
    agent.learn(400_000)
    assert "restart" in {change.kind for change in agent.changes}
    assert agent.abstraction.is_sound(process)
    assert agent.n_states == 4


def test_training_can_stop_when_the_policy_is_certified():
    process = nm.domain("enemy_corridor", k=4)
    result = nm.Agent(process, "paper").learn(500_000, until_certified=True)
    assert result.certificate.passed
    assert result.episodes < 100_000
    assert result.score == pytest.approx(process.optimal_score)
    assert result.certificate.gap < 0.05


def test_the_certificate_holds_when_its_assumptions_do():
    """All pairs known, the true abstraction: optimistic and pessimistic values enclose V*."""
    process = nm.domain("rotating_mab", k=3)
    result = nm.Agent(process, "oracle", m=50_000).learn(150_000)
    assert result.certificate.passed
    assert result.certificate.pessimistic == pytest.approx(process.optimal_value, rel=0.02)


def test_before_anything_is_learned_everything_is_possible():
    agent = nm.Agent(nm.domain("rotating_mab"), "paper")
    certificate = agent.certificate()
    assert (certificate.optimistic, certificate.pessimistic) == (1100.0, 0.0)
    assert not certificate.passed
    assert agent.policy.automaton.candidates == (0,)


def test_an_interrupt_ends_cleanly_and_keeps_what_was_learned():
    process = nm.domain("rotating_mab", k=3)
    agent = nm.Agent(process, "paper")
    agent.learn(1)  # compile
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    result = agent.learn(10**9)
    assert result.interrupted
    assert 1 < result.episodes == result.curve[-1].episodes < 10**9
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert not agent.learn(15_000).interrupted


def test_the_callback_sees_every_point():
    points = []
    result = nm.Agent(nm.domain("rotating_mab"), "paper").learn(40_000, callback=points.append)
    assert tuple(points) == result.curve


def test_a_progress_bar_can_be_asked_for(capfd):
    nm.Agent(nm.domain("rotating_mab"), "paper").learn(30_000, progress=True)
    assert "ep/s" in capfd.readouterr().err
    nm.Agent(nm.domain("rotating_mab"), "paper").learn(30_000)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"episodes": 0}, "episodes must be at least 1"),
        ({"episodes": 2.5}, "episodes must be an integer"),
    ],
)
def test_wrong_lengths_of_training_are_named(arguments, message):
    with pytest.raises(InvalidParameterError, match=message):
        nm.Agent(nm.domain("rotating_mab"), "paper").learn(**arguments)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"mu": 0.0}, "mu must lie in"),
        ({"mu": 1.5}, "mu must lie in"),
        ({"d": 0}, "d must be at least 1"),
        ({"delta": 0.0}, "delta must lie in"),
        ({"delta": 1.0}, "delta must lie in"),
        ({"epsilon": 0.0}, "epsilon must be positive"),
        ({"m": 0}, "m must be at least 1"),
        ({"m": "many"}, 'm must be an integer or "pac"'),
        ({"n": None}, "mu and n are given both, or neither"),
        ({"on_change": "sometimes"}, "on_change must be one of affected, reset, carry"),
        ({"v_max": "huge"}, "v_max must be one of horizon, reward"),
        ({"seed": -1}, "seed must be at least 0"),
        ({"evaluate_every": 0}, "evaluate_every must be at least 1"),
    ],
)
def test_wrong_settings_are_named(settings, message):
    with pytest.raises(InvalidParameterError, match=message):
        nm.Agent(nm.domain("rotating_mab"), "paper", **settings)


def test_unknown_methods_and_settings_get_a_suggestion():
    process = nm.domain("rotating_mab")
    with pytest.raises(UnknownNameError, match="Did you mean 'oracle'"):
        nm.Agent(process, "oracel")
    with pytest.raises(UnknownNameError, match="Did you mean 'alpha_0'"):
        nm.Agent(process, "paper", alpha0=3)
    with pytest.raises(UnknownNameError, match="Did you mean 'rmax'"):
        nm.Agent(process, "paper", planner="rmx")
    with pytest.raises(UnknownNameError, match=r"no environment 'rotating_mab'.*nm\.domain"):
        nm.Agent("rotating_mab")
    with pytest.raises(InvalidParameterError, match="a RegularProcess or an environment, got int"):
        nm.Agent(3)


def coin(stop):
    def outcomes(state, action):
        return [(0.5, "heads", 1.0, state), (0.5, "tails", 0.0, state)]

    return nm.RegularProcess.from_outcomes(0, ["toss", "wait"], outcomes, stop=stop)


@pytest.mark.parametrize("counts", ["exact", "sketch"])
def test_suffixes_longer_than_any_buffer_are_kept_whole(counts):
    """Room runs out in the middle of a suffix: what is there of it is not counted yet."""
    agent = nm.Agent(coin(1e-4), "paper", mu=0.3, n=3, d=2, counts=counts, m=5)
    result = agent.learn(1500)
    assert result.n_states == 1
    assert agent.abstraction.is_sound(agent.process)


def test_an_interrupt_is_heard_in_worlds_with_endless_episodes():
    agent = nm.Agent(coin(1e-6), "oracle")
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    assert agent.learn(10**6).interrupted
    assert agent.episodes < 1000  # of about a million steps each


def test_looking_does_not_change_what_follows():
    process = nm.domain("enemy_corridor", k=4)
    looked, other = nm.Agent(process, "paper", seed=1), nm.Agent(process, "paper", seed=1)
    for _ in range(10):
        looked.learn(3000)
        assert looked.policy.table.shape[1] == 2
        looked.certificate()
    other.learn(30_000)
    assert looked.changes == other.changes
    assert np.array_equal(looked.policy.table, other.policy.table)


def test_a_certificate_that_cannot_be_given_says_why():
    process = nm.domain("rotating_mab")
    reasons = {
        "is all that matters": nm.Agent(process, "rmax"),
        "searched for": nm.Agent(process, "paper", mu=None, n=None),
        "Restless has no bounds": nm.Agent(process, "paper", planner=Restless()),
    }
    for reason, agent in reasons.items():
        with pytest.raises(InvalidParameterError, match=reason):
            agent.learn(100, until_certified=True)
        assert not agent.certificate().passed
    few = nm.Agent(process, "paper", n=1)
    assert few.learn(40_000).n_states == 2
    assert "2 states were found, more than n = 1" in str(few.certificate())


@pytest.mark.parametrize(
    "settings",
    [
        {"epsilon": 1e-300},
        {"delta": 1e-320},
        {"mu": 1e-12},
        {"counts": "sketch", "mu": 1e-6},
        {"callback": 3},
    ],
)
def test_settings_that_no_data_could_bear_out_are_refused(settings):
    callback = settings.pop("callback", None)
    with pytest.raises(InvalidParameterError, match=r"must be|need mu"):
        nm.Agent(nm.domain("rotating_mab"), "paper", **settings).learn(500, callback=callback)


def test_a_second_test_may_be_out_of_reach():
    result = nm.Agent(nm.domain("rotating_mab"), "paper", alpha=1e30).learn(5000)
    assert result.n_states == 0


def test_everything_public_is_listed():
    assert {"Agent", "StreamLearner", "RegularProcess"} <= set(dir(nm))
    assert all(hasattr(nm, name) for name in dir(nm))


@pytest.mark.parametrize(("method", "episodes"), [("apart", 60), ("paper", 8000)])
def test_every_change_is_told_once_and_in_order(method, episodes):
    agent, told = nm.Agent(nm.domain("rotating_mab"), method), []
    agent.learn(episodes, change_callback=told.append)
    agent.learn(episodes, change_callback=told.append)
    assert tuple(told) == agent.changes
    assert len(told) > 0
    assert all("episodes" in str(change) for change in told)


def test_a_change_callback_must_be_a_function():
    with pytest.raises(nm.errors.InvalidParameterError, match="callback must be a function"):
        nm.Agent(nm.domain("rotating_mab")).learn(1, change_callback=3)
