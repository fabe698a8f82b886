"""Agents come back from files as they were, and from nothing else."""

import random
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nonmarkov as nm
from nonmarkov import stored
from nonmarkov.errors import (
    InvalidParameterError,
    MissingFileError,
    StorageError,
    UnreadableFileError,
)
from nonmarkov.testing.strategies import processes
from nonmarkov.training import saving

from .kept_agents import CASES, COARSE, assert_alike, assert_same, contents, make, reloaded


@pytest.fixture
def path(tmp_path):
    return tmp_path / "agent.nm"


class TestGoingOn:
    @pytest.mark.parametrize("case", CASES)
    def test_training_from_a_file_is_training_that_never_stopped(self, case, path):
        """Saved at every evaluation, as a sweep does; continued from some of them."""
        files = []

        def keep(point):
            del point
            agent.save(path)
            files.append((agent.episodes, path.read_bytes()))

        total = 100 if case == "apart" else 9_000
        agent = make(case)
        agent.learn(total, callback=keep)
        whole = make(case)
        whole.learn(total)
        assert_same(agent, whole)  # saving changed nothing
        for episodes, data in random.Random(case).sample(files[:-1], 3):
            path.write_bytes(data)
            cut = nm.Agent.load(path)
            assert cut.episodes == episodes
            cut.learn(total - episodes)
            assert_same(cut, whole)

    @pytest.mark.parametrize("case", CASES)
    def test_between_two_evaluations_and_again_and_again(self, case, path):
        scale = 1 if case == "apart" else 40
        whole, cut = make(case), make(case)
        for step in (1, 17, 40, 3, 55, 60):
            whole.learn(scale * step)
            cut = reloaded(cut, path)
            cut.learn(scale * step)
        assert_same(cut, whole)

    @pytest.mark.parametrize("case", ["paper", "paper, no propagation", "search"])
    def test_before_and_after_changes_of_the_automaton(self, case, path):
        whole = make(case)
        whole.learn(12_000)
        kinds = {change.kind for change in whole.changes}
        assert {"promotion", "merge"} <= kinds
        assert ("restart" in kinds) == (case == "search")
        at = sorted({change.episode + i for change in whole.changes for i in (-1, 0, 1)})
        cut, twin = make(case), make(case)
        for episodes in at:
            twin.learn(episodes - twin.episodes)
            cut = reloaded(cut, path)
            cut.learn(episodes - cut.episodes)
            assert_same(cut, twin)

    def test_in_the_middle_of_an_episode_and_of_a_suffix(self, path, monkeypatch):
        process = nm.domain("rotating_mab", k=3, horizon=8000)
        whole, cut = (make("search", process) for _ in range(2))
        for agent in (whole, cut):
            while agent.episodes < 300:
                agent._training.run(300)
        monkeypatch.setattr("nonmarkov.training.trainer.LONGEST_STRETCH", 5000)
        inside = 0
        for _ in range(12):
            whole._training.run(400)
            cut._training.run(400)
            inside += cut._training._cursor[2] < 0
            cut = reloaded(cut, path)
            assert contents(cut) == contents(whole)
        assert inside > 3
        assert cut.changes

    def test_when_memory_is_short(self, path, monkeypatch):
        monkeypatch.setattr("nonmarkov.learning.hypothesis.FIRST_BLOCKS", 70)
        monkeypatch.setattr("nonmarkov.learning.hypothesis.FIRST_CANDIDATES", 2)
        monkeypatch.setattr("nonmarkov.learning.hypothesis.FIRST_SAFE", 2)
        monkeypatch.setattr("nonmarkov.learning.counts.FIRST_NODES", 4)
        process = nm.domain("enemy_corridor", k=16)
        whole, cut = (make("search", process) for _ in range(2))
        for _ in range(8):
            whole.learn(300)
            cut.learn(300)
            cut = reloaded(cut, path)
        assert_same(cut, whole)

    def test_when_episodes_are_forgotten(self, path, monkeypatch):
        monkeypatch.setattr("nonmarkov.learning.apart.MOST_STEPS", 600)
        whole, cut = make("apart"), make("apart")
        for step in (35, 50, 65):
            whole.learn(step)
            cut.learn(step)
            cut = reloaded(cut, path)
        assert whole._training.learner.forgettings > 1
        assert_same(cut, whole)

    def test_looking_changes_nothing_even_when_episodes_are_forgotten(self, monkeypatch):
        monkeypatch.setattr("nonmarkov.learning.apart.MOST_STEPS", 600)
        plain, watched = make("apart"), make("apart")
        for until in range(20, 150):
            plain._training.run(until)
            watched._training.run(until)
            assert watched._training.n_candidates >= 0
            watched.certificate()
        assert plain._training.learner.forgettings > 1
        plain.certificate()
        assert contents(plain) == contents(watched)

    @settings(max_examples=15)
    @given(processes(), st.sampled_from(sorted(CASES)), st.integers(0, 60), st.integers(1, 60))
    def test_in_any_process(self, tmp_path_factory, process, case, before, after):
        if min(process.rewards) < 0.0 or max(process.rewards) <= 0.0:
            case = "apart"
        whole = make(case, process)
        if before:
            whole.learn(before)
        cut = reloaded(whole, tmp_path_factory.mktemp("agents") / "agent.nm")
        assert contents(cut) == contents(whole)
        whole.learn(after)
        cut.learn(after)
        assert_same(cut, whole)

    def test_with_numbers_of_other_libraries_as_settings(self, path):
        given_settings = {**COARSE, "epsilon": np.float32(0.2), "m": np.int64(30)}
        agent = nm.Agent(nm.domain("rotating_mab"), "paper", **given_settings)
        agent.learn(50)
        cut = reloaded(agent, path)
        assert cut.settings == agent.settings
        agent.learn(100)
        cut.learn(100)
        assert_same(cut, agent)


class TestFiles:
    @pytest.mark.parametrize("case", CASES)
    @pytest.mark.parametrize("trained", [False, True])
    def test_saved_again_the_file_is_the_same(self, case, trained, path):
        agent = make(case)
        if trained:
            agent.learn(60 if case == "apart" else 4_000)
        agent.save(path)
        before = path.read_bytes()
        loaded = nm.Agent.load(path)
        assert (loaded.method, loaded.seed) == (agent.method, 1)
        assert (loaded.process, loaded.settings) == (agent.process, agent.settings)
        assert loaded.curve == agent.curve
        assert_alike(loaded, agent)
        loaded.save(path)
        assert path.read_bytes() == before

    def test_a_failed_write_leaves_the_old_file(self, path, monkeypatch):
        agent = make("paper")
        agent.save(path)
        before = path.read_bytes()
        agent.learn(30)

        def fail(number):
            raise OSError("disk full")

        monkeypatch.setattr("os.fsync", fail)
        with pytest.raises(OSError, match="disk full"):
            agent.save(path)
        assert path.read_bytes() == before
        assert list(path.parent.iterdir()) == [path]

    def test_a_place_that_cannot_be_written_is_named(self, path):
        agent, folder = make("paper"), path.parent
        (folder / "file").write_text("")
        for place, message in (
            (folder, "cannot be written: it is a folder. Name a file in it."),
            (folder / "nowhere" / "x", f"cannot be written: {folder / 'nowhere'} is no folder."),
            (folder / "file" / "x", f"cannot be written: {folder / 'file'} is no folder."),
            ("/proc/zz", "cannot be written: No such file or directory. Choose a folder that"),
            (folder / ("x" * 300), "cannot be written: File name too long."),
        ):
            with pytest.raises(StorageError) as caught:
                agent.save(place)
            assert str(caught.value).startswith(f"{place} {message}")
        assert [p.name for p in folder.iterdir()] == ["file"]

    @pytest.mark.parametrize("place", [None, 5, b"x", "a\0b"])
    def test_what_is_no_path_is_refused(self, place):
        with pytest.raises(InvalidParameterError, match="path must be"):
            make("paper").save(place)
        with pytest.raises(InvalidParameterError, match="path must be"):
            nm.Agent.load(place)

    def test_a_file_that_cannot_be_read_is_named(self, path):
        with pytest.raises(MissingFileError) as missing:
            nm.Agent.load(path)
        assert str(missing.value) == f"{path} cannot be read: there is no such file."
        with pytest.raises(UnreadableFileError) as folder:
            nm.Agent.load(path.parent)
        assert str(folder.value) == f"{path.parent} cannot be read: it is a folder."

    def test_a_planner_of_ones_own_cannot_be_saved(self, path):
        class Mine(nm.RMax):
            pass

        agent = nm.Agent(
            nm.domain("rotating_mab"), "paper", planner=Mine(5, 100.0, 0.1, 0.1, p=0.1)
        )
        with pytest.raises(InvalidParameterError, match="planner of your own, Mine"):
            agent.save(path)
        assert not path.exists()

    def test_a_learner_that_was_broken_off_is_not_saved(self, path):
        agent = make("paper")
        agent._training.learner._waiting.append((1, np.zeros(2, dtype=np.int64)))
        with pytest.raises(InvalidParameterError, match="middle of a step"):
            agent.save(path)

    def test_loading_compiles_nothing(self, path, tmp_path):
        files = []
        for case in ("apart", "paper", "search", "oracle"):
            agent = make(case)
            agent.learn(60)
            agent.save(tmp_path / f"{case}.nm")
            files.append(str(tmp_path / f"{case}.nm"))
        program = (
            "import sys, pkgutil, importlib, nonmarkov as nm, nonmarkov.kernels as kernels\n"
            "modules = [importlib.import_module(f'nonmarkov.kernels.{m.name}')"
            " for m in pkgutil.iter_modules(kernels.__path__)]\n"
            "compiled = lambda: sum(len(getattr(value, 'signatures', ()))"
            " for module in modules for value in vars(module).values())\n"
            "agents = [nm.Agent.load(path) for path in sys.argv[1:]]\n"
            "assert compiled() == 0\n"
            "agents[1].learn(1)\n"
            "assert compiled() > 0\n"
        )
        subprocess.run([sys.executable, "-c", program, *files], check=True)


def test_generators_go_on_in_the_middle_of_a_number():
    rng = np.random.default_rng(4)
    rng.integers(0, 10, dtype=np.int32)  # leaves half of a number over
    assert rng.bit_generator.state["has_uint32"]
    twin = np.random.default_rng(0)
    saving.set_generator(twin, stored.Stored(saving.generator_state(rng)))
    assert (twin.integers(0, 10, 9, np.int32) == rng.integers(0, 10, 9, np.int32)).all()
    assert twin.random() == rng.random()
