"""The conformance checks, over the registry and over the published configurations."""

import sys

import pytest

import nonmarkov as nm
from nonmarkov.domains import DOMAINS, data_sheet
from nonmarkov.domains.domain import Domain
from nonmarkov.errors import InvalidParameterError, UnknownNameError
from nonmarkov.testing import check_domain

from ..conftest import PUBLISHED

EVERY = pytest.mark.parametrize("name", DOMAINS)


@EVERY
def test_conforms(name):
    check_domain(DOMAINS[name])


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("rotating_mab", {"k": 3, "win_probabilities": (0.6, 0.4, 0.1)}),
        ("reset_rotating_mab", {"k": 2, "win_probabilities": [0.6, 0.4]}),
        (
            "malfunction_mab",
            {"k": 1, "win_probabilities": (0.6, 0.4), "broken_win_probability": 0.1},
        ),
        ("cheat_mab", {"k": 2, "sequence": (1, 0), "cheat_win_probability": 0.7}),
        ("rotating_maze", {"k": 5, "success": 0.7, "width": 3, "height": 5, "goal": [1, 4]}),
        ("flickering_grid", {"k": 5, "flicker": 0.5, "start": (1, 1), "horizon": 15}),
        ("enemy_corridor", {"k": 7, "enemy_probabilities": (0.1, 0.6), "reward": 1}),
    ],
)
def test_conforms_with_other_parameters(name, parameters):
    check_domain(DOMAINS[name], **parameters)


@EVERY
def test_starts_with_a_data_sheet(name):
    sheet = data_sheet(name)
    for entry in (
        "actions",
        "observation",
        "reward",
        "hidden state",
        "episode",
        "optimum",
        "source",
    ):
        assert f"\n{entry}" in sheet, f"{name} does not say its {entry}."


@EVERY
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"k": 0}, "k must be at least"),
        ({"k": 2.5}, "k must be an integer"),
        ({"k": 99_999_999_999}, "k=99999999999.* makes too large a process"),
        ({"k": 10**30}, "makes too large a process"),
        ({"reward": 1e300}, "reward must lie between"),
        ({"reward": -1e300}, "reward must lie between"),
        ({"k": "3"}, "k must be an integer"),
        ({"horizon": 0}, "horizon must be at least 1"),
        ({"stop": 1.5}, "stop must be a probability"),
        ({"reward": float("nan")}, "reward must be a finite number"),
    ],
)
def test_parameters_out_of_range_are_refused(name, parameters, message):
    with pytest.raises(InvalidParameterError, match=message):
        nm.domain(name, **parameters)


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("rotating_mab", {"k": 1}, "k must be at least 2, got 1"),
        ("rotating_mab", {"k": 3, "win_probabilities": (0.5, 0.5)}, "must have 3 entries, got 2"),
        ("malfunction_mab", {"win_probabilities": (0.5, 1.5)}, r"win_probabilities\[1\] must be"),
        ("malfunction_mab", {"win_probabilities": 0.5}, "must be a list of 2 entries"),
        ("cheat_mab", {"sequence": (0, 1, 2)}, "must consist of arms 0 and 1"),
        ("cheat_mab", {"sequence": (0, 1)}, "sequence must have 3 entries"),
        ("rotating_maze", {"goal": (4, 0)}, r"goal must be a cell of the 4x4 grid, got \(4, 0\)"),
        ("rotating_mab", {"win_probabilities": ()}, "must have 2 entries, got 0"),
        ("cheat_mab", {"sequence": ([0], 0, 1)}, "must consist of arms 0 and 1"),
        ("rotating_mab", {"reward": 10**400}, "reward must be a finite number"),
        ("rotating_maze", {"start": (2, 3)}, "start and goal must differ"),
        ("flickering_grid", {"goal": (0, 0)}, "start and goal must differ"),
        ("rotating_maze", {"success": -0.1}, "success must be a probability"),
        ("flickering_grid", {"k": 4}, r"goal must be a cell of the 4x4 grid, got \(3, 4\)"),
        ("flickering_grid", {"flicker": 2}, "flicker must be a probability"),
        ("enemy_corridor", {"k": 1}, "k must be at least 2"),
        ("rotating_maze", {"width": 10**12}, "width=1000000000000, height=4 makes too large"),
        ("rotating_mab", {"k": 1001}, "1,001 hidden states times 1,001 actions are more than"),
    ],
)
def test_bad_parameters_are_refused(name, parameters, message):
    with pytest.raises(InvalidParameterError, match=message):
        nm.domain(name, **parameters)


@EVERY
def test_the_size_that_is_checked_covers_the_process(name, monkeypatch):
    """Parameters are refused for a number of states that the process really may reach."""
    sizes = []
    module = sys.modules[DOMAINS[name].__post_init__.__module__]
    monkeypatch.setattr(module, "check_size", lambda *size, **_: sizes.append(size))
    process = nm.domain(name, k=5)
    ((states, actions),) = sizes
    assert actions == len(process.actions)
    assert process.n_states <= states <= 1.1 * process.n_states


def test_arrays_are_lists_too():
    import numpy as np

    process = nm.domain("rotating_mab", win_probabilities=np.array([0.6, 0.4]))
    assert process == nm.domain("rotating_mab", win_probabilities=(0.6, 0.4))


def test_unknown_names_get_a_suggestion():
    with pytest.raises(
        UnknownNameError, match=r"Did you mean 'rotating_mab'\? Known: rotating_mab"
    ):
        nm.domain("Rotating-MAB")
    with pytest.raises(
        UnknownNameError, match=r"Unknown parameter of cheat_mab 'sequences'.*'sequence'"
    ):
        nm.domain("cheat_mab", sequences=(0, 1))


def test_domains_lists_names_and_parameters():
    listed = nm.domains()
    assert list(listed) == list(DOMAINS)
    assert listed["rotating_maze"]["goal"] == (2, 3)
    assert all(issubclass(kind, Domain) for kind in DOMAINS.values())


# The number of states that count, worked out from the definitions.
STATES = {
    "rotating_mab": lambda k: k,
    "reset_rotating_mab": lambda k: k,
    "malfunction_mab": lambda k: k + 1,
    "cheat_mab": lambda k: k + 1,
    "rotating_maze": lambda k: 15 * 4 * k + 1,
    "flickering_grid": lambda k: k * k,
    "enemy_corridor": lambda k: 2 * k,
}


@pytest.mark.parametrize(("name", "k"), PUBLISHED)
def test_number_of_states(name, k):
    assert nm.domain(name, k=k).n_states == STATES[name](k)
