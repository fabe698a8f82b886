"""JSON Lines: one episode a line.

    {"steps": [["left", "wall", 0], ["right", "goal", 1]], "terminated": true}

A step is [action, observation, reward], or an object with these three names. "terminated" says
whether the last step ended the episode; without it, or if it is false, the episode was cut off. A
last step [action] was answered by the end and nothing else. "first" is the observation before the
first action. A line may also be a bare list of steps. Lists within a step are read as tuples.
"""

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from nonmarkov.core.alphabet import END, Symbol
from nonmarkov.errors import LogError, NonMarkovError
from nonmarkov.files import write_atomically
from nonmarkov.labels import Label, label_from_json
from nonmarkov.logs.episode import NOTHING, LoggedEpisode
from nonmarkov.logs.lines import numbered_lines

NAMES = ("action", "observation", "reward")
KEYS = ("steps", "terminated", "first", "truncated")  # the last is allowed, and says nothing more
EXAMPLE = '{"steps": [["left", "wall", 0]], "terminated": true}'


def read_jsonl(path: Path) -> Iterator[LoggedEpisode]:
    """Yield the episodes of a file."""
    decoder = json.JSONDecoder(parse_constant=_refuse_constant)
    for number, text in numbered_lines(path):
        if text.strip():
            place = f"{path}:{number}"
            yield _episode(decode(decoder, text, place), place)


def decode(decoder: json.JSONDecoder, text: str, place: str) -> Any:
    """Return the JSON value of a text; `place` is named in errors."""
    try:
        return decoder.decode(text.strip())
    except json.JSONDecodeError as error:
        raise LogError(
            f"{place}, column {error.colno}: no JSON ({error.msg}). Write one episode a line, for "
            f"example {EXAMPLE}."
        ) from None
    except (ValueError, RecursionError) as error:
        raise LogError(
            f"{place}: {error}. Write finite numbers, and lists of few levels."
        ) from None


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no number that can be learned from")


def _episode(content: Any, place: str) -> LoggedEpisode:
    if isinstance(content, list):
        content = {"steps": content}
    if not isinstance(content, dict) or "steps" not in content:
        raise LogError(f'{place}: the field "steps" is missing. Write {EXAMPLE}.')
    if unknown := [key for key in content if key not in KEYS]:
        raise LogError(
            f"{place}: the field {unknown[0]!r} is unknown; known are {', '.join(KEYS)}. Leave it "
            f"out."
        )
    over = content.get("terminated", False)
    if not isinstance(over, bool):
        raise LogError(f'{place}: "terminated" must be true or false, got {over!r}.')
    if not isinstance(content["steps"], list):
        raise LogError(f'{place}: "steps" must be a list of steps, got {content["steps"]!r:.60}.')
    steps = _steps(content["steps"], place)
    first = label_at(content["first"], place) if "first" in content else NOTHING
    return LoggedEpisode(steps, over, place, first)


def _steps(raw: list[Any], place: str) -> Sequence[Symbol]:
    """Return steps as tuples; nearly always they are plain, and then this is fast."""
    if not raw or set(map(type, raw)) == {list}:
        steps = tuple(map(tuple, raw))
        try:
            hash(steps)  # fails where a label is a list
            if not steps or len(steps[-1]) == 3:
                return steps
        except TypeError:
            pass
    last = len(raw) - 1
    return [_step(step, i == last, f"{place}, step {i}") for i, step in enumerate(raw)]


def _step(step: Any, last: bool, place: str) -> Symbol:
    if isinstance(step, dict):
        missing = [name for name in NAMES if name not in step]
        if missing and not (last and missing == ["observation", "reward"]):
            raise LogError(f'{place}: the field "{missing[0]}" is missing. Add it to the step.')
        step = [step[name] for name in NAMES if name in step]
    if isinstance(step, list) and len(step) == 1 and last:
        return label_at(step[0], place), END, 0.0
    if not isinstance(step, list) or len(step) != 3:
        raise LogError(
            f"{place}: expected [action, observation, reward], got {json.dumps(step)[:80]}."
        )
    return label_at(step[0], place), label_at(step[1], place), step[2]


def label_at(value: Any, place: str) -> Label:
    """Return the label that JSON wrote as `value`; `place` is named in errors."""
    try:
        return label_from_json(value)
    except (NonMarkovError, RecursionError):
        raise LogError(
            f"{place}: {str(value)[:60]} is no label. Use text, finite numbers, or lists of these."
        ) from None


def write_log(path: str | os.PathLike[str], episodes: Iterable[Sequence[Symbol]]) -> None:
    """Write episodes, a batch or lists of (action, observation, reward), as JSON Lines."""
    lines = []
    for episode in episodes:
        steps = [[a] if o is END else [a, o, r] for a, o, r in episode]
        lines.append(json.dumps({"steps": steps, "terminated": episode[-1][1] is END}))
    write_atomically(path, "".join(f"{line}\n" for line in lines).encode())
