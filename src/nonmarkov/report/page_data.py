"""What the page knows about runs: read with suspicion, packed, and thinned out where necessary."""

import base64
import json
import os
import zlib
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from nonmarkov.domains import make_domain
from nonmarkov.errors import FileFormatError, NonMarkovError
from nonmarkov.files import canonical_json
from nonmarkov.report.snapshots import checked_snapshot
from nonmarkov.results.reading import RunRecord, read_run

RUNS = "runs"
CURVE_COLUMNS = ("episodes", "score", "states", "candidates")
LONGEST_TEXT = 2_000  # characters of an event or a problem


class Detail(NamedTuple):
    """How much of a run goes into the page."""

    snapshots: int
    points: int  # of the curve
    events: int


# From everything to almost nothing; the first that fits is taken.
DETAILS = (
    Detail(200, 400, 5_000),
    Detail(40, 300, 2_000),
    Detail(30, 200, 1_000),
    Detail(24, 200, 1_000),
    Detail(18, 150, 500),
    Detail(12, 150, 500),
    Detail(8, 120, 200),
    Detail(6, 120, 200),
    Detail(4, 100, 100),
    Detail(3, 100, 100),
    Detail(2, 60, 50),
    Detail(1, 40, 20),
    Detail(0, 30, 0),
    Detail(0, 10, 0),
)


class Problem(NamedTuple):
    """Something in the folder that could not be read."""

    name: str
    text: str


@dataclass
class RunData:
    """One run as the page needs it; its snapshots are compressed, for there may be many."""

    facts: dict[str, Any]
    curve: dict[str, list[Any]]
    n_snapshots: int
    snapshots: bytes  # compressed lines of JSON
    events: list[dict[str, Any]]

    def pack(self, detail: Detail) -> dict[str, Any]:
        """Return the run as JSON data, with as much detail as allowed."""
        points = spread(len(self.curve["episodes"]), detail.points)
        kept = spread(self.n_snapshots, detail.snapshots)
        events = self.events[-detail.events :] if detail.events else []
        return self.facts | {
            "curve": {name: [column[i] for i in points] for name, column in self.curve.items()},
            "kept": {
                "snapshots": [len(kept), self.n_snapshots],
                "points": [len(points), len(self.curve["episodes"])],
                "events": [len(events), len(self.events)],
            },
            "details": self._details(kept, events) if kept or events else None,
        }

    def _details(self, kept: list[int], events: list[dict[str, Any]]) -> str:
        """Return snapshots and events, compressed and written in letters."""
        lines = zlib.decompress(self.snapshots).split(b"\n") if kept else []
        snapshots = b",".join(lines[i] for i in kept)
        content = b'{"snapshots":[%b],"events":%b}' % (snapshots, _json(events))
        return base64.b64encode(zlib.compress(content)).decode()


@dataclass
class Gathered:
    """All runs of a folder, and what could not be read."""

    runs: list[RunData] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def gather(folder: Path) -> Gathered:
    """Return the runs of a folder; a damaged one becomes a problem, never an error."""
    gathered = Gathered()
    for place in run_folders(folder):
        run, problems = read_folder(place, folder)
        gathered.problems += problems
        if run is not None:
            gathered.runs.append(run)
    return gathered


def run_folders(folder: Path) -> Iterator[Path]:
    """Return what may be runs, in the order of their names."""
    if not folder.is_dir():
        raise FileNotFoundError(f"{folder} is no folder.")
    runs = folder / RUNS
    if runs.is_dir():
        yield from sorted(p for p in runs.iterdir() if p.is_dir() and not p.name.startswith("."))


def read_folder(place: Path, folder: Path) -> tuple[RunData | None, list[Problem]]:
    """Return a run, if it can be read, and what is wrong with it."""
    try:
        if not inside(place, folder):
            return None, [_problem(place, "leads out of the folder; it is not read.")]
        record = read_run(place)
        facts = _facts(record)
        _json(facts)
    except FileNotFoundError:
        return None, [_problem(place, "has no spec.json.")]
    except (NonMarkovError, OSError) as error:
        return None, [_problem(place, error)]
    problems = [_problem(place, record.problem)] if record.problem else []

    def attempt(read: Callable[[RunRecord], Any], otherwise: Any) -> Any:
        try:
            return read(record)
        except (NonMarkovError, OSError) as error:
            problems.append(_problem(place, error))
            return otherwise

    curve = attempt(_curve, {name: [] for name in CURVE_COLUMNS})
    count, snapshots = attempt(_snapshots, (0, b""))
    return RunData(facts, curve, count, snapshots, attempt(_events, [])), problems


def inside(place: Path, folder: Path) -> bool:
    """Return whether a run and all its files are within the folder, links followed."""
    root = folder.resolve()
    return all(path.resolve().is_relative_to(root) for path in (place, *place.iterdir()))


def _problem(place: Path, what: object) -> Problem:
    """Return a problem; where the folder lies is nobody's business who gets the page."""
    words = " ".join(str(what).replace(f"{place}{os.sep}", "").replace(str(place), "").split())
    return Problem(place.name, words[:LONGEST_TEXT])


def _facts(record: RunRecord) -> dict[str, Any]:
    """Return what is said about the run as a whole."""
    spec = record.spec
    optimal_score, minimal_states = _known(record)
    seconds = record.timing.get("seconds")
    return {
        "name": record.name,
        "domain": spec.domain,
        "parameters": dict(spec.parameters),
        "method": spec.method,
        "seed": spec.seed,
        "episodes": spec.episodes,
        "settings": dict(spec.settings),
        "complete": record.complete,
        "result": _result(record),
        "optimal_score": optimal_score,
        "minimal_states": minimal_states,
        "seconds": seconds if _is_number(seconds) else None,
        "grid": grid_of(spec.parameters),
    }


def _result(record: RunRecord) -> dict[str, Any] | None:
    if record.result is None:
        return None
    wanted = ("episodes", "score", "states", "right", "episodes_to_95", "certificate")
    return {name: record.result[name] for name in wanted}


def _known(record: RunRecord) -> tuple[float | None, int | None]:
    """Return the optimal score and the minimal number of states; computed if it is running."""
    if record.result is not None:
        return record.result["optimal_score"], record.result["minimal_states"]
    return _computed(record.spec.domain, canonical_json(dict(record.spec.parameters)))


@lru_cache(maxsize=256)
def _computed(domain: str, parameters: str) -> tuple[float | None, int | None]:
    try:
        process = make_domain(domain, **json.loads(parameters)).build()
        return process.optimal_score, process.minimal().n_states
    except NonMarkovError:
        return None, None


def grid_of(parameters: Any) -> dict[str, Any] | None:
    """Return the board of a domain whose observations are cells, or None."""
    start, goal = parameters.get("start"), parameters.get("goal")
    if not (_is_cell(start) and _is_cell(goal)):
        return None
    width, height = (parameters.get(name, parameters.get("k")) for name in ("width", "height"))
    if not (isinstance(width, int) and isinstance(height, int)) or max(width, height) > 64:
        return None
    return {"width": width, "height": height, "start": list(start), "goal": list(goal)}


def _is_cell(value: object) -> bool:
    return (
        isinstance(value, (list, tuple))
        and len(value) == 2
        and all(isinstance(entry, int) for entry in value)
    )


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _curve(record: RunRecord) -> dict[str, list[Any]]:
    columns = {name: record.curve[name].tolist() for name in CURVE_COLUMNS}
    return columns | {"score": [rounded(score) for score in columns["score"]]}


def _snapshots(record: RunRecord) -> tuple[int, bytes]:
    """Return how many snapshots there are, and all of them, compressed."""
    lines = [
        _json(checked_snapshot(snapshot, f"{record.folder / 'snapshots.jsonl'}, line {line}"))
        for line, snapshot in enumerate(record.snapshots, 1)
    ]
    return len(lines), zlib.compress(b"\n".join(lines))


def _events(record: RunRecord) -> list[dict[str, Any]]:
    events = []
    for event in record.events:
        if not isinstance(event["episode"], int):
            raise FileFormatError(
                f"{record.folder / 'events.jsonl'} has {event['episode']!r} as an episode."
            )
        words = {name: str(event[name])[:LONGEST_TEXT] for name in ("kind", "text")}
        events.append({"episode": event["episode"]} | words)
    return events


def rounded(value: float) -> float:
    """Return a number with as many digits as anybody reads."""
    return float(f"{value:.6g}")


def spread(length: int, most: int) -> list[int]:
    """Return at most so many indices, the last first of all, dense where curves begin."""
    if length <= most:
        return list(range(length))
    if most <= 1:
        return [length - 1] * most
    even = np.linspace(0, length - 1, most - most // 2)
    early = np.geomspace(1, length, most // 2) - 1
    return sorted({round(i) for i in (*even.tolist(), *early.tolist())})


def _json(content: Any) -> bytes:
    """Return compact JSON; numbers such as 1e999, which are read as infinite, have none."""
    try:
        return json.dumps(content, separators=(",", ":"), allow_nan=False).encode()
    except (ValueError, RecursionError) as error:
        raise FileFormatError(f"It cannot be shown: {error}.") from None


def page_data(
    gathered: Gathered, room: int, size: Callable[[dict[str, Any]], int]
) -> dict[str, Any]:
    """Return the data of the page in at most `room` bytes, and say what was left out for that."""

    @lru_cache
    def packed(level: int) -> dict[str, Any]:
        runs = [run.pack(DETAILS[level]) for run in gathered.runs]
        problems = [problem._asdict() for problem in gathered.problems]
        return {"runs": runs, "problems": problems, "notes": [_note(runs)] * _thinned(runs)}

    levels = range(len(DETAILS))
    best = bisect_left(levels, True, key=lambda level: size(packed(level)) <= room)
    if best < len(DETAILS):
        return packed(best)
    data = packed(len(DETAILS) - 1)
    runs = _as_many(data["runs"], room, size)
    note = f"Only {len(runs):,} of {len(gathered.runs):,} runs fit into this page."
    return {"runs": runs, "problems": data["problems"][:100], "notes": [note]}


def _as_many(
    runs: list[dict[str, Any]], room: int, size: Callable[[dict[str, Any]], int]
) -> list[dict[str, Any]]:
    """Return as many runs as fit, by halving."""
    while runs and size({"runs": runs}) > 0.9 * room:
        runs = runs[: len(runs) // 2]
    return runs


def _thinned(runs: Sequence[dict[str, Any]]) -> bool:
    return any(kept < there for run in runs for kept, there in run["kept"].values())


def _note(runs: Sequence[dict[str, Any]]) -> str:
    """Return what was left out, in words."""
    totals = {
        name: [sum(run["kept"][name][i] for run in runs) for i in (0, 1)]
        for name in ("snapshots", "points", "events")
    }
    names = {"snapshots": "snapshots", "points": "points of curves", "events": "events"}
    parts = [f"{kept:,} of {there:,} {names[name]}" for name, (kept, there) in totals.items()]
    return f"To stay small, this page keeps {', '.join(parts)}; the folder has them all."
