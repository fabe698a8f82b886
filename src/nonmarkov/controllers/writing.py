"""Controllers to files: the suffix says in which language."""

import os
from pathlib import Path
from typing import Any

from nonmarkov.controllers.c_code import to_c
from nonmarkov.controllers.python_code import to_python
from nonmarkov.controllers.table import UNKNOWN, ControllerTable, make_table
from nonmarkov.core import Policy
from nonmarkov.errors import InvalidParameterError
from nonmarkov.files import seal, write_atomically

FORMAT = "nonmarkov.controller"
SUFFIXES = (".json", ".c", ".py")


def save_controller(policy: Policy, path: str | os.PathLike[str]) -> None:
    """Write a policy as a table that runs without this library; docs/formats.md says how."""
    target = Path(path)
    if target.suffix not in SUFFIXES:
        raise InvalidParameterError(
            f"A controller's name must end in one of {', '.join(SUFFIXES)}, got {str(path)!r}."
        )
    table = make_table(policy)
    if target.suffix == ".json":
        text = seal(FORMAT, to_content(table))
    else:
        text = to_c(table, target.stem) if target.suffix == ".c" else to_python(table)
    write_atomically(target, text.encode())


def to_content(table: ControllerTable) -> dict[str, Any]:
    """Return the table as plain JSON data."""
    return {
        **table.alphabet.to_content(),
        "start": table.start,
        "unknown": UNKNOWN,
        "default": table.default,
        "chosen": list(table.chosen),
        "transitions": [list(row) for row in table.transitions],
    }
