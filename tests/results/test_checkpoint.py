"""A run that was ended goes on where it was, and comes to the same."""

import logging
import shutil

import pytest

from nonmarkov.results import checkpoint
from nonmarkov.results.execution import execute
from nonmarkov.results.recording import Recorder
from nonmarkov.results.specification import RunSpec
from nonmarkov.training import METHODS
from tests.results.folders import contents

EPISODES = {"apart": 120, "paper": 40_000, "random-sampling": 40_000}


def make_spec(method, seed=1):
    settings = {} if method == "apart" else {"evaluate_every": 1000}
    episodes = EPISODES.get(method, 9000)
    return RunSpec.of("cheat_mab", {"k": 3}, method, seed, episodes, settings)


class PowerCutError(Exception):
    """The lights went out."""


@pytest.fixture
def cut(monkeypatch, tmp_path):
    """A function that does a run until some evaluation, with a checkpoint at every one."""
    monkeypatch.setattr(checkpoint, "PAUSE", 0.0)
    monkeypatch.setattr(checkpoint, "PATIENCE", 0.0)

    def cut(spec, at):
        call, seen = Recorder.__call__, [0]

        def count(self, point):
            call(self, point)
            seen[0] += 1
            if seen[0] == at:
                raise PowerCutError

        with monkeypatch.context() as patch:
            patch.setattr(Recorder, "__call__", count)
            with pytest.raises(PowerCutError):
                execute(spec, tmp_path / "cut")
        return tmp_path / "cut" / "runs" / spec.name

    return cut


@pytest.mark.parametrize("method", METHODS)
def test_it_goes_on_to_the_same_end(tmp_path, cut, method, caplog):
    caplog.set_level(logging.INFO, "nonmarkov")
    spec = make_spec(method)
    place = cut(spec, 4)
    assert (place / "checkpoint.nm").exists()
    cut(spec, 3)
    execute(spec, tmp_path / "cut")
    assert caplog.text.count("goes on after") == 2
    assert contents(place) == contents(execute(spec, tmp_path / "alone"))


def test_seconds_add_up(tmp_path, cut):
    from nonmarkov.results.reading import read_run

    spec = make_spec("paper")
    cut(spec, 30)
    record = read_run(execute(spec, tmp_path / "cut"))
    assert 0.0 < record.timing["seconds"] < 60.0
    speed = record.timing["episodes_per_second"]
    assert speed * record.timing["seconds"] == pytest.approx(spec.episodes)


@pytest.mark.parametrize("damage", ["garbage", "other", "snapshots"])
def test_a_checkpoint_that_is_of_no_use_is_left_alone(tmp_path, cut, damage, caplog):
    spec = make_spec("paper")
    place = cut(spec, 30)
    if damage == "garbage":
        (place / "checkpoint.nm").write_bytes(b"PK" + bytes(1000))
    elif damage == "other":
        shutil.copy(cut(make_spec("paper", seed=2), 30) / "checkpoint.nm", place)
    else:
        (place / "snapshots.jsonl").write_text("")
    execute(spec, tmp_path / "cut")
    assert "begins anew" in caplog.text
    assert contents(place) == contents(execute(spec, tmp_path / "alone"))


def test_when_checkpoints_are_made_makes_no_difference(tmp_path, monkeypatch):
    spec = make_spec("apart")
    seldom = execute(spec, tmp_path / "seldom")
    monkeypatch.setattr(checkpoint, "PAUSE", 0.0)
    monkeypatch.setattr(checkpoint, "PATIENCE", 0.0)
    assert contents(execute(spec, tmp_path / "often")) == contents(seldom)
