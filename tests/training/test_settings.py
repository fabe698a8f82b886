"""Settings: what was given, then what was published, then defaults; and what they turn into."""

import dataclasses
import math

import numpy as np
import pytest

import nonmarkov as nm
from nonmarkov.agents import E3, MarkovAgent, Plan, RMax
from nonmarkov.errors import InvalidParameterError, UnknownNameError
from nonmarkov.learning import AdaptiveLearner, FixedAbstraction, StreamLearner
from nonmarkov.learning.adaptive import FEWEST
from nonmarkov.training import METHODS, PUBLISHED, Settings
from nonmarkov.training.methods import assumptions, highest_value, make_planner, stopping
from nonmarkov.training.published import Publication, published_for
from nonmarkov.training.settings import make_settings

from ..conftest import PUBLISHED as CONFIGURATIONS

# From the paper: mu, n, d, m, V_max, episodes.
TABLE = {
    ("rotating_mab", 2): (0.35, 10, 1, 10_000, "horizon", 2_000_000),
    ("rotating_mab", 3): (0.23, 10, 1, 10_000, "horizon", 2_000_000),
    ("rotating_mab", 4): (0.175, 10, 1, 10_000, "horizon", 2_000_000),
    ("rotating_mab", 5): (0.14, 10, 1, 10_000, "horizon", 2_000_000),
    ("rotating_mab", 6): (0.116, 10, 1, 10_000, "horizon", 2_000_000),
    ("reset_rotating_mab", 4): (0.175, 10, 1, 1000, "horizon", 2_000_000),
    ("reset_rotating_mab", 8): (0.0874, 10, 1, 1000, "horizon", 5_000_000),
    ("malfunction_mab", 3): (0.079, 10, 4, 10_000, "horizon", 15_000_000),
    ("malfunction_mab", 5): (0.0109, 10, 6, 10_000, "horizon", 15_000_000),
    ("cheat_mab", 3): (0.049, 10, 4, 10_000, "horizon", 5_000_000),
    ("cheat_mab", 4): (0.0254, 10, 5, 10_000, "horizon", 5_000_000),
    ("rotating_maze", 1): (0.224, 100, 1, 5000, "reward", 15_000_000),
    ("rotating_maze", 2): (0.0506, 150, 2, 5000, "reward", 15_000_000),
    ("rotating_maze", 3): (0.01139, 200, 3, 5000, "reward", 15_000_000),
    ("flickering_grid", 8): (0.224, 70, 1, 10_000, "reward", 1_000_000),
    ("enemy_corridor", 2): (0.35, 4, 1, 5000, "horizon", 500_000),
    ("enemy_corridor", 4): (0.35, 8, 1, 5000, "horizon", 500_000),
    ("enemy_corridor", 8): (0.35, 16, 1, 5000, "horizon", 500_000),
    ("enemy_corridor", 16): (0.35, 32, 1, 5000, "horizon", 500_000),
    ("enemy_corridor", 32): (0.35, 64, 1, 5000, "horizon", 500_000),
    ("enemy_corridor", 64): (0.35, 128, 1, 5000, "horizon", 500_000),
    ("enemy_corridor", 128): (0.35, 256, 1, 5000, "horizon", 500_000),
}


class Drifter(MarkovAgent):
    """A planner of one's own, without a plan."""

    def plan(self, experience):
        return Plan(self.exploit(experience), experience.visits + 1000)

    def exploit(self, experience):
        return np.full(experience.visits.shape, 1.0 / experience.n_actions)


def paying(*rewards, **options):
    """Return a process of one state whose only action pays any of these rewards."""
    chance = 1.0 / len(rewards)
    return nm.RegularProcess.from_outcomes(
        "s", ["go"], lambda s, a: [(chance, f"o{r}", r, s) for r in rewards], stop=0.25, **options
    )


# --- the published table ----------------------------------------------------------------------


def test_the_published_settings_are_those_of_the_paper():
    assert {c: dataclasses.astuple(publication) for c, publication in PUBLISHED.items()} == TABLE
    assert list(PUBLISHED) == CONFIGURATIONS


@pytest.mark.parametrize(("name", "k"), TABLE)
def test_the_published_configurations_are_recognised(name, k):
    found = published_for(nm.domain(name, k=k))
    assert found == PUBLISHED[name, k]
    assert dataclasses.astuple(found) == TABLE[name, k]


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        *[
            (name, {parameter: value})
            for name in nm.domains()
            for parameter, value in {"reward": 50, "horizon": 12, "stop": 0.2}.items()
        ],
        ("rotating_mab", {"k": 7}),
        ("rotating_mab", {"k": 2, "win_probabilities": (0.9, 0.3)}),
        ("malfunction_mab", {"k": 4}),
        ("malfunction_mab", {"broken_win_probability": 0.2}),
        ("cheat_mab", {"sequence": (1, 0, 1)}),
        ("rotating_maze", {"k": 4}),
        ("rotating_maze", {"success": 0.8}),
        ("rotating_maze", {"goal": (3, 3)}),
        ("flickering_grid", {"k": 9}),
        ("flickering_grid", {"flicker": 0.3}),
        ("enemy_corridor", {"k": 3}),
        ("enemy_corridor", {"enemy_probabilities": (0.1, 0.6)}),
    ],
)
def test_other_parameters_are_not_published(name, parameters):
    assert published_for(nm.domain(name, **parameters)) is None


def test_it_does_not_matter_how_a_published_process_was_made():
    process = nm.domain("rotating_mab", k=2, win_probabilities=[0.9, 0.2], reward=100, horizon=10)
    assert published_for(process) == PUBLISHED["rotating_mab", 2]


# --- precedence -------------------------------------------------------------------------------


def test_defaults_need_no_knowledge_of_the_process():
    settings = make_settings(None, {})
    assert settings == Settings()
    assert (settings.mu, settings.n) == (None, None)
    assert (settings.epsilon, settings.delta) == (0.2, 0.2)
    assert (settings.alpha, settings.alpha_0) == (2.0, 128)
    assert (settings.evaluate_every, settings.evaluation_episodes) == (None, 50)
    assert settings.counts == "exact"
    assert settings.stream().propagation is True


def test_what_was_given_goes_before_what_was_published_and_that_before_defaults():
    publication = Publication(0.3, 12, 2, 77, "reward", 5)
    assert make_settings(publication, {}) == Settings(mu=0.3, n=12, d=2, m=77, v_max="reward")
    settings = make_settings(publication, {"mu": 0.1, "m": 5, "alpha": 3.0})
    assert settings == Settings(mu=0.1, n=12, d=2, m=5, v_max="reward", alpha=3.0)
    assert make_settings(None, {"m": 5}) == Settings(m=5)


def test_the_learner_can_be_left_to_search_where_mu_is_published():
    settings = make_settings(PUBLISHED["rotating_maze", 2], {"mu": None, "n": None})
    assert settings == Settings(d=2, m=5000, v_max="reward")


def test_agents_take_the_published_settings():
    settings = nm.Agent(nm.domain("malfunction_mab", k=5), "paper", d=2).settings
    assert settings == Settings(mu=0.0109, n=10, d=2, m=10_000, v_max="horizon")
    assert nm.Agent(nm.domain("malfunction_mab", k=4), "paper").settings == Settings()


# --- mistakes ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"mu": 0.1}, "mu and n are given both, or neither"),
        ({"n": 10}, "mu and n are given both, or neither"),
        ({"mu": 0, "n": 10}, r"mu must lie in \(0, 1\], got 0"),
        ({"mu": 2, "n": 10}, r"mu must lie in \(0, 1\], got 2"),
        ({"mu": math.nan, "n": 10}, "mu must be a finite number"),
        ({"mu": "0.1", "n": 10}, "mu must be a finite number, got '0.1'"),
        ({"mu": 0.1, "n": 0}, "n must be at least 1, got 0"),
        ({"mu": 0.1, "n": 2.5}, "n must be an integer, got 2.5"),
        ({"d": 0}, "d must be at least 1, got 0"),
        ({"m": 0}, "m must be at least 1, got 0"),
        ({"m": 10.5}, "m must be an integer, got 10.5"),
        ({"m": "many"}, "m must be an integer or \"pac\", got 'many'"),
        ({"delta": 0}, r"delta must lie in \(0, 1\), got 0"),
        ({"delta": 1}, r"delta must lie in \(0, 1\), got 1"),
        ({"epsilon": 0}, "epsilon must be positive, at least 1e-09, got 0"),
        ({"alpha": 1}, "alpha must be greater than 1, got 1"),
        ({"alpha_0": 0}, "alpha_0 must be at least 1, got 0"),
        ({"counts": "bloom"}, "counts must be one of exact, sketch, got 'bloom'"),
        ({"counts": "sketch", "propagation": True}, "switch one of them off"),
        ({"propagation": 1}, "propagation must be True or False, got 1"),
        ({"v_max": "height"}, "v_max must be one of horizon, reward, got 'height'"),
        ({"v_max": 0}, "v_max must be positive, at least 1e-09, got 0"),
        ({"v_max": math.inf}, "v_max must be a finite number"),
        ({"planner": 3}, r"planner must be a name \(rmax, e3\) or a MarkovAgent, got 3"),
        ({"planner": RMax}, "planner must be a name .* or a MarkovAgent, got <class"),
        ({"on_change": "forget"}, "on_change must be one of affected, reset, carry"),
        ({"evaluate_every": 0}, "evaluate_every must be at least 1, got 0"),
        ({"evaluation_episodes": -1}, "evaluation_episodes must be at least 1, got -1"),
    ],
)
def test_settings_out_of_range_are_refused(given, message):
    with pytest.raises(InvalidParameterError, match=message):
        make_settings(None, given)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"alpha0": 5}, r"Unknown setting 'alpha0'\. Did you mean 'alpha_0'\? Known: epsilon"),
        ({"Delta": 0.1}, "Did you mean 'delta'"),
        ({"planner": "r-max"}, r"Unknown Markov agent 'r-max'\. Did you mean 'rmax'"),
    ],
)
def test_unknown_names_get_a_suggestion(given, message):
    with pytest.raises(UnknownNameError, match=message):
        make_settings(PUBLISHED["cheat_mab", 3], given)


def test_unknown_methods_get_a_suggestion():
    with pytest.raises(UnknownNameError, match="Did you mean 'random-sampling'"):
        nm.Agent(nm.domain("cheat_mab"), "random_sampling")


# --- what the settings turn into --------------------------------------------------------------


def test_the_learner_gets_half_of_delta():
    settings = Settings(mu=0.25, n=6, d=3, alpha=1.5, alpha_0=64, delta=0.12, counts="sketch")
    assert settings.stream() == nm.StreamSettings(0.25, 6, 3, 1.5, 64, 0.06, "sketch", False)


@pytest.mark.parametrize(("name", "kind"), [("rmax", RMax), ("e3", E3)])
def test_the_planner_gets_half_of_epsilon(name, kind):
    process = nm.domain("rotating_mab", k=2)
    planner = make_planner(process, Settings(epsilon=0.4, delta=0.12, m=30, planner=name))
    assert type(planner) is kind
    assert (planner.m, planner.epsilon) == (30, 0.2)
    assert planner.p == process.stop
    assert planner.v_max == pytest.approx(1100.0)


def test_half_of_delta_is_shared_among_the_hypotheses():
    process = nm.domain("rotating_mab", k=2)
    n_symbols = process.alphabet.n_symbols
    planner = make_planner(process, Settings(mu=0.3, n=7, delta=0.2, m="pac"))
    assert planner.m == "pac"
    assert planner.delta == pytest.approx(0.1 / (1 + 7 * (n_symbols - 1)))
    assert n_symbols == 10  # 2 actions, 4 outcomes and termination
    searching = make_planner(process, Settings(delta=0.2, m="pac"))
    assert searching.delta == pytest.approx(0.1 / (1 + FEWEST * (n_symbols - 1)))


def test_a_planner_of_ones_own_is_taken_as_it_is():
    planner = Drifter()
    settings = make_settings(None, {"planner": planner})
    assert make_planner(nm.domain("rotating_mab"), settings) is planner


@pytest.mark.parametrize(
    ("v_max", "value"), [("horizon", 3.0 / 0.25), ("reward", 3.0), (7, 7.0), (0.5, 0.5)]
)
def test_v_max_comes_from_the_rewards_or_is_given(v_max, value):
    settings = Settings(v_max=v_max)
    assert highest_value(paying(0.0, 3.0, 1.0), settings) == value
    assert make_planner(paying(0.0, 3.0, 1.0), settings).v_max == value


def test_without_random_stopping_p_follows_from_the_horizon():
    process = nm.RegularProcess.from_outcomes(
        "s", ["go"], lambda s, a: [(1.0, "o", 2.0, None)], horizon=4
    )
    assert process.stop == 0.0
    assert stopping(process) == 1 / 5
    assert highest_value(process, Settings()) == 10.0
    assert stopping(paying(1.0)) == 0.25


def test_negative_rewards_are_refused_with_advice():
    process = paying(-1.5, 2.0)
    message = r"not negative, got -1\.5\. A constant added to all rewards helps, unless"
    for v_max in ("horizon", "reward", 8.0):
        with pytest.raises(InvalidParameterError, match=message):
            nm.Agent(process, "paper", v_max=v_max)


def test_a_planner_of_ones_own_may_take_any_rewards():
    for process in (paying(-1.5, 2.0), paying(0.0)):
        result = nm.Agent(process, "paper", planner=Drifter()).learn(20)
        assert result.episodes == 20
        assert not result.certificate.passed


def test_there_must_be_something_to_gain():
    for v_max in ("horizon", "reward"):
        with pytest.raises(InvalidParameterError, match="All rewards are 0"):
            nm.Agent(paying(0.0), "paper", v_max=v_max)


# --- methods ----------------------------------------------------------------------------------


def test_the_methods_that_can_be_compared():
    assert list(METHODS) == ["apart", "paper", "random-sampling", "rmax", "oracle"]
    assert [name for name, method in METHODS.items() if method.uniform] == ["random-sampling"]
    assert [name for name, method in METHODS.items() if method.given] == ["rmax", "oracle"]


@pytest.mark.parametrize("method", ["paper", "random-sampling"])
def test_mu_decides_which_learner_it_is(method):
    process = nm.domain("rotating_mab", k=2)
    make = METHODS[method].learner
    assert type(make(process, Settings(mu=0.3, n=4))) is StreamLearner
    assert type(make(process, Settings())) is AdaptiveLearner


def test_the_other_methods_are_given_their_abstraction():
    process = nm.domain("rotating_maze", k=1)
    oracle = METHODS["oracle"].learner(process, Settings())
    assert type(oracle) is FixedAbstraction
    assert nm.MarkovAbstraction(oracle.automaton).matches(process)
    assert oracle.hypothesis.n_safe == process.minimal().n_states

    rmax = METHODS["rmax"].learner(process, Settings())
    assert type(rmax) is FixedAbstraction
    # The start, and one state for every observation, whatever came before.
    assert rmax.hypothesis.n_safe == len(process.observations) + 1
    reached = {}
    for _, symbol, successor in rmax.automaton.edges.tolist():
        reached.setdefault(process.alphabet.symbol(symbol)[1], set()).add(successor)
    assert set(reached) == set(process.observations)
    assert all(len(states) == 1 for states in reached.values())
    assert len(set.union(*reached.values())) == len(process.observations)


def test_a_certificate_says_what_it_depends_on():
    process = nm.domain("rotating_mab", k=2)
    known = assumptions(process, METHODS["paper"], Settings(mu=0.3, n=4, d=2, m=3000))
    assert "prefixes of length 2 tell any two states apart by mu = 0.3" in known
    assert "the process has at most n = 4 states" in known
    assert "m = 3,000 visits make the model of a pair accurate enough" in known
    assert known[-1] == "no history is worth more than V_max = 1100"

    searched = " ".join(assumptions(process, METHODS["paper"], Settings(m="pac")))
    assert "mu =" not in searched
    assert "m =" not in searched

    for method in ("rmax", "oracle"):
        given = assumptions(process, METHODS[method], Settings())
        assert given[0] == METHODS[method].given
        assert "suffixes" not in " ".join(given)

    own = assumptions(process, METHODS["paper"], Settings(planner=Drifter()))
    assert own[-1] == "the bounds of Drifter are right"
    assert "V_max" not in " ".join(own)


def test_a_certificate_mentions_suffixes_only_where_they_are_used_again():
    process = nm.domain("rotating_mab", k=2)
    for settings, used in [
        (Settings(), True),
        (Settings(propagation=False), False),
        (Settings(counts="sketch"), False),
    ]:
        text = " ".join(assumptions(process, METHODS["paper"], settings))
        assert ("may be used again" in text) is used
