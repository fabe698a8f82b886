"""docs/formats.md is true: its examples run, and JSON files have the keys it lists."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import nonmarkov as nm
from nonmarkov.cli.main import cli

DOCUMENT = (Path(__file__).parents[2] / "docs" / "formats.md").read_text()


def test_the_examples_run(tmp_path):
    pytest.importorskip("aalpy")
    code = "\n".join(re.findall(r"^```python\n(.*?)^```", DOCUMENT, re.MULTILINE | re.DOTALL))
    (tmp_path / "example.py").write_text(code)
    command = [sys.executable, "example.py"]
    run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert "801.05" in run.stdout.splitlines()[0]
    assert "More than 100 beliefs are reachable" in run.stdout
    assert "\n2 90.0" in run.stdout
    assert "dtmc" in run.stdout


def write(kind, folder, process):
    if kind == "automaton":
        nm.MarkovAbstraction(process.automaton).save(folder / "file.json")
    elif kind == "process":
        process.save(folder / "file.json")
    else:
        nm.Agent(process).export(folder / "file.json")


@pytest.mark.parametrize("kind", ["automaton", "process", "controller"])
def test_json_files_have_the_documented_keys(tmp_path, weather, kind):
    write(kind, tmp_path, weather)
    envelope = json.loads((tmp_path / "file.json").read_text())
    assert set(envelope) == {"format", "version", "sha256", "content"}
    assert envelope["format"] == f"nonmarkov.{kind}"
    section = DOCUMENT.split(f"**`nonmarkov.{kind}`**")[1].split("**`")[0]
    assert set(envelope["content"]) == set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE))


def test_the_symbol_of_an_edge_is_as_documented(weather):
    n_rewards, n_observations = len(weather.rewards), len(weather.observations)
    for _, symbol, _ in weather.automaton.edges.tolist():
        action, observation, reward = weather.alphabet.symbol(symbol)
        a, r = weather.actions.index(action), weather.rewards.index(reward)
        o = weather.observations.index(observation)
        assert symbol == a * (n_observations * n_rewards + 1) + o * n_rewards + r


def test_every_suffix_and_command_is_in_the_document():
    from nonmarkov.controllers.writing import SUFFIXES
    from nonmarkov.export.saving import WRITERS

    assert "export" in cli.commands
    for suffix in (*WRITERS, *SUFFIXES):
        assert suffix in DOCUMENT
