"""`learn_from_log`: automaton, policy, lower bound, and what a log cannot tell."""

import dataclasses
import warnings

import numpy as np
import pytest

import nonmarkov as nm
from nonmarkov.errors import InvalidParameterError
from nonmarkov.logs import RESET, LoggedEpisode, from_aalpy, read_log, write_log
from nonmarkov.training.logged import LONGEST_HORIZON

from ..reference.horizon import value_over


@pytest.fixture(scope="module")
def bandit():
    process = nm.domain("rotating_mab", k=2)
    return process, nm.learn_from_log(process.sample(2000, seed=0))


def test_the_automaton_and_the_policy_are_right(bandit):
    process, result = bandit
    assert result.abstraction.matches(process)
    assert result.n_states == 2
    assert process.value(result.policy) == pytest.approx(process.optimal_value)
    assert result.portrait.automaton == result.abstraction.automaton


def test_values_are_those_of_so_many_steps(bandit):
    process, result = bandit
    exact = value_over(process, result.policy, result.horizon)
    assert result.value == pytest.approx(exact, rel=0.1)
    assert result.values[0] == result.value
    assert 0.5 * exact < result.lower_bound < exact
    uniform = nm.Policy.uniform(result.policy.automaton)
    assert result.logged_value == pytest.approx(value_over(process, uniform, 10**4), rel=0.1)


def test_the_result_is_a_frozen_record_that_can_be_printed(bandit):
    _, result = bandit
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.value = 0.0
    text = str(result)
    assert "2 states from 2,000 episodes" in text
    assert "1,000 episodes" in text
    assert f"{result.lower_bound:.4f}, provided that" in text
    assert "is a Markov abstraction" in text


def test_a_horizon_can_be_asked_for():
    process = nm.domain("rotating_mab", k=2)
    batch = process.sample(1000, seed=1)
    one, ten = (nm.learn_from_log(batch, horizon=horizon) for horizon in (1, 10))
    assert one.value == pytest.approx(90.0 * 10 / 11, rel=0.1)
    assert ten.value == pytest.approx(value_over(process, ten.policy, 10), rel=0.1)
    assert one.lower_bound < one.value < ten.lower_bound < ten.value


def test_the_same_seed_the_same_result(bandit):
    process, result = bandit
    assert nm.learn_from_log(process.sample(2000, seed=0)) == result


def test_files_and_batches_are_the_same(tmp_path, bandit):
    process, result = bandit
    write_log(tmp_path / "log.jsonl", process.sample(2000, seed=0))
    again = nm.learn_from_log(read_log(tmp_path / "log.jsonl"))
    assert again.n_states == result.n_states
    assert again.lower_bound == pytest.approx(result.lower_bound)
    assert nm.learn_abstraction(read_log(tmp_path / "log.jsonl")).matches(process)


# --- what the log cannot tell ---------------------------------------------------------------------


def careful_drive(rng):
    """Whoever has skidded goes slowly, so nobody knows what else would have happened."""
    steps, wet = [], False
    for _ in range(rng.geometric(0.1)):
        if wet or rng.random() < 0.5:
            steps.append(("slow", "late" if wet else "arrived", 1))
            wet = False
        else:
            wet = bool(rng.random() < 0.3)
            steps.append(("fast", "skidded" if wet else "arrived", 0 if wet else 3))
    return [*steps, ("slow", nm.END, 0)]


def test_actions_never_tried_are_named():
    rng = np.random.default_rng(0)
    result = nm.learn_from_log([careful_drive(rng) for _ in range(400)])
    wet = result.abstraction.step(0, "fast", "skidded", 0)
    assert result.n_states == 2
    assert result.gaps.untried == ((wet, "fast"),)
    assert any(f"'fast' in state {wet}" in statement for statement in result.gaps.statements)
    assert result.policy.act(wet) == "slow"


def test_little_data_leave_edges_in_doubt_and_states_undecided():
    result = nm.learn_from_log(nm.domain("rotating_maze").sample(100, seed=0))
    gaps = result.gaps
    assert len(gaps.rare) + len(result.abstraction.automaton.edges) == gaps.observed_edges
    assert gaps.doubtful
    assert gaps.undecided
    for line in ("Too rare for the abstraction", "Another target", "not certain that these states"):
        assert any(line in statement for statement in gaps.statements)
    assert [merge for merge in result.merges if not merge.decided] == list(gaps.doubtful)


def test_a_wrong_automaton_is_spoken_against():
    """The first half of the log is from another world, where nothing need be remembered."""
    dull = nm.domain("rotating_mab", k=2, win_probabilities=(0.55, 0.55)).sample(1000, seed=0)
    batch = nm.domain("rotating_mab", k=2).sample(1000, seed=0)
    result = nm.learn_from_log([*dull, *batch])
    assert result.n_states == 1
    assert result.gaps.doubt >= 0.0
    assert any("speak against the automaton" in line for line in result.gaps.statements)


def test_nothing_is_known_about_ends_or_rewards_that_are_not_there():
    lists = [["x", ("a", "x"), ("b", "y"), ("a", "y"), ("b", "x")]] * 40
    result = nm.learn_from_log(from_aalpy(lists))
    assert result.gaps.remarks == (
        "All episodes were cut off: nothing is known about how they end.",
        "All rewards are 0: nothing is known about what is worth doing.",
    )
    assert (result.value, result.lower_bound) == (0.0, 0.0)


# --- ends, cuts, negative rewards -----------------------------------------------------------------


def cut_at_random(batch, seed):
    """A cut that knew how the episode goes on would be an ending."""
    rng = np.random.default_rng(seed)
    return [episode[: rng.integers(1, 13)] for episode in batch]


@pytest.mark.parametrize(("name", "k"), [("rotating_mab", 3), ("enemy_corridor", 2)])
@pytest.mark.parametrize("seed", range(3))
def test_cutting_episodes_off_makes_no_states(name, k, seed):
    process = nm.domain(name, k=k)
    episodes = cut_at_random(process.sample(1500, seed=seed), seed)
    assert sum(episode[-1][1] is nm.END for episode in episodes) < 700
    abstraction = nm.learn_abstraction(episodes)
    assert abstraction.n_states == process.minimal().n_states
    assert abstraction.is_sound(process)


def test_episodes_that_never_end_have_a_value_over_their_length():
    process = nm.domain("rotating_mab", k=2)
    rng = np.random.default_rng(0)
    episodes = [episode[:-1][:5] for episode in process.sample(3000, seed=0) if len(episode) > 5]
    assert len(episodes) > 1000
    rng.shuffle(episodes)
    result = nm.learn_from_log(episodes)
    assert result.horizon == 5
    assert result.value == pytest.approx(5 * 90.0, rel=0.1)
    assert 300.0 < result.lower_bound < 450.0


def corridor(rng, right):
    """Steps cost 1, and the third to the right ends it, all in one."""
    place, steps = 0, []
    while len(steps) < 30:
        action = "right" if rng.random() < right else "left"
        place = max(0, place + (1 if action == "right" else -1))
        steps.append((action, "goal" if place == 3 else "floor", -1))
        if place == 3:
            return LoggedEpisode(steps, True, "corridor")
    return LoggedEpisode(steps, False, "corridor")


def test_costs_and_ends_that_come_with_an_outcome():
    rng = np.random.default_rng(0)
    result = nm.learn_from_log([corridor(rng, 0.6) for _ in range(3000)])
    assert result.n_states == 4  # three places, and over
    assert result.value == pytest.approx(-3.0)
    assert -4.5 < result.lower_bound < -3.0
    assert result.gaps.untried == ()
    assert any("less than -1" in condition for condition in result.conditions)
    memory = result.policy.update(result.policy.start(), "right", "floor", -1)
    assert result.policy.act(memory) == "right"


def t_maze(rng):
    """The first observation says which action will pay at the end."""
    first, *actions = rng.choice(["left", "right"], 3).tolist()
    steps = [(actions[0], "-", 0), (actions[1], "out", int(actions[1] == first))]
    return LoggedEpisode(steps, True, "t-maze", first)


def test_neither_reset_nor_what_is_over_is_warned_about():
    rng = np.random.default_rng(0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nm.learn_abstraction([t_maze(rng) for _ in range(200)])


def test_first_observations_are_remembered():
    rng = np.random.default_rng(0)
    episodes = [t_maze(rng) for _ in range(1500)]
    result = nm.learn_from_log(episodes)
    assert result.value == pytest.approx(1.0, abs=0.01)
    for first in ("left", "right"):
        memory = result.policy.update(result.policy.start(), RESET, first, 0)
        memory = result.policy.update(memory, "left", "-", 0)
        assert result.policy.act(memory) == first
    assert RESET not in {action for _, action in result.gaps.untried}


def test_words_that_are_accepted_give_the_automaton_that_accepts_them(tmp_path):
    """Words with an even number of ones."""
    rng = np.random.default_rng(0)
    words = [rng.integers(0, 2, rng.integers(0, 8)) for _ in range(600)]
    lines = [f"{1 - sum(w) % 2} {len(w)} {' '.join(map(str, w))}" for w in words]
    (tmp_path / "words").write_text("\n".join([f"{len(words)} 2", *lines]))
    abstraction = nm.learn_from_log(read_log(tmp_path / "words")).abstraction
    word = [(letter, "-", 0) for letter in "0110101"]
    even, odd = (abstraction.state_of(word[:n]) for n in (4, 6))
    assert abstraction.n_states == 3  # even, odd and over
    assert even == abstraction.start != odd


# --- a behaviour that hardly ever tries something -------------------------------------------------


def test_what_was_hardly_tried_is_not_bet_on():
    """One lucky try must not beat a thousand good ones."""
    good = [[("safe", "won" if i % 10 else "lost", float(i % 10 > 0))] for i in range(1000)]
    lucky = [[("rare", "won", 1.0)]]
    result = nm.learn_from_log([*good[:500], *lucky, *good[500:], *lucky], horizon=1)
    assert result.policy.act(result.policy.start()) == "safe"
    assert 0.8 < result.lower_bound < 0.9


# --- bad input ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"delta": 0.0}, r"delta must lie in \(0, 1\)"),
        ({"held_out": 1.0}, r"held_out must lie in \(0, 1\)"),
        ({"horizon": 0}, "horizon must be at least 1"),
        ({"seed": -1}, "seed must be at least 0"),
    ],
)
def test_wrong_arguments_are_named(options, message):
    with pytest.raises(InvalidParameterError, match=message):
        nm.learn_from_log([[("a", "o", 1.0)]], **options)


def test_one_episode_is_little_but_no_mistake():
    result = nm.learn_from_log([[("a", "o", -1.0)] * 3])
    assert result.held_out == 0
    assert result.lower_bound == -3.0
    assert LONGEST_HORIZON > result.horizon == 3
