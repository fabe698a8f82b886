"""What a log cannot tell because its actions were not varied."""

import re
import warnings

import numpy as np
import pytest

import nonmarkov as nm
from nonmarkov.errors import UnvariedActionsWarning
from nonmarkov.logs.episode import LoggedEpisode


def episodes_of(choose, n=200, length=10, seed=0):
    """Random observations, and actions that follow from the time and the last observation."""
    rng = np.random.default_rng(seed)
    logged = []
    for _ in range(n):
        seen = ["begin", *rng.choice(["heads", "tails"], length).tolist()]
        logged.append([(choose(t, seen[t], rng), seen[t + 1], 0) for t in range(length)])
    return logged


def alternating(t, _seen, _rng):
    return "ab"[t % 2]


def varied(_t, _seen, rng):
    return "ab"[rng.integers(2)]


def warning_about(logged):
    with pytest.warns(UnvariedActionsWarning) as caught:
        nm.learn_abstraction(logged)
    return str(caught[0].message)


def test_actions_that_take_turns_cannot_be_compared():
    logged = episodes_of(alternating)
    message = warning_about(logged)
    assert "'a' or 'b' in state 0" in message
    assert "never tried" not in message
    gaps = nm.learn_from_log(logged).gaps
    (medley,) = gaps.variety.medleys
    assert medley.groups == (("a",), ("b",))
    assert any("Whether they are alike" in statement for statement in gaps.statements)


def test_a_third_action_that_follows_either_makes_them_comparable():
    def choose(t, _seen, rng):
        return "ab"[t % 2] if rng.random() < 0.5 else "c"

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nm.learn_abstraction(episodes_of(choose))


def test_medleys_are_what_a_look_at_every_history_says():
    """Group the actions of a state by hand: those tried after one way in belong together."""

    def choose(t, seen, rng):
        first, second = ("abc", "de") if t % 2 else ("fg", "h")
        return str(rng.choice(list(first if seen == "heads" else second)))

    logged = episodes_of(choose, n=600)
    tried = {}
    for episode in logged:
        last = None
        for step in episode:
            tried.setdefault(last, set()).add(step[0])
            last = step
    groups = []
    for actions in tried.values():
        joined = [group for group in groups if group & actions]
        groups = [group for group in groups if not group & actions]
        groups.append(actions.union(*joined))
    result = nm.learn_from_log(logged)
    assert result.n_states == 1
    (medley,) = result.gaps.variety.medleys
    assert {frozenset(group) for group in medley.groups} == {frozenset(g) for g in groups}
    assert len(groups) > 1


def test_a_log_of_one_action_says_nothing_about_others():
    def always(_t, _seen, _rng):
        return "a"

    assert "All steps take the same action, 'a'" in warning_about(episodes_of(always))


def test_a_process_that_has_one_action_only_is_known_whole():
    def toss(_state, _action):
        return [(0.5, "heads", 1, 0), (0.5, "tails", 0, 0)]

    process = nm.RegularProcess.from_outcomes(0, ["toss"], toss, stop=0.1, horizon=10)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert nm.learn_abstraction(process.sample(200, seed=0)).n_states == 1


def test_untried_actions_are_counted_by_action():
    process = nm.domain("rotating_maze")
    message = warning_about(process.sample(30, seed=0))
    assert re.search(r"'\w+' in (state \d+|\d+ of \d+ states)", message)


def test_nobody_chooses_to_reset():
    rng = np.random.default_rng(0)
    logged = [
        LoggedEpisode(steps, True, f"episode {i}", str(rng.choice(["red", "blue"])))
        for i, steps in enumerate(episodes_of(varied))
    ]
    gaps = nm.learn_from_log(logged).gaps
    assert gaps.variety.medleys == ()
    assert gaps.untried == ()
    assert gaps.variety.only == ()


@pytest.mark.parametrize("name", nm.domains())
def test_uniform_actions_are_varied(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        gaps = nm.learn_from_log(nm.domain(name).sample(300, seed=0)).gaps
    assert gaps.variety.medleys == ()
    assert gaps.variety.only == ()
