"""Simulation of processes, and the files they live in."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nonmarkov as nm
from nonmarkov.core import Automaton
from nonmarkov.errors import AlphabetError, FileFormatError, InvalidParameterError, StorageError
from nonmarkov.testing import check_process, random_process
from nonmarkov.testing.strategies import policies, processes


@pytest.mark.parametrize("seed", range(10))
def test_random_processes_conform(seed):
    check_process(random_process(seed, n_states=6, n_actions=3, n_observations=3))


@given(st.data())
def test_sampled_episodes_are_possible(data):
    process = data.draw(processes())
    policy = data.draw(policies(process))
    for episode in process.sample(5, policy=policy, seed=1):
        assert nm.histories.remainder_probability(process, policy, episode) > 0.0


def test_a_policy_on_another_automaton_is_simulated_exactly(weather):
    """A memory of the last outcome, tracked beside the process."""
    steps = [
        (memory, action, observation, reward, int(observation == "skidded"))
        for memory in (0, 1)
        for action, observation, reward in [
            ("fast", "arrived", 3.0),
            ("fast", "skidded", 0.0),
            ("slow", "arrived", 1.0),
        ]
    ]
    policy = nm.Policy.greedy(Automaton.from_steps(weather.alphabet, 2, steps), [0, 1])
    played = weather.play(200_000, policy=policy, seed=3)
    assert abs(played.mean - weather.value(policy)) < 5 * played.error
    # In this world the last outcome is all there is to know.
    assert weather.value(policy) == pytest.approx(weather.optimal_value)


def test_memory_does_not_grow_with_the_episodes(weather):
    import tracemalloc

    weather.play(10, seed=0)
    tracemalloc.start()
    weather.play(300_000, seed=0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100_000


def test_a_generator_can_be_continued(weather):
    rng = np.random.default_rng(5)
    first, second = weather.sample(50, seed=rng), weather.sample(50, seed=rng)
    whole = weather.sample(100, seed=5)
    assert list(first) + list(second) == list(whole)


def test_episodes_are_cut_off(weather):
    batch = weather.sample(200, seed=0, max_steps=3)
    assert batch.lengths.max() == 3
    assert not batch.terminated.all()


def test_the_same_seed_gives_the_same_bytes_in_another_process(tmp_path):
    program = (
        "import nonmarkov as nm, hashlib, sys;"
        "p = nm.domain('rotating_maze', k=3);"
        "b = p.sample(500, policy=p.optimal_policy, seed=7);"
        "p.save(sys.argv[1]);"
        "print(hashlib.sha256(b.symbols.tobytes() + b.starts.tobytes()).hexdigest(),"
        "      p.play(500, seed=7).mean, open(sys.argv[1]).read() == '' )"
    )
    outputs = set()
    for i in range(2):
        path = tmp_path / f"{i}.json"
        run = [sys.executable, "-c", program, str(path)]
        outputs.add((subprocess.check_output(run, text=True), path.read_bytes()))
    assert len(outputs) == 1


@pytest.mark.parametrize("episodes", [0, -1, 2.5, True])
def test_a_bad_number_of_episodes_is_refused(weather, episodes):
    with pytest.raises(InvalidParameterError, match="episodes must be"):
        weather.sample(episodes)
    with pytest.raises(InvalidParameterError, match="episodes must be"):
        weather.play(episodes)


@pytest.mark.parametrize("seed", [-1, "x", 0.5, None])
def test_a_bad_seed_is_refused(weather, seed):
    with pytest.raises(InvalidParameterError, match="seed must be"):
        weather.sample(3, seed=seed)


def test_records_survive_pickling_and_stay_frozen(weather):
    import copy
    import pickle

    batch = weather.sample(3, seed=1)
    for record in (weather, weather.tables, weather.automaton, weather.optimal_policy, batch):
        again = pickle.loads(pickle.dumps(record))
        assert again == record
        assert hash(again) == hash(record)
    assert not pickle.loads(pickle.dumps(weather)).tables.probability.flags.writeable
    assert pickle.loads(pickle.dumps(nm.END)) is nm.END
    assert copy.deepcopy([nm.END])[0] is nm.END


def test_what_follows_from_a_record_is_frozen_too(weather):
    tables, solution = weather.tables, weather.solution
    derived = [tables.gain, tables.dynamics, tables.ending, tables.ended, weather.automaton.safe]
    for array in [*derived, solution.values, solution.action_values, solution.actions]:
        assert not array.flags.writeable


def test_zero_and_minus_zero_are_one_reward():
    def make(zero):
        return nm.RegularProcess.from_outcomes(0, "a", lambda s, a: [(1.0, "o", zero, 0)], stop=0.5)

    left, right = make(0.0), make(-0.0)
    assert left == right
    assert hash(left) == hash(right)


def test_a_policy_for_another_process_is_refused(weather):
    other = nm.domain("rotating_mab").optimal_policy
    with pytest.raises(AlphabetError, match="is not in the alphabet"):
        weather.sample(5, policy=other)


class TestFiles:
    @given(process=processes())
    def test_a_process_survives_its_file(self, tmp_path_factory, process):
        path = tmp_path_factory.mktemp("process") / "p.json"
        process.save(path)
        assert nm.RegularProcess.load(path) == process

    @pytest.fixture
    def stored(self, tmp_path, weather):
        path = tmp_path / "weather.json"
        weather.save(path)
        return path

    def test_a_truncated_file_is_refused(self, stored):
        text = stored.read_text()
        for size in (0, 1, len(text) // 2, len(text) - 1):
            stored.write_text(text[:size])
            with pytest.raises(FileFormatError, match="is no complete JSON"):
                nm.RegularProcess.load(stored)

    def test_a_tampered_file_is_refused(self, stored):
        stored.write_text(stored.read_text().replace("0.7", "0.8"))
        with pytest.raises(FileFormatError, match="was changed or damaged"):
            nm.RegularProcess.load(stored)

    def test_a_forged_file_is_still_checked(self, stored):
        from nonmarkov.files import seal

        content = json.loads(stored.read_text())["content"]
        content["probability"][0][0][0] = 0.8
        stored.write_text(seal("nonmarkov.process", content))
        with pytest.raises(FileFormatError, match="state 'dry', action 'fast': probabilities sum"):
            nm.RegularProcess.load(stored)

    @pytest.mark.parametrize(
        ("key", "value"),
        [
            ("probability", "text"),
            ("probability", [[1.0], [1.0, 2.0]]),
            ("states", ["dry"]),
            ("start", 17),
            ("stop", 2.0),
            ("horizon", None),
            ("alphabet", {"actions": []}),
            ("stop", "0.0625"),
            ("successor", [[[0.5, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]]),
            ("successor", [[[2**40, 0], [0, 0]], [[0, 0], [0, 0]]]),
        ],
    )
    def test_forged_fields_are_refused(self, stored, key, value):
        from nonmarkov.files import canonical_json, digest

        envelope = json.loads(stored.read_text())
        envelope["content"][key] = value
        envelope["sha256"] = digest(canonical_json(envelope["content"]))
        stored.write_text(json.dumps(envelope))
        with pytest.raises(FileFormatError, match=r"weather\.json"):
            nm.RegularProcess.load(stored)

    @pytest.mark.parametrize("literal", ["1e999", "NaN", "Infinity", "9" * 5000])
    def test_numbers_that_are_none_are_refused(self, stored, literal):
        stored.write_text(stored.read_text().replace("0.7", literal))
        with pytest.raises(FileFormatError, match=r"weather\.json"):
            nm.RegularProcess.load(stored)

    def test_a_foreign_file_is_refused(self, stored):
        stored.write_text('{"format": "something else"}')
        with pytest.raises(FileFormatError, match=r"does not hold a nonmarkov\.process"):
            nm.RegularProcess.load(stored)
        stored.write_text("[" * 100_000)
        with pytest.raises(FileFormatError, match="no complete JSON"):
            nm.RegularProcess.load(stored)
        stored.write_bytes(b"\xff\xfe\x00broken")
        with pytest.raises(FileFormatError, match="no complete JSON"):
            nm.RegularProcess.load(stored)

    def test_a_file_of_another_version_is_refused(self, stored):
        envelope = json.loads(stored.read_text()) | {"version": 99}
        stored.write_text(json.dumps(envelope))
        with pytest.raises(FileFormatError, match="has version 99"):
            nm.RegularProcess.load(stored)

    def test_too_large_a_file_is_refused(self, stored, monkeypatch):
        monkeypatch.setattr("nonmarkov.files.LARGEST_FILE", 10)
        with pytest.raises(FileFormatError, match="larger than 10 bytes"):
            nm.RegularProcess.load(stored)

    def test_a_missing_folder_is_named(self, tmp_path, weather):
        with pytest.raises(StorageError, match="nowhere is no folder"):
            weather.save(tmp_path / "nowhere" / "weather.json")

    def test_files_are_as_private_as_the_user_wants(self, tmp_path, weather):
        mask = os.umask(0o077)
        try:
            weather.save(tmp_path / "mine.json")
        finally:
            os.umask(mask)
        assert (tmp_path / "mine.json").stat().st_mode & 0o777 == 0o600

    def test_a_failed_write_leaves_the_old_file(self, stored, weather, monkeypatch):
        before = stored.read_bytes()

        def full(*_):
            raise OSError("No space left on device")

        monkeypatch.setattr("os.fsync", full)
        with pytest.raises(OSError, match="No space left"):
            nm.domain("rotating_mab").save(stored)
        assert stored.read_bytes() == before
        assert [path.name for path in stored.parent.iterdir()] == [stored.name]
