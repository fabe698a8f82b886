"""`learn_abstraction`: from logged episodes alone, and what it refuses or warns about."""

import warnings

import numpy as np
import pytest

import nonmarkov as nm
from nonmarkov.core import EpisodeBatch
from nonmarkov.errors import (
    AlphabetError,
    InvalidParameterError,
    NonMarkovError,
    UnvariedActionsWarning,
)


@pytest.mark.parametrize("max_steps", [None, 6])
def test_logged_episodes_are_enough(max_steps):
    """Whole ones, which end with END, and ones that were cut off, which do not."""
    process = nm.domain("rotating_mab", k=3)
    lists = list(process.sample(600, seed=0, max_steps=max_steps))
    assert max_steps is None or any(episode[-1][1] is not nm.END for episode in lists)
    abstraction = nm.learn_abstraction(lists)
    assert abstraction.n_states == 3
    assert abstraction.matches(process)
    assert abstraction.is_sound(process)


def test_lists_and_batches_are_the_same():
    batch = nm.domain("rotating_mab", k=3).sample(300, seed=0)
    found = nm.learn_abstraction(batch)
    again = nm.learn_abstraction(EpisodeBatch.from_lists(batch, batch.alphabet))
    assert found == again
    assert nm.learn_abstraction(iter(list(batch))).n_states == found.n_states


def test_no_episode_needs_to_end():
    episodes = [[("a", "o", 1.0), ("b", "o", 0.0)], [("b", "o", 0.0), ("a", "o", 1.0)]] * 20
    assert nm.learn_abstraction(episodes).n_states == 1


STEP = ("a", "o", 1.0)


@pytest.mark.parametrize(
    ("episodes", "message"),
    [
        ([], "at least one"),
        ([[]], "episode 0 is empty; an episode needs at least one step"),
        ([None, None], "episode 0: expected a list of .*, got None"),
        ([[STEP], 5], "episode 1: expected a list of .*, got 5"),
        ([[("a", nm.END, 0)], [("b", nm.END, 0)]], "hold no observation: all of their steps end"),
        ([[("a", "o", 1e300)]], "a reward must lie between"),
        ([[STEP], []], "episode 1 is empty"),
        ([[("a", ["o"], 1.0)]], "Turn it into a tuple first"),
        ([[(["a"], "o", 1.0)]], "Turn it into a tuple first"),
        ([[("a", np.array([0.25, 0.75]), 1.0)]], "Turn it into a tuple first"),
        ([[("a", float("nan"), 1.0)]], "must be finite"),
        ([[("a", "o", float("nan"))]], "a reward must be a finite number"),
        ([[("a", "o", None)]], "a reward must be a finite number"),
        ([[("a", "o")]], "episode 0, step 0: expected"),
        ([STEP], "episode 0, step 0: expected"),
        ([[("a", nm.END, 0.0), STEP]], "goes on after termination"),
        ([[STEP, ("a", nm.END, 1.0)]], "Termination pays nothing"),
    ],
)
def test_what_are_no_episodes_is_refused(episodes, message):
    with pytest.raises(NonMarkovError, match=message):
        nm.learn_abstraction(episodes)


def test_no_episodes_of_a_known_alphabet_are_refused():
    alphabet = nm.domain("rotating_mab").alphabet
    nothing = EpisodeBatch(alphabet, np.zeros(0, dtype=np.int32), np.zeros(1, dtype=np.int64))
    with pytest.raises(InvalidParameterError, match="at least one episode, got none"):
        nm.learn_abstraction(nothing)


def test_continuous_rewards_are_refused_with_advice():
    rng = np.random.default_rng(0)
    episodes = [[("ab"[i % 2], "o", float(r))] for i, r in enumerate(rng.random(1001))]
    with pytest.raises(InvalidParameterError, match=r"1,001 different rewards.* round rewards"):
        nm.learn_abstraction(episodes)
    rounded = [[(action, "o", round(reward, 1))] for ((action, _, reward),) in episodes]
    assert nm.learn_abstraction(rounded).n_states == 1


def test_continuous_observations_are_refused_with_advice():
    rng = np.random.default_rng(0)
    episodes = [[("a", float(x), 1.0)] for x in rng.random(200)]
    with pytest.raises(InvalidParameterError, match=r"200 different observations.*digitize"):
        nm.learn_abstraction(episodes)
    fresh = [[("a", i, 1.0)] for i in range(300)]
    with pytest.raises(InvalidParameterError, match="seen once"):
        nm.learn_abstraction(fresh)


@pytest.mark.parametrize("episodes", [5, None, {1: 2}, {}])
def test_what_is_no_list_is_refused(episodes):
    with pytest.raises(InvalidParameterError, match="must be an EpisodeBatch"):
        nm.learn_abstraction(episodes)


def test_symbols_must_be_known():
    alphabet = nm.domain("rotating_mab").alphabet
    with pytest.raises(AlphabetError, match="is not in the alphabet"):
        EpisodeBatch.from_lists([[STEP]], alphabet)


def test_actions_that_were_never_varied_are_warned_about():
    episodes = [[("a", "o", 1.0), ("b", "u", 0.0)]] * 30
    with pytest.warns(UnvariedActionsWarning, match="'b' in state 0, 'a' in state 1"):
        nm.learn_abstraction(episodes)


def test_the_warning_names_the_action_that_was_missing():
    process = nm.domain("rotating_mab", k=2)
    only = process.policy(dict.fromkeys(process.states, process.actions[0]))
    with pytest.warns(UnvariedActionsWarning, match=repr(process.actions[1])):
        nm.learn_abstraction(process.sample(100, policy=only, seed=0))


def test_the_warning_points_to_the_caller():
    with pytest.warns(UnvariedActionsWarning) as caught:
        nm.learn_abstraction([[("a", "o", 1.0), ("b", "u", 0.0)]] * 30)
    assert caught[0].filename == __file__


def test_varied_actions_are_not_warned_about():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nm.learn_abstraction(nm.domain("rotating_mab", k=2).sample(300, seed=0))


@pytest.mark.filterwarnings("ignore::nonmarkov.errors.UnvariedActionsWarning")
@pytest.mark.parametrize("episodes", [1, 3, 5])
def test_there_may_be_fewer_episodes_than_states(episodes):
    process = nm.domain("enemy_corridor", k=8)
    assert process.minimal().n_states > episodes
    abstraction = nm.learn_abstraction(process.sample(episodes, seed=0))
    assert abstraction.n_states >= 1


@pytest.mark.filterwarnings("ignore::nonmarkov.errors.UnvariedActionsWarning")
def test_one_step_is_an_episode():
    assert nm.learn_abstraction([[STEP]]).n_states == 1


def test_a_wrong_seed_is_named():
    with pytest.raises(InvalidParameterError, match="seed must be at least 0"):
        nm.learn_abstraction([[STEP]], seed=-1)
