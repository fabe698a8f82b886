"""`nonmarkov bench environments`: a table of scores."""

import json
import sys

import pytest

from nonmarkov.bench import environments, keeping_up
from nonmarkov.bench.environments import Case
from nonmarkov.cli import main
from nonmarkov.envs.examples import TMaze


@pytest.fixture
def bench(monkeypatch, capsys):
    """Run the command on one small environment; return exit code, standard output and errors."""
    monkeypatch.setattr(environments, "CASES", {"Small T-maze": Case(TMaze, 30, "3.25")})
    monkeypatch.setattr(environments, "TRIALS", 50)

    def bench(*arguments):
        monkeypatch.setattr(sys, "argv", ["nonmarkov", "bench", "environments", *arguments])
        with pytest.raises(SystemExit) as end:
            main.run()
        captured = capsys.readouterr()
        return end.value.code, captured.out, captured.err

    return bench


def test_a_row_says_how_well_it_went(bench):
    code, output, _ = bench("--seeds", "1", "--json")
    (row,) = json.loads(output)
    assert code == 0
    assert row["name"] == "Small T-maze"
    assert row["random"] < row["score"] == row["worst"] <= 3.25
    assert row["states"] > 1


def test_the_table_is_written(bench, tmp_path):
    code, output, _ = bench("--seeds", "1", "--only", "maze", "--markdown", str(tmp_path / "t.md"))
    assert code == 0
    assert "best known" in output
    assert "| Small T-maze | 30 |" in (tmp_path / "t.md").read_text()


def test_the_pace_of_learning_is_measured(bench, monkeypatch):
    monkeypatch.setattr(keeping_up, "NAMES", ("Small T-maze",))
    monkeypatch.setattr(keeping_up, "CASES", environments.CASES)
    monkeypatch.setattr(keeping_up, "EPISODES", 30)
    code, output, _ = bench("--speed", "--json")
    (row,) = json.loads(output)
    assert code == 0
    assert row["with_learning"] < row["alone"]
    assert 1 / row["learning"] == pytest.approx(1 / row["with_learning"] - 1 / row["alone"])


def test_unknown_names_are_refused(bench):
    code, _, errors = bench("--only", "ocean")
    assert code == 2
    assert "there are Small T-maze" in errors


def test_the_memory_grid_shows_texts():
    pytest.importorskip("minigrid", reason="MINIGRID IS NOT TESTED: nonmarkov[environments]")
    from nonmarkov.envs.memory_grid import make_memory_grid

    env = make_memory_grid()
    first, _ = env.reset(seed=0)
    assert len(first.split("/")) == 4
    assert first == env.reset(seed=0)[0]
