"""Episodes in flat arrays, and the files they live in."""

import contextlib
import io
import zipfile

import numpy as np
import pytest
from hypothesis import given

import nonmarkov as nm
from nonmarkov.errors import AlphabetError, FileFormatError, InvalidParameterError
from nonmarkov.testing.strategies import episode_batches

EPISODES = [
    [("up", (0, 1), 0.0), ("up", (0, 2), 100.0), ("left", nm.END, 0.0)],
    [("left", (0, 1), 0.0)],
]


@given(episode_batches())
def test_lists_and_arrays_say_the_same(batch):
    assert nm.EpisodeBatch.from_lists(list(batch), batch.alphabet) == batch


@given(episode_batches())
def test_lengths_add_up(batch):
    assert batch.lengths.sum() == batch.n_steps
    assert [len(episode) for episode in batch] == batch.lengths.tolist()
    ended = [episode[-1][1] is nm.END for episode in batch]
    assert batch.terminated.tolist() == ended


def test_alphabets_are_collected_from_the_data():
    batch = nm.EpisodeBatch.from_lists(EPISODES)
    assert batch.alphabet.actions == ("up", "left")
    assert batch.alphabet.observations == ((0, 1), (0, 2))
    assert batch.alphabet.rewards == (0.0, 100.0)
    assert list(batch) == EPISODES
    assert batch[-1] == EPISODES[1]
    assert batch.terminated.tolist() == [True, False]


@given(episode_batches())
def test_slices_are_batches(batch):
    assert list(batch[1:4]) == list(batch)[1:4]
    assert list(batch[::-2]) == list(batch)[::-2]
    assert len(batch[:0]) == 0


@given(episode_batches())
def test_a_batch_survives_its_file(tmp_path_factory, batch):
    path = tmp_path_factory.mktemp("episodes") / "batch.npz"
    batch.save(path)
    loaded = nm.EpisodeBatch.load(path)
    assert loaded == batch
    assert hash(loaded) == hash(batch)


@pytest.mark.parametrize(
    ("symbols", "starts", "message"),
    [
        ([0, 1], [0, 3], "from 0 to the number of symbols"),
        ([0, 1], [1, 2], "from 0 to the number of symbols"),
        ([0, 1], [0, 0, 2], "episode 0 is empty"),
        ([0, 99], [0, 2], "symbols must lie in"),
        ([-1, 0], [0, 2], "symbols must lie in"),
        ([4, 0], [0, 2], "episode 0 goes on after termination"),
        ([[0]], [0, 1], "one-dimensional"),
        ([2**32, 0], [0, 2], "too large for int32"),
        ([0.5, 0.0], [0, 2], "symbols must hold int32, got float64"),
    ],
)
def test_bad_arrays_are_refused(symbols, starts, message):
    alphabet = nm.Alphabet(("a", "b"), ("x", "y"), (0.0, 1.0))
    with pytest.raises(InvalidParameterError, match=message):
        nm.EpisodeBatch(alphabet, np.array(symbols), np.array(starts))


def test_bad_lists_are_refused():
    with pytest.raises(AlphabetError, match="episode 1, step 0: expected"):
        nm.EpisodeBatch.from_lists([[("a", "x", 0.0)], ["ax"]])
    with pytest.raises(InvalidParameterError, match="episode 1 is empty"):
        nm.EpisodeBatch.from_lists([[("a", "x", 0.0)], []])
    with pytest.raises(InvalidParameterError, match=r"episode 1: expected a list of .*, got None"):
        nm.EpisodeBatch.from_lists([[("a", "x", 0.0)], None])
    with pytest.raises(InvalidParameterError, match="at least one episode, got none"):
        nm.EpisodeBatch.from_lists([])
    with pytest.raises(AlphabetError, match="observation 'z'"):
        nm.EpisodeBatch.from_lists([[("a", "z", 0.0)]], nm.Alphabet(("a",), ("x",), (0.0,)))


@pytest.fixture
def stored(tmp_path):
    path = tmp_path / "batch.npz"
    nm.EpisodeBatch.from_lists(EPISODES).save(path)
    return path


def test_a_truncated_file_is_refused(stored):
    data = stored.read_bytes()
    for size in (0, 10, len(data) // 2, len(data) - 1):
        stored.write_bytes(data[:size])
        with pytest.raises(FileFormatError, match=r"batch\.npz"):
            nm.EpisodeBatch.load(stored)


def test_a_damaged_file_is_refused(stored):
    data = bytearray(stored.read_bytes())
    data[len(data) // 3] ^= 0xFF
    stored.write_bytes(bytes(data))
    with pytest.raises(FileFormatError, match=r"batch\.npz"):
        nm.EpisodeBatch.load(stored)


def test_a_foreign_file_is_refused(tmp_path):
    path = tmp_path / "other.npz"
    np.savez(path, symbols=np.arange(3))
    with pytest.raises(FileFormatError, match="does not hold episodes"):
        nm.EpisodeBatch.load(path)


def test_pickles_are_never_loaded(stored):
    buffer = io.BytesIO()
    np.save(buffer, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with zipfile.ZipFile(stored, "w") as archive:
        archive.writestr("alphabet.npy", buffer.getvalue())
    with pytest.raises(FileFormatError, match="objects are never loaded"):
        nm.EpisodeBatch.load(stored)


def forge(path, **arrays):
    """The stored file with some of its arrays replaced by raw bytes."""
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in (entries | {f"{k}.npy": v for k, v in arrays.items()}).items():
            archive.writestr(name, data)


def test_a_forged_header_allocates_nothing(stored):
    buffer = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        buffer, {"shape": (10**12,), "fortran_order": False, "descr": "<i4"}
    )
    forge(stored, symbols=buffer.getvalue())
    with pytest.raises(FileFormatError, match="a header does not agree with its data"):
        nm.EpisodeBatch.load(stored)


def test_a_deep_alphabet_is_refused(stored):
    buffer = io.BytesIO()
    np.save(buffer, np.array("[" * 100_000))
    forge(stored, alphabet=buffer.getvalue())
    with pytest.raises(FileFormatError, match="does not hold episodes"):
        nm.EpisodeBatch.load(stored)


def test_damage_anywhere_is_noticed_or_harmless(stored):
    """Flip every byte of the file: either it is refused, or the episodes are the same."""
    batch, data = nm.EpisodeBatch.load(stored), stored.read_bytes()
    for i in range(len(data)):
        stored.write_bytes(data[:i] + bytes([data[i] ^ 0x55]) + data[i + 1 :])
        with contextlib.suppress(FileFormatError):
            assert nm.EpisodeBatch.load(stored) == batch


def test_rewards_must_be_numbers():
    with pytest.raises(InvalidParameterError, match="a reward must be a finite number, got 'x'"):
        nm.EpisodeBatch.from_lists([[("a", "o", 1.0), ("a", "o", "x")]])


def test_termination_pays_nothing():
    with pytest.raises(AlphabetError, match="Termination pays nothing"):
        nm.EpisodeBatch.from_lists([[("a", "o", 1.0), ("a", nm.END, 5.0)]])


def test_a_file_that_unpacks_to_too_much_is_refused(stored, monkeypatch):
    monkeypatch.setattr("nonmarkov.files.LARGEST_FILE", stored.stat().st_size)
    with pytest.raises(FileFormatError, match="unpacks to more than"):
        nm.EpisodeBatch.load(stored)
