"""`nonmarkov bench peers`: the same episodes for us and for Alergia."""

import json
import sys

import pytest
from click.testing import CliRunner

from nonmarkov.bench.peers import EPISODES, Comparison, compare
from nonmarkov.cli import main
from nonmarkov.errors import MissingExtraError


def invoke(*arguments):
    return CliRunner().invoke(main.cli, ["bench", "peers", *arguments])


def test_ratios_are_of_medians():
    row = Comparison("x", 1, 10, 3, (3, 4, 3), (True, False, True), (1, 2, 9), (5,) * 3, (4, 1, 9))
    assert row.ratio == 0.5
    assert row.cells[4:8] == ("3 to 4", "2 of 3", "2.00", "5")


def test_json_says_what_was_found_and_how_fast():
    pytest.importorskip("aalpy")
    (row,) = json.loads(invoke("--domain", "cheat_mab", "--seeds", "1", "--json").output)
    assert (row["domain"], row["k"], row["episodes"]) == ("cheat_mab", 4, 1000)
    assert row["exact"] == [True]
    assert row["states"] == [row["minimal"]] == [5]
    assert row["ratio"] == pytest.approx(row["seconds"][0] / row["alergia_seconds"][0])


def test_a_domain_without_a_comparison_is_refused():
    result = invoke("--domain", "flickering_grid")
    assert result.exit_code == 2
    assert "None of the compared" in result.output


def test_without_aalpy_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "aalpy.learning_algs.stochastic_passive.Alergia", None)
    with pytest.raises(MissingExtraError, match="peers"):
        list(compare([("cheat_mab", 4)], 1))


def test_every_configuration_is_a_domain():
    from nonmarkov.domains import DOMAINS

    assert all(name in DOMAINS for name, _ in EPISODES)
