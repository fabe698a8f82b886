"""The same specification, the same bytes: also after SIGKILL at whatever point."""

import json
import subprocess
import sys

import numpy as np
import pytest

import nonmarkov as nm
from nonmarkov.results import recording
from nonmarkov.results.execution import execute
from nonmarkov.results.reading import read_run
from nonmarkov.results.specification import RunSpec
from nonmarkov.training import METHODS
from tests.results.folders import contents

EPISODES = {"apart": 150, "paper": 40_000, "random-sampling": 40_000, "rmax": 3000, "oracle": 3000}


def make_spec(method="apart", episodes=None, **settings):
    if method != "apart":
        settings = {"evaluate_every": 1000} | settings
    return RunSpec.of("cheat_mab", {"k": 3}, method, 1, episodes or EPISODES[method], settings)


@pytest.mark.parametrize("method", METHODS)
def test_the_files_say_what_the_agent_says(tmp_path, method):
    spec = make_spec(method)
    agent = nm.Agent(nm.domain("cheat_mab", k=3), method, seed=1, **spec.settings)
    result = agent.learn(spec.episodes)
    record = read_run(execute(spec, tmp_path))
    assert record.complete
    columns = list(record.curve.values())
    assert np.array_equal(np.stack(columns, axis=1), np.array(result.curve)[:, :-1])
    assert [event["text"] for event in record.events] == [str(c) for c in agent.changes]
    assert record.result["score"] == result.score
    assert record.result["states"] == result.n_states
    assert record.result["minimal_states"] == 4
    assert record.result["right"] == agent.abstraction.matches(agent.process)
    assert record.result["certificate"]["passed"] == result.certificate.passed
    assert record.snapshots[-1]["episodes"] == spec.episodes
    assert record.timing["seconds"] > 0
    saved = json.loads((record.folder / "agent.json").read_text())
    assert saved["content"]["policy"] == agent.portrait.table.tolist()
    assert not list(record.folder.glob(".*"))
    assert not (record.folder / "checkpoint.nm").exists()


@pytest.mark.parametrize("method", ["apart", "paper"])
def test_the_same_bytes_again(tmp_path, method):
    first, second = (execute(make_spec(method), tmp_path / name) for name in "ab")
    assert contents(first) == contents(second)
    assert len(contents(first)) == 6


def test_a_complete_run_is_left_alone(tmp_path):
    place = execute(make_spec(), tmp_path)
    before = (place / "timing.json").read_bytes(), (place / "result.json").stat().st_mtime_ns
    execute(make_spec(), tmp_path)
    assert before == (
        (place / "timing.json").read_bytes(),
        (place / "result.json").stat().st_mtime_ns,
    )


def test_a_damaged_result_is_done_again(tmp_path):
    place = execute(make_spec(), tmp_path)
    good = contents(place)
    (place / "result.json").write_text("{")
    (place / ".curve.csv.0123").write_text("left over")
    execute(make_spec(), tmp_path)
    assert contents(place) == good


KILLED_AT_EVERY_WRITE = """
import json, os, signal, sys
from pathlib import Path
from nonmarkov.results import checkpoint, execution, recording
from nonmarkov.results.specification import RunSpec

recording.SHORTEST_PAUSE = recording.PATIENCE = 0.0  # as many writes as there can be
checkpoint.PAUSE = checkpoint.PATIENCE = 0.0
spec = RunSpec.from_content(json.loads(sys.argv[1]))
folder, fatal = Path(sys.argv[2]), [0, 0]
replace = Path.replace

def deadly_replace(self, target):
    fatal[0] -= 1
    if fatal == [0, 0]:
        os.kill(os.getpid(), signal.SIGKILL)
    replace(self, target)
    if fatal == [0, 1]:
        os.kill(os.getpid(), signal.SIGKILL)

Path.replace = deadly_replace
execution.execute(spec, folder / "alone")
writes, deaths = -fatal[0], 0
for number in range(1, writes + 1):
    place = folder / str(number)
    for again in (number, 1 + number // 2, 0):  # killed twice, then left alone
        child = os.fork()
        if child == 0:
            fatal[:] = [again, number % 2]
            execution.execute(spec, place)
            os._exit(0)
        deaths += os.waitpid(child, 0)[1] == signal.SIGKILL
print(json.dumps([writes, deaths]))
"""


@pytest.mark.parametrize("method", [pytest.param("apart", marks=pytest.mark.slow), "paper"])
def test_killed_at_every_single_write(tmp_path, method):
    spec = make_spec(method, episodes={"apart": 40, "paper": 2000}[method])
    arguments = [json.dumps(spec.to_content()), str(tmp_path)]
    command = [sys.executable, "-c", KILLED_AT_EVERY_WRITE, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    writes, deaths = json.loads(done.stdout)
    assert writes > 12
    assert deaths > 1.5 * writes  # not 2: what went on from late on may end before its second time
    alone = contents(tmp_path / "alone")
    for number in range(1, writes + 1):
        assert contents(tmp_path / str(number)) == alone


def test_few_snapshots_are_kept_of_many(tmp_path, monkeypatch):
    monkeypatch.setattr(recording, "MOST_SNAPSHOTS", 6)
    spec = make_spec("paper", episodes=60_000, evaluate_every=200)
    record = read_run(execute(spec, tmp_path))
    kept = [snapshot["episodes"] for snapshot in record.snapshots]
    curve = record.curve
    assert 3 < len(kept) <= 7
    assert kept == sorted(set(kept))
    assert kept[0] == 0
    assert kept[-1] == 60_000
    for snapshot in record.snapshots:
        row = int(np.flatnonzero(curve["episodes"] == snapshot["episodes"])[0])
        assert snapshot["score"] == curve["score"][row]
        assert sum(state["safe"] for state in snapshot["states"]) == curve["states"][row]


def test_a_recorder_goes_on_from_what_was_kept(tmp_path, monkeypatch):
    """Which snapshots are wanted follows from the curve, so a training can be taken up again."""
    monkeypatch.setattr(recording, "MOST_SNAPSHOTS", 6)
    process = nm.domain("rotating_mab", k=3)
    agent = nm.Agent(process, "paper", seed=1, evaluate_every=50)
    recorder = recording.Recorder(agent, tmp_path)
    for _ in range(30):
        agent.learn(300, callback=recorder)
        resumed = recording.Recorder(agent, tmp_path, kept=recorder.snapshots)
        assert resumed.gapless
        assert resumed.snapshots == recorder.snapshots
        recorder = resumed
    assert len(recorder.snapshots) > 3
    assert not recording.Recorder(agent, tmp_path, kept=recorder.snapshots[1:]).gapless


def test_interrupted_runs_have_no_result(tmp_path):
    program = (
        "import json, os, signal, sys, threading; from pathlib import Path\n"
        "from nonmarkov.results.execution import execute\n"
        "from nonmarkov.results.specification import RunSpec\n"
        "spec = RunSpec.from_content(json.loads(sys.argv[1]))\n"
        "from nonmarkov.results import recording\n"
        "call = recording.Recorder.__call__\n"
        "def interrupt(self, point):\n"
        "    call(self, point)\n"
        "    if point.episodes == 50_000: os.kill(os.getpid(), signal.SIGINT)\n"
        "recording.Recorder.__call__ = interrupt\n"
        "execute(spec, Path(sys.argv[2]))\n"
    )
    spec = make_spec("paper", episodes=10_000_000)
    command = [sys.executable, "-c", program, json.dumps(spec.to_content()), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)
    assert "KeyboardInterrupt" in done.stderr
    assert not read_run(tmp_path / "runs" / spec.name).complete
