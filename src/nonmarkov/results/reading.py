"""Reading one run back from its folder, with suspicion: what is damaged is never a result.

runs/<name>/
    spec.json        what the run is
    curve.csv        one row per evaluation
    events.jsonl     one line per change of the automaton
    snapshots.jsonl  one line per kept snapshot of the automaton
    agent.json       abstraction and policy at the end
    result.json      what it came to; written last, so a run is complete if and only if it is there
    timing.json      seconds, versions, date: all that may differ between two equal runs
"""

import csv
import io
import json
import math
import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nonmarkov.errors import FileFormatError
from nonmarkov.files import UNREADABLE, read_bytes
from nonmarkov.results.specification import FORMAT, RunSpec

RUNS = "runs"  # all runs of a folder of results are in there
SPEC, RESULT, TIMING, AGENT = "spec.json", "result.json", "timing.json", "agent.json"
CURVE, EVENTS, SNAPSHOTS = "curve.csv", "events.jsonl", "snapshots.jsonl"
CHECKPOINT = "checkpoint.nm"

# The columns of a curve, in the order of the fields of an evaluation, with their types.
COLUMNS: dict[str, type] = {
    "episodes": np.int64,
    "score": np.float64,
    "states": np.int64,
    "sampled": np.float64,
    "candidates": np.int64,
    "safe_steps": np.float64,
    "candidate_steps": np.float64,
}

# What a result must hold, with the types that are allowed.
_NUMBER, _COUNT = (int, float), (int,)
_REQUIRED: dict[str, tuple[type, ...]] = {
    "name": (str,),
    "episodes": _COUNT,
    "score": _NUMBER,
    "optimal_score": _NUMBER,
    "states": _COUNT,
    "minimal_states": _COUNT,
    "right": (bool,),
    "certificate": (dict,),
    "episodes_to_95": (int, type(None)),
    "episodes_to_99": (int, type(None)),
}


@dataclass(frozen=True)
class RunRecord:
    """One run as its folder tells it; curve, events and snapshots are read when asked for."""

    folder: Path
    spec: RunSpec
    result: dict[str, Any] | None  # None while the run is not complete
    problem: str = ""  # why a result that is there does not count

    @property
    def name(self) -> str:
        """The name of the run."""
        return self.spec.name

    @property
    def complete(self) -> bool:
        """Whether the run came to its end."""
        return self.result is not None

    @cached_property
    def curve(self) -> dict[str, NDArray[Any]]:
        """The evaluations so far, an array for every column."""
        return read_curve(self.folder / CURVE)

    @cached_property
    def events(self) -> list[dict[str, Any]]:
        """The changes of the automaton so far: episode, kind and text."""
        return read_lines(self.folder / EVENTS, ("episode", "kind", "text"))

    @cached_property
    def snapshots(self) -> list[dict[str, Any]]:
        """The kept snapshots of the automaton so far."""
        needed = ("episodes", "score", "start", "actions", "states", "edges")
        return read_lines(self.folder / SNAPSHOTS, needed)

    @cached_property
    def timing(self) -> dict[str, Any]:
        """Seconds, versions and date; empty while the run is not complete, or if unreadable."""
        try:
            return read_object(self.folder / TIMING)
        except (FileFormatError, OSError):
            return {}


def read_run(folder: str | os.PathLike[str]) -> RunRecord:
    """Return the run in a folder.

    FileNotFoundError if there is no specification, FileFormatError if it is no valid one.

    A damaged result leaves the run incomplete, and `problem` says what is wrong with it.
    """
    place = Path(folder)
    spec = RunSpec.from_content(read_object(place / SPEC), place / SPEC)
    if spec.name != place.name:
        raise FileFormatError(f"{place / SPEC} is about run {spec.name}, not {place.name}.")
    try:
        return RunRecord(place, spec, _read_result(place / RESULT, spec))
    except FileNotFoundError:
        return RunRecord(place, spec, None)
    except FileFormatError as error:
        return RunRecord(place, spec, None, str(error))


def _read_result(path: Path, spec: RunSpec) -> dict[str, Any]:
    """Return the content of result.json, which must belong to `spec` and hold all it should."""
    result = read_object(path)
    if result.get("format") != FORMAT:
        raise FileFormatError(
            f"{path} has format {result.get('format')!r}; this library reads {FORMAT}."
        )
    if result.get("spec") != spec.to_content() or result.get("name") != spec.name:
        raise FileFormatError(f"{path} is the result of another run.")
    for key, kinds in _REQUIRED.items():
        value = result.get(key, Ellipsis)
        wrong = isinstance(value, bool) and bool not in kinds
        if wrong or not isinstance(value, kinds):
            shown = "nothing" if value is Ellipsis else repr(value)
            raise FileFormatError(f"{path} has {shown} as {key}.")
    return result


def read_object(path: Path) -> dict[str, Any]:
    """Return the JSON object in a file."""
    content = _parse(read_bytes(path), path)
    if not isinstance(content, dict):
        raise FileFormatError(f"{path} does not hold a JSON object.")
    return content


def read_lines(path: Path, needed: tuple[str, ...]) -> list[dict[str, Any]]:
    """Return the JSON objects of a file with one in every line; none if there is no file yet."""
    try:
        data = read_bytes(path)
    except FileNotFoundError:
        return []
    objects = []
    for number, line in enumerate(data.splitlines(), 1):
        entry = _parse(line, f"{path}, line {number},")
        if not isinstance(entry, dict) or not all(key in entry for key in needed):
            raise FileFormatError(f"{path}, line {number}, lacks some of {', '.join(needed)}.")
        objects.append(entry)
    return objects


def read_curve(path: Path) -> dict[str, NDArray[Any]]:
    """Return the columns of a curve; empty ones if there is no file yet."""
    try:
        text = read_bytes(path).decode()
        rows = list(csv.reader(io.StringIO(text), strict=True))
        if not text.endswith("\n") or rows[0] != list(COLUMNS):
            raise FileFormatError(f"{path} does not hold a curve: {','.join(COLUMNS)}.")
        columns = zip(*rows[1:], strict=True) if len(rows) > 1 else ((),) * len(COLUMNS)
        return {
            name: np.array([_number(entry, kind) for entry in column], dtype=kind)
            for (name, kind), column in zip(COLUMNS.items(), columns, strict=True)
        }
    except FileNotFoundError:
        return {name: np.zeros(0, dtype=kind) for name, kind in COLUMNS.items()}
    except (*UNREADABLE, csv.Error) as error:
        if isinstance(error, FileFormatError):
            raise
        raise FileFormatError(f"{path} does not hold a curve: {error}.") from None


def _number(text: str, kind: type) -> float:
    number = int(text) if kind is np.int64 else float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is not finite")
    return number


def _parse(data: bytes, source: object) -> Any:
    try:
        return json.loads(data, parse_constant=_refuse_constant)
    except UNREADABLE as error:
        raise FileFormatError(f"{source} does not hold JSON: {error}.") from None


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number that JSON knows")
