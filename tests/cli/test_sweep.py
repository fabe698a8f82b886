"""`nonmarkov sweep` and `reproduce`: what they print, how they end, and what survives them."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from nonmarkov.learning.side_by_side import usable_cores
from nonmarkov.results.execution import execute
from nonmarkov.results.store import Store
from nonmarkov.sweep import reproduction
from nonmarkov.sweep.grid import read_grid
from tests.results.folders import contents

GRID = """
seeds = 2
methods = ["paper", "rmax"]
episodes = {episodes}
[[runs]]
domain = "rotating_mab"
settings = {{ evaluate_every = 2000 }}
"""


@pytest.fixture
def grid(tmp_path):
    path = tmp_path / "grid.toml"
    path.write_text(GRID.format(episodes=10_000))
    return path


def start(*arguments, **options):
    command = [sys.executable, "-m", "nonmarkov", *map(str, arguments)]
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        **options,
    )


def run(*arguments, **options):
    process = start(*arguments, **options)
    out, err = process.communicate(timeout=300)
    return process.returncode, out, err


def test_a_sweep_and_what_it_leaves_to_do(grid, tmp_path):
    out = tmp_path / "results"
    code, text, _ = run("sweep", grid, "--out", out, "--dry-run")
    assert code == 0
    assert "4 of 4 runs would be done." in text
    assert not out.exists()
    code, text, err = run("sweep", grid, "--out", out, "--jobs", 2, "--json")
    assert code == 0, err
    report = json.loads(text)
    assert (report["wanted"], report["stored"], report["done"]) == (4, 0, 4)
    assert (report["failed"], report["complete"], report["interrupted"]) == ([], True, False)
    assert "of 4 runs" in err
    assert len(Store(out).table()) == 4
    assert sorted(path.name for path in out.iterdir()) == ["runs"]
    victim = next((out / "runs").iterdir())
    before = contents(out)
    (victim / "result.json").write_text("{}")
    code, text, _ = run("sweep", grid, "--out", out, "--dry-run", "--json")
    plan = json.loads(text)
    assert [missing["name"] for missing in plan["missing"]] == [victim.name]
    code, text, err = run("sweep", grid, "--out", out, "--quiet")
    assert (code, "1 runs done" in text, "3 were there" in text) == (0, True, True)
    assert "of 4 runs" not in err
    assert contents(out) == before


def test_the_folder_has_the_name_of_the_file_by_default(grid, tmp_path):
    code, text, _ = run("sweep", grid, "--dry-run", "--json", cwd=tmp_path)
    assert (code, json.loads(text)["folder"]) == (0, "out/grid")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[[runs]]\ndomain = 'cheat'", "Unknown domain 'cheat'. Did you mean 'cheat_mab'?"),
        ("[[runs", "is no valid TOML"),
        ("[[runs]]\ndomain = 'cheat_mab'\nsettings = { epsilon = 0 }", "epsilon must be positive"),
    ],
)
def test_mistakes_are_one_line(tmp_path, text, complaint):
    (tmp_path / "grid.toml").write_text(text)
    code, out, err = run("sweep", tmp_path / "grid.toml", "--out", tmp_path / "out")
    assert (code, out) == (2, "")
    assert complaint in err
    assert err.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_other_mistakes(grid, tmp_path):
    code, _, err = run("sweep", tmp_path / "nowhere.toml")
    assert (code, err.count("\n")) == (2, 1)
    code, _, err = run("sweep", grid, "--out", grid)
    assert (code, err.count("\n")) == (2, 1)
    code, _, err = run("sweep", grid, "--quiet", "--out", grid / "below")
    assert (code, err.count("\n")) == (2, 1)
    assert "cannot be written" in err
    code, _, err = run("sweep", grid, "--jobs", 0)
    assert (code, err.count("\n")) == (2, 1)


def test_a_failing_run_is_reported_and_the_others_are_done(grid, tmp_path, monkeypatch):
    from click.testing import CliRunner

    from nonmarkov.cli.sweep import sweep

    specs = read_grid(grid)
    bad = type(specs[0])("rotating_mab", {}, "paper", 0, 10, {"m": -3})
    monkeypatch.setattr("nonmarkov.sweep.grid.read_grid", lambda path: (*specs, bad))
    done = CliRunner().invoke(sweep, [str(grid), "--out", str(tmp_path / "out"), "--quiet"])
    assert done.exit_code == 1
    assert "4 runs done" in done.output
    assert "rotating_mab k=2 paper seed 0 failed: InvalidParameterError: m must be" in done.output


def test_a_folder_that_cannot_be_written_ends_it_with_one_line(grid, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "runs").write_text("in the way")
    code, _, err = run("sweep", grid, "--out", out, "--quiet")
    assert (code, err.count("\n")) == (2, 1)
    assert "cannot be written" in err


def test_two_sweeps_at_once(grid, tmp_path):
    grid.write_text(GRID.format(episodes=1_000_000))
    out = tmp_path / "out"
    first = start("sweep", grid, "--out", out)
    while not (out / ".sweep.lock").exists():
        time.sleep(0.01)
    code, _, err = run("sweep", grid, "--out", out, "--quiet")
    assert code == 2
    assert f"is in use by another sweep (process {first.pid} on " in err
    assert first.wait(timeout=300) == 0
    first.communicate()
    assert len(Store(out).table()) == 4


def wait_for_curve(folder):
    while not any(folder.rglob("curve.csv")):
        time.sleep(0.01)


def alive(group):
    """Return the processes of a group that still run."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[2]) == group and fields[0] != "Z":
                found.append(entry.name)
    return found


def all_end(group):
    """Return whether all processes of a group end within seconds, python's own helpers too."""
    deadline = time.monotonic() + 20
    while alive(group) and time.monotonic() < deadline:
        time.sleep(0.02)
    return alive(group) == []


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
def test_ctrl_c_ends_cleanly_and_the_next_sweep_goes_on(grid, tmp_path):
    grid.write_text(GRID.format(episodes=1_000_000))
    out = tmp_path / "out"
    sweep = start("sweep", grid, "--out", out, "--json")
    wait_for_curve(out)
    os.killpg(sweep.pid, signal.SIGINT)  # as a terminal does it: to all processes
    text, err = sweep.communicate(timeout=60)
    assert sweep.returncode == 130
    assert "Traceback" not in err
    assert "the same command goes on from here" in err
    assert json.loads(text)["interrupted"]
    assert all_end(sweep.pid)
    assert len(Store(out).table()) < 4
    assert run("sweep", grid, "--out", out)[0] == 0
    for spec in read_grid(grid):
        execute(spec, tmp_path / "alone")
    assert contents(out) == contents(tmp_path / "alone")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
def test_killed_at_random_points_it_comes_to_the_same(grid, tmp_path):
    grid.write_text(GRID.format(episodes=1_500_000))
    out, rng = tmp_path / "out", random.Random(4)
    for attempt in range(3):
        sweep = start("sweep", grid, "--out", out, "--jobs", 2)
        if attempt == 0:
            wait_for_curve(out)
        else:
            time.sleep(rng.uniform(1.0, 4.0))
        sweep.kill()  # its processes notice, and end as well
        sweep.communicate()
        assert all_end(sweep.pid)
    code, _, err = run("sweep", grid, "--out", out)
    assert code == 0, err
    for spec in read_grid(grid):
        execute(spec, tmp_path / "alone")
    assert contents(out) == contents(tmp_path / "alone")


def test_reproduce_ends_with_an_overview(tmp_path, monkeypatch):
    from click.testing import CliRunner

    from nonmarkov.cli.sweep import reproduce

    specs = [spec for spec in reproduction.quick_grid() if spec.domain == "rotating_mab"]
    short = [type(spec)(spec.domain, spec.parameters, spec.method, spec.seed, 30) for spec in specs]
    monkeypatch.setattr(reproduction, "quick_grid", lambda: tuple(short))
    arguments = ["--out", str(tmp_path), "--quiet", "--jobs", str(usable_cores())]
    done = CliRunner().invoke(reproduce, arguments)
    assert done.exit_code == 0, done.output
    assert "random-sampling" in done.output
    assert "15 runs done" in done.output
    assert (tmp_path / "overview.csv").read_text().count("\n") == 6
    done = CliRunner().invoke(reproduce, [*arguments, "--json"])
    report = json.loads(done.output)
    assert (report["stored"], report["done"]) == (15, 0)
    names = {Path(path).relative_to(tmp_path).as_posix() for path in report["written"]}
    assert {"overview.csv", "report.html", "figures/paper_figure.svg"} <= names
    assert all(Path(path).is_file() for path in report["written"])
