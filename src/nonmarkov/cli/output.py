"""Output: tables and progress for people, JSON for programs."""

import json
import sys
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import click

Item = TypeVar("Item")


def print_json(content: Any) -> None:
    """Print one JSON document."""
    click.echo(json.dumps(content, indent=2))


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print a table; columns of numbers (None: there is none) are aligned to the right."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    for i, column in enumerate(columns):
        numbers = all(isinstance(row[i], (int, float, type(None))) for row in rows)
        table.add_column(column, justify="right" if numbers else "left", no_wrap=numbers or i == 0)
    for row in rows:
        table.add_row(*(_show(entry) for entry in row))
    # A pipe has no width: nothing is cut off there.
    Console(width=None if sys.stdout.isatty() else 200).print(table)


def track(items: Iterable[Item], label: str, total: int | None = None) -> Iterable[Item]:
    """Return the items, with a progress bar on standard error if that is a terminal."""
    from rich.console import Console
    from rich.progress import track as rich_track

    console = Console(stderr=True)
    quiet = not console.is_terminal
    return rich_track(items, label, total, console=console, transient=True, disable=quiet)


def _show(entry: Any) -> str:
    if entry is None:
        return "-"
    if isinstance(entry, float):
        return f"{entry:,.4f}"
    return f"{entry:,}" if isinstance(entry, int) else str(entry)
