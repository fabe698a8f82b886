"""Files are written whole or not at all, and a disk that cannot be written to is named."""

import errno
import os

import pytest

from nonmarkov import errors
from nonmarkov.files import write_atomically
from nonmarkov.results import writing
from nonmarkov.results.execution import execute
from nonmarkov.results.reading import read_curve
from nonmarkov.results.specification import RunSpec
from nonmarkov.training import Evaluation


def test_curves_are_exact(tmp_path):
    curve = [Evaluation(0, 0.1 + 0.2, 1, 1e-17, 2, 1 / 3, 0.0, 5.0), Evaluation(7, *range(7))]
    writing.write_curve(tmp_path / "curve.csv", curve)
    columns = read_curve(tmp_path / "curve.csv")
    assert list(zip(*(column.tolist() for column in columns.values()), strict=True)) == [
        tuple(point[:-1]) for point in curve
    ]


@pytest.mark.parametrize(
    ("number", "text"),
    [(errno.ENOSPC, "Make room"), (errno.EACCES, "may be written"), (errno.EIO, "cannot be")],
)
def test_a_full_disk_is_named_and_nothing_is_lost(tmp_path, monkeypatch, number, text):
    path = tmp_path / "curve.csv"
    write_atomically(path, b"old")

    def fail(descriptor):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(errors.StorageError, match=text) as caught:
        write_atomically(path, b"new")
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert [(p.name, p.read_bytes()) for p in tmp_path.iterdir()] == [("curve.csv", b"old")]


def test_a_folder_that_cannot_be(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(errors.StorageError, match="cannot be written"):
        execute(RunSpec("rotating_mab"), tmp_path / "file")
