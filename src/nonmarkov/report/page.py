"""The page about a folder of runs: one HTML file that needs no network and no other file.

Data is embedded as JSON in which no character can end its element, scripts and styles are allowed
by their hashes alone, and the scripts turn data into text, never into markup: nothing that is
written in a run, however it is named, can do anything in the page.
"""

import base64
import hashlib
import json
import os
from datetime import UTC, datetime
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from nonmarkov.errors import FileFormatError
from nonmarkov.files import write_atomically
from nonmarkov.report.page_data import RUNS, Gathered, gather, page_data

REPORT = "report.html"
LARGEST_PAGE = 10_000_000  # bytes

# Every script uses only those before it; the last one starts the page.
SCRIPTS = (
    "dom",
    "text",
    "store",
    "statistics",
    "scales",
    "table",
    "summary",
    "curves",
    "automaton",
    "layout",
    "edges",
    "gestures",
    "graph",
    "scenes",
    "inspector",
    "unpacking",
    "events",
    "outcome",
    "strip",
    "runs",
    "theme",
    "main",
)


def write_report(folder: str | os.PathLike[str]) -> Path:
    """Write report.html about the runs in `folder`, at least one, and return its path."""
    place = Path(folder)
    gathered = gather(place)
    if not gathered.runs and not gathered.problems:
        raise FileFormatError(
            f"{place} holds no runs: there is nothing in {place / RUNS}. `nonmarkov sweep` and "
            f"`nonmarkov reproduce` make some."
        )
    target = place / REPORT
    write_atomically(target, report(place.resolve().name, gathered).encode())
    return target


def report(title: str, gathered: Gathered, most_bytes: int = LARGEST_PAGE) -> str:
    """Return the page with all its data, thinned out if it would be larger than allowed."""
    written = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    room = most_bytes - len(render(title, {}).encode())
    data = page_data(gathered, room, lambda content: len(embedded(content).encode()))
    return render(title, data | {"written": written, "live": False})


def render(title: str, data: dict[str, Any]) -> str:
    """Return the page with some data in it."""
    style = "\n" + _resource("page.css")
    script = '\n"use strict";\n' + "\n".join(_resource(f"{name}.js") for name in SCRIPTS)
    page = _resource("page.html")
    parts = {
        "policy": escape(policy(style, script, live=bool(data.get("live")))),
        # Names of folders may hold bytes that are no text.
        "title": escape(f"nonmarkov runs: {title}".encode("utf-8", "replace").decode()),
        "style": style,
        "script": script,
        "data": embedded(data),
    }
    first, *rest = page.split("{{")
    pieces = (piece.split("}}", 1) for piece in rest)
    return first + "".join(parts[name] + after for name, after in pieces)


def policy(style: str, script: str, *, live: bool) -> str:
    """Return the Content-Security-Policy: this script, this style, nothing else."""
    rules = {
        "default-src": "'none'",
        "script-src": _hash(script),
        "style-src": _hash(style),
        "img-src": "data:",
        "connect-src": "'self'" if live else "'none'",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in rules.items())


def embedded(content: Any) -> str:
    """Return JSON that stays text within any element of an HTML page."""
    data = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character in "<>&\u2028\u2029":
        data = data.replace(character, f"\\u{ord(character):04x}")
    # A lone surrogate is valid JSON, but no valid text.
    return data.encode("utf-8", "backslashreplace").decode()


def _hash(source: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()}'"


def _resource(name: str) -> str:
    return files("nonmarkov.report").joinpath("page", name).read_text(encoding="utf-8")
