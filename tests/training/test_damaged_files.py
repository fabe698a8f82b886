"""Agents come back from no file that is damaged, forged, or something else."""

import pickle

import numpy as np
import pytest

import nonmarkov as nm
from nonmarkov import stored
from nonmarkov.errors import (
    FileFormatError,
)

from .kept_agents import make


@pytest.fixture
def path(tmp_path):
    return tmp_path / "agent.nm"


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
        version = stored.VERSION
        here, later = (f"nonmarkov agent {number}\n".encode() for number in (version, version + 1))
        path.write_bytes(small.replace(here, later, 1))
        text = f"has version {version + 1}; this library reads {version}"
        with pytest.raises(FileFormatError, match=text):
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
