"""Lists as AALpy's passive learners take them: [initial output, (input, output), ...].

An input is an action, an output an observation; the initial output, if there is one, is the
observation before the first action. There are no rewards, unless `rewards` says what outputs pay,
and nothing says that an episode ended, so all count as cut off.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from nonmarkov.core.alphabet import Symbol
from nonmarkov.errors import LogError
from nonmarkov.logs.episode import NOTHING, LoggedEpisode
from nonmarkov.logs.jsonl import decode, label_at
from nonmarkov.logs.lines import LONGEST_LINE, numbered_lines

PAIR = 2


def from_aalpy(
    lists: Iterable[Sequence[Any]], rewards: Mapping[Any, float] | None = None
) -> Iterator[LoggedEpisode]:
    """Yield the episodes of lists as AALpy takes them."""
    for i, entries in enumerate(lists):
        yield _episode(entries, f"list {i}", rewards or {}, one_kind=False)


def read_aalpy(path: Path) -> Iterator[LoggedEpisode]:
    """Yield the episodes of a file: one JSON list of lists, or one list a line."""
    decoder = json.JSONDecoder()
    if _is_one_document(path):
        text = "".join(text for _, text in numbered_lines(path))
        for i, entries in enumerate(decode(decoder, text, str(path))):
            place = f"{path}, list {i}"
            yield _episode(_labels(entries, place), place, {})
        return
    for number, text in numbered_lines(path):
        if text.strip():
            place = f"{path}:{number}"
            yield _episode(_labels(decode(decoder, text, place), place), place, {})


def _is_one_document(path: Path) -> bool:
    """Return whether a file is one JSON list of lists, and not one list a line."""
    number, text = next(((n, t.strip()) for n, t in numbered_lines(path) if t.strip()), (0, ""))
    try:
        outer = json.loads(text)
    except ValueError:
        outer = [[[]]]  # it goes on in the next line
    inner = outer[0] if isinstance(outer, list) and outer else None
    one = isinstance(inner, list) and any(isinstance(entry, list) for entry in inner)
    if one and path.stat().st_size > LONGEST_LINE:
        raise LogError(
            f"{path}:{number}: one JSON text of more than {LONGEST_LINE >> 20} MB cannot be read "
            f"piece by piece. Write one list a line."
        )
    return one


def _labels(entries: Any, place: str) -> Any:
    """Return JSON entries with lists inside of pairs as tuples."""
    if not isinstance(entries, list):
        return entries
    return [
        [label_at(value, place) for value in entry]
        if i and isinstance(entry, list)
        else label_at(entry, place)
        for i, entry in enumerate(entries)
    ]


def _is_pair(entry: Any) -> bool:
    return isinstance(entry, (list, tuple)) and len(entry) == PAIR


def _episode(
    entries: Any, place: str, rewards: Mapping[Any, float], one_kind: bool = True
) -> LoggedEpisode:
    if not isinstance(entries, (list, tuple)) or not entries:
        raise LogError(
            f"{place}: expected [initial output, [input, output], ...], got {entries!r:.60}."
        )
    first = NOTHING if _is_pair(entries[0]) else entries[0]
    steps: list[Symbol] = []
    for i, entry in enumerate(entries):
        if i == 0 and first is not NOTHING:
            continue
        if not _is_pair(entry):
            raise LogError(f"{place}, entry {i}: expected (input, output), got {entry!r:.60}.")
        steps.append((entry[0], entry[1], rewards.get(entry[1], 0.0)))
    return LoggedEpisode(steps, False, place, first, one_kind)
