"""Which format a log has, and who reads it."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from nonmarkov.checks import check_choice
from nonmarkov.errors import LogError
from nonmarkov.logs.aalpy_lists import read_aalpy
from nonmarkov.logs.abbadingo import read_abbadingo
from nonmarkov.logs.csv_rows import read_csv
from nonmarkov.logs.episode import LoggedEpisode
from nonmarkov.logs.jsonl import read_jsonl
from nonmarkov.logs.lines import first_line
from nonmarkov.logs.minari_dataset import read_minari

FORMATS = ("auto", "jsonl", "csv", "abbadingo", "aalpy", "minari")
_READERS = {
    "jsonl": read_jsonl,
    "csv": read_csv,
    "abbadingo": read_abbadingo,
    "aalpy": read_aalpy,
}
_SUFFIXES = {".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv"}
_DATASET = re.compile(r"[\w./:-]+-v\d+")  # how Minari names datasets
_STEPS = re.compile(r"\s*\[\s*(\{|\[[^\[\]]*,[^\[\]]*,)")  # a list of objects, or of triples


def read_log(path: str | os.PathLike[str], kind: str = "auto") -> Iterator[LoggedEpisode]:
    """Return the episodes of a file, or of a Minari dataset, one by one.

    kind: "jsonl", "csv", "abbadingo", "aalpy" or "minari"; "auto" looks at the name and the first
    line. docs/logs.md has the formats. Nothing is kept, so a log may be larger than memory.
    """
    check_choice("kind", kind, FORMATS)
    source = Path(path)
    if kind == "minari" or (kind == "auto" and _is_dataset_name(os.fspath(path))):
        return read_minari(os.fspath(path))
    if not source.is_file():
        raise LogError(f"{source} is no file. Give the name of a log.")
    return _some(_READERS[_recognised(source) if kind == "auto" else kind](source), source)


def _some(episodes: Iterator[LoggedEpisode], path: Path) -> Iterator[LoggedEpisode]:
    """Yield the episodes, and refuse to yield none."""
    empty = True
    for episode in episodes:
        empty = False
        yield episode
    if empty:
        raise LogError(f"{path} holds no episode. A log needs at least one.")


def _is_dataset_name(path: str) -> bool:
    return not Path(path).exists() and _DATASET.fullmatch(path) is not None


def _recognised(path: Path) -> str:
    """Return the format of a file, from its suffix or its first line."""
    if kind := _SUFFIXES.get(path.suffix.lower()):
        return kind
    line = first_line(path)
    if not line.strip():
        raise LogError(f"{path} is empty. A log needs at least one episode.")
    if line.lstrip().startswith("{") or _STEPS.match(line):
        return "jsonl"
    if line.lstrip().startswith("["):
        return "aalpy"
    if re.fullmatch(r"\s*\d+\s+\d+\s*", line):
        return "abbadingo"
    if "," in line:
        return "csv"
    raise LogError(
        f"{path}:1: no known format begins like {line.strip()!r:.40}. Say which it is: "
        f"{', '.join(FORMATS[1:])}."
    )
