"""A run is named by everything that its results depend on."""

import hashlib
import json
import pickle

import numpy as np
import pytest

from nonmarkov import errors
from nonmarkov.results.specification import RunSpec


def test_the_name_is_a_hash_of_the_canonical_text():
    spec = RunSpec("rotating_mab", {"k": 2}, "paper", 3, 500, {"m": 10})
    content = {
        "format": 1,
        "domain": "rotating_mab",
        "parameters": {
            "k": 2,
            "win_probabilities": [0.9, 0.2],
            "reward": 100.0,
            "horizon": 10,
            "stop": 1 / 11,
        },
        "method": "paper",
        "seed": 3,
        "episodes": 500,
        "settings": {"m": 10},
    }
    assert spec.to_content() == content
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    assert spec.name == hashlib.sha256(text.encode()).hexdigest()[:16]


@pytest.mark.parametrize(
    "change",
    [
        {"domain": "reset_rotating_mab"},
        {"parameters": {"k": 3}},
        {"method": "paper"},
        {"seed": 1},
        {"episodes": 7},
        {"settings": {"epsilon": 0.1}},
    ],
)
def test_every_field_counts(change):
    plain = {"domain": "rotating_mab", "parameters": {}, "episodes": 100}
    assert RunSpec(**plain).name != RunSpec(**(plain | change)).name


def test_the_same_run_has_one_name_however_it_is_written():
    variants = [
        RunSpec.of("rotating_mab"),
        RunSpec.of("rotating_mab", {"k": 2}),
        RunSpec.of("rotating_mab", {"reward": 100, "win_probabilities": (0.9, 0.2)}),
        RunSpec.of("rotating_mab", {"win_probabilities": [0.9, np.float64(0.2)]}),
        RunSpec.of("rotating_mab", settings={"epsilon": 0.2, "evaluate_every": None}),
    ]
    assert len(set(variants)) == 1
    assert len({spec.name for spec in variants}) == 1


def test_published_settings_are_left_out():
    assert RunSpec.of("rotating_mab", {"k": 2}, "paper", settings={"n": 10}).settings == {}
    assert RunSpec.of("rotating_mab", {"k": 2}, "paper", settings={"n": 9}).settings == {"n": 9}


def test_it_survives_files_and_processes():
    spec = RunSpec.of("rotating_maze", {"k": 1}, "paper", 5, settings={"v_max": 3.0})
    assert RunSpec.from_content(json.loads(json.dumps(spec.to_content()))) == spec
    assert pickle.loads(pickle.dumps(spec)) == spec


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"domain": "rotating_map"}, "rotating_mab"),
        ({"domain": 3}, "domain must be a name"),
        ({"parameters": {"q": 1}}, "Unknown parameter"),
        ({"parameters": [1]}, "parameters must be a table"),
        ({"parameters": {"k": float("nan")}}, "parameters must hold numbers"),
        ({"seed": -1}, "seed must be at least 0"),
        ({"seed": 1.5}, "seed must be an integer"),
        ({"episodes": 0}, "episodes must be at least 1"),
        ({"settings": {"planner": object()}}, "settings must hold numbers"),
    ],
)
def test_mistakes_are_named(change, text):
    with pytest.raises(errors.NonMarkovError, match=text):
        RunSpec(**({"domain": "rotating_mab"} | change))


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"method": "papre"}, "paper"),
        ({"settings": {"mu": 0.1, "n": 3}}, "setting of the paper"),
        ({"settings": {"epsilom": 0.1}}, "epsilon"),
        ({"settings": {"epsilon": -1}}, "epsilon must be positive"),
    ],
)
def test_the_agent_would_complain_too(change, text):
    with pytest.raises(errors.NonMarkovError, match=text):
        RunSpec.of(**({"domain": "rotating_mab"} | change))


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content.pop("seed"),
        lambda content: content.update(more=1),
        lambda content: content.update(format=2),
        lambda content: content.update(episodes="many"),
        lambda content: content.update(domain="nowhere"),
        lambda content: content.update(parameters=None),
    ],
)
def test_foreign_contents_are_refused(damage):
    content = RunSpec("rotating_mab").to_content()
    damage(content)
    with pytest.raises(errors.FileFormatError, match=r"spec\.json"):
        RunSpec.from_content(content, "spec.json")
