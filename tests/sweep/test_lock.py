"""One sweep at a time in a folder, and no lock outlives its holder."""

import os
import signal
import subprocess
import sys

import pytest

from nonmarkov import errors
from nonmarkov.sweep.lock import LOCK, locked

HOLD = """
import sys; from pathlib import Path; from nonmarkov.sweep.lock import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def start_holder(folder):
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", HOLD, str(folder)]
    holder = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)
    assert holder.stdout.readline() == "held\n"
    return holder


def test_a_second_sweep_is_refused_and_told_by_whom(tmp_path):
    with start_holder(tmp_path / "new") as holder:
        with (
            pytest.raises(errors.FolderInUseError, match=f"process {holder.pid} on "),
            locked(tmp_path / "new"),
        ):
            pass
        holder.communicate("")
    with locked(tmp_path / "new"):
        assert (tmp_path / "new" / LOCK).exists()
    assert list((tmp_path / "new").iterdir()) == []


def test_the_lock_of_a_killed_process_is_taken_over(tmp_path):
    with start_holder(tmp_path) as holder:
        os.kill(holder.pid, signal.SIGKILL)
    assert (tmp_path / LOCK).exists()
    with locked(tmp_path):
        assert str(os.getpid()) in (tmp_path / LOCK).read_text()


def test_it_is_given_up_after_an_error(tmp_path):
    with pytest.raises(KeyError), locked(tmp_path):
        raise KeyError
    with locked(tmp_path):
        pass


def test_a_lock_file_with_strange_contents_does_not_matter(tmp_path):
    (tmp_path / LOCK).write_bytes(b"\xff\x00")
    with locked(tmp_path):
        pass


def test_where_nothing_can_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(errors.StorageError, match="cannot be written"), locked(tmp_path / "file"):
        pass
    (tmp_path / LOCK).mkdir()
    with pytest.raises(errors.StorageError, match="directory"), locked(tmp_path):
        pass
