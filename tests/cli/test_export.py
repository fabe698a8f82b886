"""`nonmarkov export`: every source to every target, and one line for a mistake."""

import sys

import pytest
from click.testing import CliRunner

import nonmarkov as nm
from nonmarkov.cli.main import cli, run
from tests.formats.test_pomdp_reading import TIGER


def invoke(*arguments):
    result = CliRunner().invoke(cli, ["export", *map(str, arguments)])
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.parametrize("suffix", ["dot", "svg", "json", "prism", "pomdp", "c", "py"])
def test_domains_are_exported(tmp_path, suffix):
    target = tmp_path / f"model.{suffix}"
    assert invoke("cheat_mab", target, "--k", 4) == f"{target} written\n"
    assert target.stat().st_size > 100


def test_files_are_exported(tmp_path):
    invoke("rotating_mab", tmp_path / "a.pomdp", "--set", "reward=7")
    invoke(tmp_path / "a.pomdp", tmp_path / "b.json")
    invoke(tmp_path / "b.json", tmp_path / "c.dot")
    process = nm.RegularProcess.load(tmp_path / "b.json")
    expected = nm.domain("rotating_mab", reward=7.0).optimal_value
    assert process.optimal_value == pytest.approx(expected)
    agent = nm.Agent(process)
    agent.learn(20, progress=False)
    agent.save(tmp_path / "agent.nm")
    agent.abstraction.save(tmp_path / "abstraction.json")
    invoke(tmp_path / "agent.nm", tmp_path / "policy.c")
    invoke(tmp_path / "agent.nm", tmp_path / "agent.prism")
    invoke(tmp_path / "abstraction.json", tmp_path / "abstraction.dot")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("cheat_mob", "x.dot"), "Did you mean 'cheat_mab'"),
        (("cheat_mab", "x.png"), "must end in one of .dot"),
        (("none.pomdp", "x.dot"), "none.pomdp"),
        (("broken.pomdp", "x.dot"), "broken.pomdp, line 2, column 10: the number of states"),
        (("abstraction.json", "x.c"), "says what to remember"),
        (("abstraction.json", "x.prism"), "An abstraction has no probabilities"),
        (("abstraction.json", "x.dot", "--k", "3"), "--k and --set are for domains"),
        (("cheat_mab", "none/x.c"), "is no folder"),
        (("tiger.pomdp", "x.dot", "--limit", "30"), "More than 30 beliefs"),
    ],
)
def test_mistakes_are_one_line(tmp_path, monkeypatch, capsys, arguments, message):
    (tmp_path / "broken.pomdp").write_text("discount: 0.9\n states: 0\n")
    (tmp_path / "tiger.pomdp").write_text(TIGER)
    nm.MarkovAbstraction(nm.domain("cheat_mab").automaton).save(tmp_path / "abstraction.json")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["nonmarkov", "export", *arguments])
    with pytest.raises(SystemExit) as exited:
        run()
    errors = capsys.readouterr().err
    assert exited.value.code == 2
    assert errors.count("\n") == 1
    assert message in errors
