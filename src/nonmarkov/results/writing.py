"""Writing the files of one run, each whole or not at all, and the same bytes every time."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from nonmarkov.files import make_folder, write_atomically
from nonmarkov.results.reading import COLUMNS, RESULT, RUNS
from nonmarkov.results.specification import RunSpec
from nonmarkov.training import Evaluation


def write_object(path: Path, content: dict[str, Any]) -> None:
    """Write one JSON object, to be read by people too."""
    write_atomically(path, (json.dumps(content, indent=1, allow_nan=False) + "\n").encode())


def write_lines(path: Path, entries: Iterable[dict[str, Any]]) -> None:
    """Write JSON objects, one in every line."""
    lines = (json.dumps(entry, separators=(",", ":"), allow_nan=False) for entry in entries)
    write_atomically(path, "".join(f"{line}\n" for line in lines).encode())


def write_curve(path: Path, curve: Sequence[Evaluation]) -> None:
    """Write evaluations as a table, without the seconds."""
    lines = [",".join(COLUMNS)]
    for point in curve:
        entries = zip(point, COLUMNS.values(), strict=False)  # the seconds have no column
        lines.append(",".join(repr(kind(value).item()) for value, kind in entries))
    write_atomically(path, ("\n".join(lines) + "\n").encode())


def remove_drafts(folder: Path) -> None:
    """Remove what writers that were killed left behind."""
    for draft in folder.glob(".*"):
        draft.unlink(missing_ok=True)


def write_run(folder: Path, spec: RunSpec, files: Mapping[str, bytes]) -> None:
    """Store the files of a run that was done elsewhere, the result last."""
    place = folder / RUNS / spec.name
    make_folder(place)
    remove_drafts(place)
    for name in sorted(files, key=lambda name: (name == RESULT, name)):
        write_atomically(place / name, files[name])
