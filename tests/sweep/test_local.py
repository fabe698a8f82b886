"""Runs in processes: as if they were done alone, whatever happens to the processes."""

import os
import signal
import threading
import time
from pathlib import Path

import pytest

from nonmarkov import errors
from nonmarkov.results.execution import execute
from nonmarkov.results.specification import RunSpec
from nonmarkov.results.store import Store
from nonmarkov.sweep.local import run_locally
from tests.results.folders import contents


def make_specs(methods=("paper", "rmax", "oracle"), seeds=2, episodes=30_000):
    settings = {"evaluate_every": 5000}
    return [
        RunSpec.of("rotating_mab", {}, method, seed, episodes, settings)
        for method in methods
        for seed in range(seeds)
    ]


def children():
    """Return the processes that this one has started."""
    task = Path(f"/proc/{os.getpid()}/task")
    found = " ".join((thread / "children").read_text() for thread in task.iterdir())
    return [
        int(pid)
        for pid in found.split()
        if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()
    ]


def test_a_pool_does_what_one_does_alone(tmp_path):
    specs = [*make_specs(), RunSpec.of("rotating_mab", {}, "apart", 0, 30)]
    outcomes = list(run_locally(specs, tmp_path / "pool", 2))
    assert {outcome.spec for outcome in outcomes} == set(specs)
    assert [outcome.error for outcome in outcomes] == [""] * len(specs)
    for spec in specs:
        execute(spec, tmp_path / "alone")
    assert contents(tmp_path / "pool") == contents(tmp_path / "alone")
    assert children() == []


def test_a_failing_run_does_not_stop_the_others(tmp_path):
    good = make_specs(["rmax"])
    bad = RunSpec("rotating_mab", {}, "paper", 0, 10, {"m": -3})
    outcomes = {o.spec: o for o in run_locally([good[0], bad, good[1]], tmp_path, 1)}
    assert "InvalidParameterError: m must be at least 1" in outcomes[bad].error
    assert "Traceback" in outcomes[bad].details
    assert [outcomes[spec].error for spec in good] == ["", ""]
    assert Store(tmp_path).complete() == {spec.name for spec in good}


def kill_whenever(stop, pause):
    killed = []

    def kill():
        while not stop.is_set():
            for pid in children():
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)
            stop.wait(pause)

    thread = threading.Thread(target=kill)
    thread.start()
    return thread, killed


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for processes in /proc")
def test_a_killed_process_loses_nothing(tmp_path, caplog):
    specs = make_specs(["paper"], seeds=3, episodes=2_000_000)
    pool = run_locally(specs, tmp_path / "pool", 2)
    killed = []

    def kill():
        while not killed:  # a process that is in the middle of a run
            if any((tmp_path / "pool").rglob("curve.csv")) and (pids := children()):
                os.kill(pids[0], signal.SIGKILL)
                killed.append(pids[0])
            time.sleep(0.01)

    thread = threading.Thread(target=kill)
    thread.start()
    outcomes = list(pool)
    thread.join()
    assert sorted(outcome.spec.seed for outcome in outcomes) == [0, 1, 2]
    assert [outcome.error for outcome in outcomes] == [""] * 3
    assert "was ended by SIGKILL" in caplog.text
    for spec in specs:
        execute(spec, tmp_path / "alone")
    assert contents(tmp_path / "pool") == contents(tmp_path / "alone")


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for processes in /proc")
def test_a_run_that_is_killed_again_and_again_is_given_up(tmp_path):
    stop = threading.Event()
    thread, killed = kill_whenever(stop, 0.2)
    outcomes = list(run_locally(make_specs(["paper"], seeds=1), tmp_path, 1))
    stop.set()
    thread.join()
    assert len(killed) >= 3
    assert "SIGKILL; is there enough memory?, 3 times in a row" in outcomes[0].error


def test_a_folder_that_cannot_be_written_ends_all(tmp_path):
    (tmp_path / "runs").write_text("in the way")
    with pytest.raises(errors.StorageError, match="cannot be written"):
        list(run_locally(make_specs(), tmp_path, 1))


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for processes in /proc")
def test_closing_ends_the_processes(tmp_path):
    pool = run_locally(make_specs(["paper"], seeds=9, episodes=300_000), tmp_path, 2)
    next(pool)
    assert len(children()) == 2
    pool.close()
    assert children() == []
