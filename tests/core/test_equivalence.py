"""Equivalence of processes, with experiments that show a difference."""

import pytest
from hypothesis import given

import nonmarkov as nm
from nonmarkov import histories
from nonmarkov.errors import AlphabetError
from nonmarkov.testing.strategies import processes


@given(processes(), processes())
def test_an_experiment_shows_a_real_difference(left, right):
    if left.actions != right.actions:
        return
    experiment = nm.distinguish(left, right)
    if experiment is None:
        assert left.minimal().n_states == right.minimal().n_states
        assert left.optimal_value == pytest.approx(right.optimal_value)
        return
    for process, chance in ((left, experiment.left), (right, experiment.right)):
        answers = histories.dynamics(process, experiment.history, experiment.action)
        assert answers.get(experiment.outcome, 0.0) == pytest.approx(chance)
    assert abs(experiment.left - experiment.right) > 1e-9


@given(processes())
def test_the_order_of_labels_does_not_matter(process):
    def outcomes(state, action):
        past = paths[state]
        for outcome, chance in histories.dynamics(process, past, action).items():
            if outcome is nm.END:
                continue
            target = histories.state_after(process, [*past, (action, *outcome)])
            paths.setdefault(target, [*past, (action, *outcome)])
            yield chance / (1 - process.stop), *outcome, target

    paths = {process.tables.start: []}
    reversed_actions = tuple(reversed(process.actions))
    other = nm.RegularProcess.from_outcomes(
        process.tables.start, reversed_actions, outcomes, stop=process.stop, horizon=3
    )
    assert nm.distinguish(process, other) is None


@pytest.mark.parametrize(
    ("name", "parameters", "length"),
    [
        ("rotating_mab", {"win_probabilities": (0.9, 0.25)}, 0),
        ("malfunction_mab", {"k": 4}, 3),
        ("cheat_mab", {"k": 4}, 3),
    ],
)
def test_a_shortest_experiment_is_found(name, parameters, length):
    experiment = nm.distinguish(nm.domain(name), nm.domain(name, **parameters))
    assert len(experiment.history) == length


def test_stopping_at_random_or_by_itself_is_the_same_process(weather):
    """Evaluation tells them apart, dynamics do not."""
    by_itself = nm.RegularProcess.from_tables(
        [[[[0.9]]]], [[[[0]]]], actions="a", observations="o", rewards=[1.0],
        termination=[[0.1]], horizon=5,
    )  # fmt: skip
    at_random = nm.RegularProcess.from_tables(
        [[[[1.0]]]], [[[[0]]]], actions="a", observations="o", rewards=[1.0], stop=0.1, horizon=5
    )
    assert nm.distinguish(by_itself, at_random) is None


def test_different_actions_cannot_be_compared(weather):
    with pytest.raises(AlphabetError, match="same actions"):
        nm.distinguish(weather, nm.domain("rotating_mab"))
