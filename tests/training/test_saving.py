"""Agents come back from files as they were, and from nothing else."""

import pickle
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
    FileFormatError,
    InvalidParameterError,
    MissingFileError,
    StorageError,
    UnreadableFileError,
)
from nonmarkov.learning.drafting import Explanation
from nonmarkov.testing.strategies import processes
from nonmarkov.training import saving

# Coarse on purpose: promotions, merges, restarts and known pairs within few episodes.
COARSE = {
    **{"mu": 0.3, "n": 10, "d": 2, "alpha_0": 8, "delta": 0.9, "m": 30},
    **{"evaluate_every": 700, "evaluation_episodes": 5},
}
SEARCH = {**COARSE, "mu": None, "n": None}
CASES = {
    "apart": ("apart", {"evaluation_episodes": 5}),
    "paper": ("paper", COARSE),
    "paper, reset": ("paper", {**COARSE, "on_change": "reset"}),
    "paper, e3": ("paper", {**COARSE, "planner": "e3"}),
    "paper, sketch": ("paper", {**COARSE, "counts": "sketch"}),
    "paper, no propagation": ("paper", {**COARSE, "propagation": False}),
    "search": ("paper", SEARCH),
    "search, e3": ("paper", {**SEARCH, "planner": "e3"}),
    "random-sampling": ("random-sampling", COARSE),
    "rmax": ("rmax", COARSE),
    "rmax, e3": ("rmax", {**COARSE, "planner": "e3"}),
    "oracle": ("oracle", COARSE),
}


def make(case, process=None, seed=1):
    method, given_settings = CASES[case]
    process = process or nm.domain("rotating_mab", k=2 if case == "apart" else 3)
    return nm.Agent(process, method, seed=seed, **given_settings)


def contents(agent):
    """All that a file would hold, but for the time it took."""
    state = agent._state()
    state["seconds"] = 0.0
    state["curve"].pop("seconds")
    return stored.pack("agent", state)


def assert_same(agent, other):
    assert [p[:-1] for p in agent.curve] == [p[:-1] for p in other.curve]
    assert agent.abstraction == other.abstraction
    assert agent.policy.table.tobytes() == other.policy.table.tobytes()
    assert agent.policy == other.policy
    assert agent.certificate() == other.certificate()
    assert agent.changes == other.changes
    assert contents(agent) == contents(other)


# Of no consequence, or compared by what a file says about it: room, scratch, caches, positions.
UNEQUAL = {
    *("graph", "pool", "_portion", "_nodes", "_hashed", "_absorbed", "_corpus", "_waiting"),
    *("_tests", "_apart", "_evaluator", "_evaluated", "_sketch"),
}


def assert_alike(one, other, place="agent"):
    """Compare two objects by all their attributes: what is not saved would be missing."""
    assert type(one) is type(other), place
    if isinstance(one, np.ndarray):
        np.testing.assert_array_equal(one, other, place)
    elif isinstance(one, np.random.Generator):
        assert one.bit_generator.state == other.bit_generator.state, place
    elif isinstance(one, (list, tuple)):
        assert len(one) == len(other), place
        for i, (mine, theirs) in enumerate(zip(one, other, strict=True)):
            assert_alike(mine, theirs, f"{place}[{i}]")
    elif isinstance(one, dict):
        assert one.keys() == other.keys(), place
        for name in one.keys() - UNEQUAL:
            assert_alike(one[name], other[name], f"{place}.{name}")
    elif isinstance(one, Explanation) or (
        type(one).__eq__ is object.__eq__ and hasattr(one, "__dict__")
    ):
        names = vars(one).keys() | vars(other).keys()
        mine, theirs = ({name: getattr(it, name, None) for name in names} for it in (one, other))
        assert_alike(mine, theirs, place)
    else:
        assert one == other, place


def reloaded(agent, path):
    agent.save(path)
    return nm.Agent.load(path)


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


def saved(tmp_path_factory, case, episodes):
    agent = make(case)
    agent.learn(episodes)
    path = tmp_path_factory.mktemp("saved") / "agent.nm"
    agent.save(path)
    return path.read_bytes()


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return saved(tmp_path_factory, "oracle", 40)


@pytest.fixture(scope="module")
def paper(tmp_path_factory):
    return saved(tmp_path_factory, "search", 8_500)


@pytest.fixture(scope="module")
def apart(tmp_path_factory):
    return saved(tmp_path_factory, "apart", 40)


class TestDamage:
    def test_every_flipped_bit_is_noticed(self, small, monkeypatch):
        assert len(small) < 10_000
        for place in range(len(small)):
            damaged = bytearray(small)
            damaged[place] ^= 1 << (place % 8)
            assert self.refusal(bytes(damaged), monkeypatch)

    def test_every_truncation_is_noticed(self, small, monkeypatch):
        for length in range(len(small)):
            assert "agent.nm" in self.refusal(small[:length], monkeypatch)

    def refusal(self, data, monkeypatch):
        """The error that loading such a file gives."""
        monkeypatch.setattr("nonmarkov.training.agent.read_bytes", lambda _: data)
        try:
            nm.Agent.load("agent.nm")
        except FileFormatError as error:
            return str(error)
        return ""

    def test_what_was_added_is_noticed(self, small, path):
        path.write_bytes(small + b"\n")
        with pytest.raises(FileFormatError, match="incomplete, or was changed"):
            nm.Agent.load(path)

    def test_another_version_is_named(self, small, path):
        path.write_bytes(small.replace(b"nonmarkov agent 1\n", b"nonmarkov agent 2\n", 1))
        with pytest.raises(FileFormatError, match="has version 2; this library reads 1"):
            nm.Agent.load(path)

    def test_other_files_are_refused(self, path):
        nm.domain("rotating_mab").save(path)
        others = [
            path.read_bytes(),
            b"",
            b"\n\n\n",
            b"nonmarkov",
            b"nonmarkov thing 1\n\n",
            b"\0" * 99,
        ]
        for data in others:
            path.write_bytes(data)
            with pytest.raises(FileFormatError, match="does not hold a nonmarkov agent"):
                nm.Agent.load(path)

    def test_a_file_that_is_too_large_is_not_read(self, small, path, monkeypatch):
        path.write_bytes(small)
        monkeypatch.setattr("nonmarkov.files.LARGEST_FILE", 100)
        with pytest.raises(FileFormatError, match="larger than 100 bytes"):
            nm.Agent.load(path)

    def test_no_code_runs(self, small, path, monkeypatch):
        def refuse(*_arguments, **_options):
            raise AssertionError("never")

        for place in ("pickle.load", "pickle.loads", "pickle.Unpickler", "numpy.load"):
            monkeypatch.setattr(place, refuse)
        for place in ("builtins.eval", "builtins.exec", "builtins.__import__"):
            monkeypatch.setattr(place, refuse)
        path.write_bytes(small)
        loaded = nm.Agent.load(path)
        monkeypatch.undo()
        assert loaded.episodes == 40

    def test_a_pickle_is_no_agent(self, path, tmp_path):
        class Evil:
            def __reduce__(self):
                return (open, (str(tmp_path / "evil"), "w"))

        path.write_bytes(pickle.dumps(Evil()))
        with pytest.raises(FileFormatError):
            nm.Agent.load(path)
        assert not (tmp_path / "evil").exists()


def thawed(node):
    if isinstance(node, dict):
        return {name: thawed(entry) for name, entry in node.items()}
    if isinstance(node, list):
        return [thawed(entry) for entry in node]
    return node.copy() if isinstance(node, np.ndarray) else node


def forged(data, place, change):
    """The same file with one value changed, and a digest that is right again."""
    tree = thawed(stored.unpack("agent", data, "it")._content)
    *parts, last = place.split(".")
    node = tree
    for part in parts:
        node = node[part]
    node[last] = change(node[last])
    return stored.pack("agent", tree)


def entry(value, index=-1):
    def change(array):
        wide = array.astype(np.int64) if array.dtype.kind in "iu" else array
        wide.flat[index] = value
        return wide

    return change


def shorter(array):
    return array[:-1]


LEARNER = "training.learner.learner"
FORGED_PAPER = [
    ("method", lambda _: "magic"),
    ("method", lambda _: "apart"),
    ("seed", lambda _: -1),
    ("seconds", lambda _: "long"),
    ("settings.planner", lambda _: "os.system"),
    ("settings.mu", lambda _: 0.5),
    ("settings.m", lambda _: 0),
    ("generators.training.increment", lambda n: n + 1),
    ("generators.training.state", lambda _: 1 << 128),
    ("generators.evaluating.half", lambda _: 1 << 32),
    ("curve.episodes", entry(0)),
    ("curve.episodes", entry(10**6)),
    ("curve.score", shorter),
    ("process.successor", entry(99)),
    ("process.outcome", entry(10**6)),
    ("process.probability", entry(0.7)),
    ("training.cursor", entry(10**6, 1)),
    ("training.cursor", entry(-1, 1)),
    ("training.cursor", entry(10**6, 2)),
    ("training.cursor", entry(-(10**6), 2)),
    ("training.cursor", entry(-1, 0)),
    ("training.cursor", entry(7, 4)),
    ("training.cursor", shorter),
    ("training.counts", entry(-1)),
    ("training.counts", shorter),
    ("training.counts", lambda a: a.astype(np.float64)),
    ("training.remaining", entry(-5)),
    ("training.choice", entry(0.5)),
    ("training.choice", entry(np.nan)),
    ("training.choice", entry(-1.0, 0)),
    ("training.agent.values", entry(np.nan)),
    ("training.learner.searches", lambda _: 0),
    (f"{LEARNER}.mu", lambda _: 2.0),
    (f"{LEARNER}.identity", entry(0)),
    (f"{LEARNER}.identity", entry(10**6)),
    (f"{LEARNER}.apart", entry(10**6)),
    (f"{LEARNER}.apart", entry(0)),
    (f"{LEARNER}.changes.kind", entry(9)),
    (f"{LEARNER}.hypothesis.start", lambda _: 0),
    (f"{LEARNER}.hypothesis.start", lambda _: -2),
    (f"{LEARNER}.hypothesis.start", lambda _: 10**6),
    (f"{LEARNER}.hypothesis.successor", entry(10**6, 16)),
    (f"{LEARNER}.hypothesis.successor", entry(-(10**6), 16)),
    (f"{LEARNER}.hypothesis.successor", entry(1, 0)),
    (f"{LEARNER}.hypothesis.successor", shorter),
    (f"{LEARNER}.hypothesis.arrivals", entry(10**12)),
    (f"{LEARNER}.hypothesis.arrivals", entry(-1)),
    (f"{LEARNER}.hypothesis.arrivals", shorter),
    (f"{LEARNER}.hypothesis.milestone", entry(0)),
    (f"{LEARNER}.hypothesis.target", entry(10**6)),
    (f"{LEARNER}.hypothesis.target", entry(-1)),
    (f"{LEARNER}.hypothesis.origin", entry(10**6)),
    (f"{LEARNER}.hypothesis.origin", entry(0, -2)),
    (f"{LEARNER}.hypothesis.room", lambda _: 1),
    (f"{LEARNER}.hypothesis.room", lambda _: 10**12),
    (f"{LEARNER}.hypothesis.blocks", lambda _: 0),
    (f"{LEARNER}.hypothesis.chains.sizes", entry(10**6)),
    (f"{LEARNER}.hypothesis.chains.sizes", entry(-1)),
    (f"{LEARNER}.hypothesis.chains.before", entry(10**6)),
    (f"{LEARNER}.hypothesis.chains.codes", entry(10**6)),
    (f"{LEARNER}.hypothesis.chains.codes", entry(0)),
    (f"{LEARNER}.hypothesis.chains.codes", shorter),
    (f"{LEARNER}.counts.reached", entry(10**6)),
    (f"{LEARNER}.counts.reached", entry(10**6, 3)),
    (f"{LEARNER}.counts.owners", entry(10**6)),
    (f"{LEARNER}.counts.owners", entry(0)),
    (f"{LEARNER}.counts.owners", shorter),
    (f"{LEARNER}.counts.forest.parent", entry(10**6)),
    (f"{LEARNER}.counts.forest.parent", entry(-2)),
    (f"{LEARNER}.counts.forest.parent", lambda a: np.arange(a.size)),
    (f"{LEARNER}.counts.forest.parent", lambda a: np.arange(a.size) - 1),
    (f"{LEARNER}.counts.forest.symbol", entry(10**6)),
    (f"{LEARNER}.counts.forest.symbol", lambda a: 0 * a),
    (f"{LEARNER}.counts.forest.counts", entry(10**6, 0)),
]
FORGED_APART = [
    ("training.episodes", lambda n: n + 1),
    ("training.steps", lambda n: n - 1),
    ("training.next_search", lambda _: 0),
    ("training.next_plan", lambda _: 0),
    ("training.course.successor", entry(10**6)),
    ("training.course.successor", lambda a: np.full_like(a, -1, dtype=np.int64)),
    ("training.course.number", entry(10**6)),
    ("training.course.number", entry(-2)),
    ("training.course.worth", shorter),
    ("training.course.worth", entry(np.nan)),
    ("training.course.tried", entry(-1)),
    ("training.course.is_open", lambda a: a.astype(np.int64)),
    ("training.waiting.starts", entry(1, 0)),
    ("training.learner.symbols", entry(10**6)),
    ("training.learner.symbols", entry(-1)),
    ("training.learner.symbols", entry(0)),
    ("training.learner.starts", entry(10**6, 1)),
    ("training.learner.starts", entry(0, 1)),
    ("training.learner.frozen_at", lambda _: 10**6),
    ("training.learner.version", lambda _: 0),
    ("training.learner.explanation", lambda _: None),
    ("training.learner.explanation.successor", entry(10**6)),
    ("training.learner.explanation.successor", entry(-2)),
    ("training.learner.explanation.successor", lambda a: a[:, :-1]),
    ("training.learner.explanation.successor", lambda a: a[:0]),
    ("training.learner.explanation.margin", entry(np.nan)),
    ("training.learner.changes.states", entry(-1)),
    ("training.learner.changes.states", shorter),
]


class TestForgery:
    """Content that somebody changed on purpose, and sealed again."""

    def refused(self, data, path):
        path.write_bytes(data)
        with pytest.raises(FileFormatError, match=r"agent\.nm does not hold a valid agent"):
            nm.Agent.load(path)

    def test_a_forgery_that_changes_nothing_is_loaded(self, paper, apart, path):
        for data in (paper, apart):
            same = forged(data, "seed", lambda seed: seed)
            assert same == data
            path.write_bytes(same)
            nm.Agent.load(path)

    @pytest.mark.parametrize("number", range(len(FORGED_PAPER)))
    def test_of_the_papers_agent(self, number, paper, path):
        self.refused(forged(paper, *FORGED_PAPER[number]), path)

    @pytest.mark.parametrize("number", range(len(FORGED_APART)))
    def test_of_apart(self, number, apart, path):
        self.refused(forged(apart, *FORGED_APART[number]), path)

    def test_another_abstraction_than_the_given_one(self, small, path):
        place = "training.learner.hypothesis.successor"
        self.refused(forged(small, place, lambda a: np.where(a > 1, 1, a)), path)

    @pytest.mark.parametrize("case", ["paper", "paper, sketch", "search", "apart", "oracle"])
    def test_any_value_may_be_missing(self, case, path):
        agent = make(case)
        agent.learn(50 if case == "apart" else 4_000)
        agent.save(path)
        data = path.read_bytes()
        for place in places(stored.unpack("agent", data, "it")._content):
            path.write_bytes(forged(data, place, lambda _: []))
            with pytest.raises(FileFormatError):
                nm.Agent.load(path)


def places(node, prefix=""):
    """All values of a tree that is made of dicts."""
    for name, value in node.items():
        if isinstance(value, dict):
            yield from places(value, f"{prefix}{name}.")
        elif not isinstance(value, list):
            yield f"{prefix}{name}"


def test_generators_go_on_in_the_middle_of_a_number():
    rng = np.random.default_rng(4)
    rng.integers(0, 10, dtype=np.int32)  # leaves half of a number over
    assert rng.bit_generator.state["has_uint32"]
    twin = np.random.default_rng(0)
    saving.set_generator(twin, stored.Stored(saving.generator_state(rng)))
    assert (twin.integers(0, 10, 9, np.int32) == rng.integers(0, 10, 9, np.int32)).all()
    assert twin.random() == rng.random()
