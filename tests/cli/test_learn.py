"""`nonmarkov learn`: a log in; states, policy, bound and gaps out."""

import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

import nonmarkov as nm
from nonmarkov.cli.main import cli
from nonmarkov.logs import FORMATS, write_log


def run(*arguments):
    return CliRunner().invoke(cli, ["learn", *map(str, arguments)], catch_exceptions=False)


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    path = tmp_path_factory.mktemp("log") / "bandit.jsonl"
    write_log(path, nm.domain("rotating_mab").sample(600, seed=0))
    return path


def test_for_people(log):
    result = run(log)
    assert result.exit_code == 0
    assert "2 states from 600 episodes" in result.output
    assert "Values over 85 steps" in result.output
    assert "it earns at least" in result.output
    assert "provided that" in result.output


def test_for_programs(log):
    content = json.loads(run(log, "--json", "--horizon", 10, "--delta", 0.2).stdout)
    expected = nm.learn_from_log(nm.read_log(log), horizon=10, delta=0.2)
    assert content["states"] == 2
    assert (content["episodes"], content["held_out"]) == (600, 300)
    assert (content["horizon"], content["delta"]) == (10, 0.2)
    assert content["lower_bound"] == expected.lower_bound
    assert content["values"] == list(expected.values)
    assert content["gaps"]["statements"] == list(expected.gaps.statements)
    assert sorted(content["actions"]) == [[0], [1]]


def test_files_that_can_be_acted_by(log, tmp_path):
    result = run(log, "--out", tmp_path / "out", "--quiet")
    assert (result.exit_code, result.output) == (0, "")
    policy = json.loads((tmp_path / "out" / "policy.json").read_text())
    expected = nm.learn_from_log(nm.read_log(log)).policy
    assert policy["states"] == expected.table.tolist()
    assert len(policy["transitions"]) == 2 * 4  # in every state, what happens after an action
    for state, action, observation, reward, following in policy["transitions"]:
        assert expected.update(state, action, observation, reward) == following
    abstraction = nm.MarkovAbstraction.load(tmp_path / "out" / "abstraction.json")
    assert abstraction.n_states == 2
    assert json.loads((tmp_path / "out" / "result.json").read_text())["states"] == 2
    assert (tmp_path / "out" / "abstraction.png").stat().st_size > 1000
    assert json.loads((tmp_path / "out" / "decisions.json").read_text())["merges"]


def test_all_formats_can_be_asked_for():
    assert f"[{'|'.join(FORMATS)}]" in run("--help").output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["bad.jsonl"], r"bad.jsonl:2, column 1: no JSON"),
        (["none.jsonl"], "none.jsonl is no file"),
        (["bad.jsonl", "--format", "csv"], "bad.jsonl:1: the column 'episode' is missing"),
        (["bad.jsonl", "--format", "xml"], "'xml' is not one of"),
        (["good.jsonl", "--delta", "2"], r"delta must lie in (0, 1)"),
        (["good.jsonl", "--horizon", "0"], "horizon must be at least 1"),
    ],
)
def test_mistakes_are_one_line_and_exit_code_2(tmp_path, arguments, message):
    (tmp_path / "good.jsonl").write_text('[["a", "o", 1]]\n')
    (tmp_path / "bad.jsonl").write_text('[["a", "o", 1]]\nhello\n')
    command = [sys.executable, "-m", "nonmarkov", "learn", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""
