"""The exact score against the sum over all episodes, and against simulation."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nonmarkov as nm
from nonmarkov.testing.strategies import policies, processes

from ..reference import exact as reference


def with_endings(process, chance):
    """The same process with a genuine ending, so that episodes have different lengths."""
    from dataclasses import replace

    import numpy as np

    tables = process.tables
    leave = np.zeros_like(tables.termination)
    leave[:, 0] = chance
    tables = replace(
        tables, probability=tables.probability * (1 - leave[:, :, None]), termination=leave
    )
    return nm.RegularProcess(process.alphabet, process.states, tables)


@settings(max_examples=30)
@given(st.data(), st.sampled_from([0.0, 0.3, 1.0]))
def test_score_equals_the_sum_over_all_episodes(data, chance):
    process = data.draw(processes(max_states=3, max_actions=2, max_observations=2))
    process = with_endings(process, chance)
    policy = data.draw(policies(process))
    assert process.score(policy) == pytest.approx(
        reference.score(process, policy.table), rel=1e-9, abs=1e-12
    )


def test_score_of_published_configurations_fits_simulation(published):
    for policy in (published.optimal_policy, nm.Policy.uniform(published.automaton)):
        played = published.play(20_000, policy=policy, evaluation=True, seed=1)
        exact = published.score(policy)
        assert abs(played.mean - exact) <= 5 * played.error + 1e-9


@pytest.mark.parametrize(
    ("name", "k", "score"),
    [
        ("rotating_mab", 2, 90.0),
        ("malfunction_mab", 3, (8 * 80 + 2 * 20) / 10),
        ("malfunction_mab", 5, (9 * 80 + 1 * 20) / 10),
        ("cheat_mab", 4, (4 * 20 + 6 * 100) / 10),
        ("flickering_grid", 8, 100 / 7),
    ],
)
def test_scores_worked_out_by_hand(name, k, score):
    assert nm.domain(name, k=k).optimal_score == pytest.approx(score, abs=1e-9)


def test_reaching_the_goal_ends_the_episode_at_once():
    """The goal on the second step: 100 over 2 steps, although the horizon is 10."""
    process = nm.RegularProcess.from_outcomes(
        "far",
        ["go"],
        lambda state, _: (
            [(1.0, "near", 0.0, "near")] if state == "far" else [(1.0, "goal", 100.0, None)]
        ),
        stop=0.1,
        horizon=10,
    )
    assert process.optimal_score == pytest.approx(50.0)


def test_an_episode_without_any_step_scores_nothing():
    process = nm.RegularProcess.from_tables(
        [[[[0.5]]]],
        [[[[0]]]],
        actions=["go"],
        observations=["seen"],
        rewards=[10.0],
        termination=[[0.5]],
        stop=0.1,
        horizon=3,
    )
    # Half of the episodes see nothing; the others earn 10 per step.
    assert process.optimal_score == pytest.approx(5.0)
