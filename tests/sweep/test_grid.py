"""Grids from TOML files: what they expand to, and mistakes in them."""

import pytest

from nonmarkov import errors
from nonmarkov.results.specification import RunSpec
from nonmarkov.sweep import grid

EXAMPLE = """
seeds = 2
methods = ["apart", "paper"]

[[runs]]
domain = "rotating_maze"
parameters = { success = 0.95 }
vary = { k = [1, 2] }

[[runs]]
domain = ["cheat_mab", "rotating_mab"]
methods = "paper"
seeds = [7]
episodes = 500
settings = { mu = "none", n = "none" }
vary_settings = { m = [5, 6], on_change = ["reset"] }
"""


def expand(tmp_path, text):
    path = tmp_path / "grid.toml"
    path.write_text(text)
    return grid.read_grid(path)


def test_the_product_of_everything(tmp_path):
    specs = expand(tmp_path, EXAMPLE)
    assert len(specs) == 2 * 2 * 2 + 2 * 2
    maze = specs[0]
    assert (maze.domain, maze.method, maze.seed) == ("rotating_maze", "apart", 0)
    assert (maze.parameters["k"], maze.parameters["success"]) == (1, 0.95)
    assert maze.episodes == grid.DEFAULT_EPISODES
    cheat = specs[8]
    assert (cheat.domain, cheat.seed, cheat.episodes) == ("cheat_mab", 7, 500)
    assert cheat.settings == {"mu": None, "n": None, "m": 5, "on_change": "reset"}
    assert cheat == RunSpec.of("cheat_mab", {}, "paper", 7, 500, cheat.settings)


def test_the_example_of_the_module_works(tmp_path):
    example = grid.__doc__.split("\n\n", 1)[1].rsplit("\n\n", 1)[0]
    specs = expand(tmp_path, example)
    assert len(specs) == 2 * 2 * 5 + 2 * 5


def test_published_configurations_are_trained_as_published(tmp_path):
    text = 'methods = ["apart", "paper"]\n[[runs]]\ndomain = "rotating_mab"\nvary = { k = [2, 7] }'
    episodes = {(s.parameters["k"], s.method): s.episodes for s in expand(tmp_path, text)}
    assert episodes[2, "apart"] == 300
    assert episodes[2, "paper"] > 100_000
    assert episodes[7, "apart"] == episodes[7, "paper"] == grid.DEFAULT_EPISODES


def test_the_same_run_is_wanted_once(tmp_path):
    text = '[[runs]]\ndomain = "rotating_mab"\n[[runs]]\ndomain = "rotating_mab"\nvary = {k = [2]}'
    assert len(expand(tmp_path, text)) == 1


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("seeds = ", "no valid TOML"),
        ("", r"at least one table \[\[runs\]\]"),
        ("runs = 3", r"at least one table \[\[runs\]\]"),
        ("sedes = 3\n[[runs]]", "Did you mean 'seeds'"),
        ("[[runs]]", "number 1: domain is missing"),
        ('[[runs]]\ndomain = "cheat"', "cheat_mab"),
        ('[[runs]]\ndomain = "cheat_mab"\n[[runs]]\ndomain = 3', "number 2: domain must be a name"),
        ('[[runs]]\ndomain = "cheat_mab"\nmethod = "paper"', "Did you mean 'methods'"),
        ('[[runs]]\ndomain = "cheat_mab"\nmethods = ["papre"]', "Unknown method 'papre'"),
        ('[[runs]]\ndomain = "cheat_mab"\nmethods = []', "methods must be a name"),
        ('[[runs]]\ndomain = "cheat_mab"\nseeds = 0', "seeds must be at least 1"),
        ('[[runs]]\ndomain = "cheat_mab"\nseeds = []', "seeds must not be empty"),
        ('[[runs]]\ndomain = "cheat_mab"\nseeds = ["a"]', "a seed must be an integer"),
        ('[[runs]]\ndomain = "cheat_mab"\nepisodes = 0', "episodes must be at least 1"),
        ('[[runs]]\ndomain = "cheat_mab"\nvary = { k = 3 }', "vary.k must be a list"),
        ('[[runs]]\ndomain = "cheat_mab"\nvary = { k = [] }', "vary.k must be a list"),
        ('[[runs]]\ndomain = "cheat_mab"\nvary = 3', "vary must be a table"),
        ('[[runs]]\ndomain = "cheat_mab"\nparameters = { q = 3 }', "Unknown parameter of cheat"),
        (
            '[[runs]]\ndomain = "cheat_mab"\nparameters = { k = 3 }\nvary = { k = [3] }',
            "k is in parameters and in vary",
        ),
        ('[[runs]]\ndomain = "cheat_mab"\nsettings = { mu = 0.1 }', "setting of the paper"),
        ('[[runs]]\ndomain = "cheat_mab"\nparameters = { k = 1979-05-27 }', "k must be an integer"),
    ],
)
def test_mistakes_are_named(tmp_path, text, complaint):
    with pytest.raises(errors.InvalidParameterError, match=complaint) as caught:
        expand(tmp_path, text)
    assert "grid.toml" in str(caught.value)


def test_too_many_runs_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(grid, "MOST_RUNS", 9)
    with pytest.raises(errors.InvalidParameterError, match="number of runs"):
        expand(tmp_path, 'seeds = 5\n[[runs]]\ndomain = ["cheat_mab", "rotating_mab"]')
