"""CSV: one step a row, under a header.

    episode,action,observation,reward,terminated
    1,left,wall,0,0
    1,right,goal,1,1

The rows of an episode stand together. `terminated` is 1 or true in the row that ends the episode;
an episode without such a row was cut off. A row without action and reward holds the observation
before the first action. A terminated row without observation and reward is an action that was
answered by the end and nothing else. Cells that look like numbers are numbers; further columns are
not looked at.
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from nonmarkov.core.alphabet import END, Symbol
from nonmarkov.errors import LogError
from nonmarkov.labels import Label
from nonmarkov.logs.episode import LONGEST_EPISODE, NOTHING, LoggedEpisode
from nonmarkov.logs.lines import numbered_lines

COLUMNS = ("episode", "action", "observation", "reward", "terminated")
TRUTH = {"1": True, "true": True, "0": False, "false": False, "": False}
REMEMBERED = 200_000  # names of episodes, to notice that one comes back


@dataclass
class _Open:
    """The episode that is being read."""

    name: str
    place: str
    first: object = NOTHING
    steps: list[Symbol] = field(default_factory=list)
    over: bool = False

    def closed(self) -> LoggedEpisode:
        return LoggedEpisode(self.steps, self.over, self.place, self.first)


def read_csv(path: Path) -> Iterator[LoggedEpisode]:
    """Yield the episodes of a file."""
    rows = _rows(path)
    header = next(rows, None)
    if header is None:
        return
    order = _columns(header[1], header[0])
    current: _Open | None = None
    seen: set[str] = set()
    for place, row in rows:
        if len(row) != len(header[1]):
            raise LogError(
                f"{place}: the row has {len(row)} cells, the header {len(header[1])}. Complete it."
            )
        name, *cells = [row[i].strip() for i in order]
        if current is None or name != current.name:
            if current is not None:
                yield current.closed()
            _check_name(name, seen, place)
            current = _Open(name, place)
        _add(current, cells, place)
    if current is not None:
        yield current.closed()


def _rows(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield rows that are not empty, each with its place."""
    reader = csv.reader((text for _, text in numbered_lines(path)), strict=True)
    try:
        for row in reader:
            if row:
                yield f"{path}:{reader.line_num}", row
    except csv.Error as error:
        raise LogError(f"{path}:{reader.line_num}: no CSV ({error}). Check the quotes.") from None


def _columns(header: list[str], place: str) -> list[int]:
    """Return where the columns are."""
    names = [name.strip().lower() for name in header]
    for column in COLUMNS:
        if names.count(column) != 1:
            problem = "missing" if column not in names else "there twice"
            raise LogError(
                f"{place}: the column {column!r} is {problem}. The header must have "
                f"{','.join(COLUMNS)}, got {','.join(header):.80}."
            )
    return [names.index(column) for column in COLUMNS]


def _check_name(name: str, seen: set[str], place: str) -> None:
    if not name:
        raise LogError(f"{place}, column episode: it is empty. Say which episode the row is from.")
    if name in seen:
        raise LogError(
            f"{place}, column episode: episode {name!r} comes back. Sort the rows by episode."
        )
    if len(seen) < REMEMBERED:
        seen.add(name)


def _add(episode: _Open, cells: list[str], place: str) -> None:
    """Add a row to its episode."""
    action, observation, reward, ended = cells
    if episode.over:
        raise LogError(f"{place}: episode {episode.name!r} goes on after a terminated row.")
    over = TRUTH.get(ended.lower())
    if over is None:
        raise LogError(f"{place}, column terminated: {ended!r} is neither 0 nor 1.")
    if len(episode.steps) >= LONGEST_EPISODE:
        return
    if not action and not reward and not episode.steps and episode.first is NOTHING:
        episode.first = _label(observation)
        return
    if over and not observation and not reward:
        episode.steps.append((_filled(action, "action", place), END, 0.0))
    else:
        step = _filled(action, "action", place), _filled(observation, "observation", place)
        episode.steps.append((*step, _reward(reward, place)))
    episode.over = over


def _filled(cell: str, column: str, place: str) -> Label:
    if not cell:
        raise LogError(f"{place}, column {column}: it is empty. Fill it in, or drop the row.")
    return _label(cell)


def _label(cell: str) -> Label:
    """Return a number if the cell looks like one."""
    if cell[:1] not in "+-.0123456789":
        return cell
    for kind in (int, float):
        try:
            return kind(cell)
        except ValueError:
            continue
    return cell


def _reward(cell: str, place: str) -> float:
    try:
        return float(cell)
    except ValueError:
        raise LogError(
            f"{place}, column reward: {cell!r} is no number. Write a number, such as 0."
        ) from None
