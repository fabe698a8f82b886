"""Options that choose a domain and its parameters."""

import json
from collections.abc import Callable
from typing import Any, TypeVar

import click

from nonmarkov.errors import InvalidParameterError

Command = TypeVar("Command", bound=Callable[..., Any])


def domain_options(command: Command) -> Command:
    """Add the argument DOMAIN and the options --k and --set."""
    for decorate in (
        click.option(
            "--set",
            "assignments",
            multiple=True,
            metavar="NAME=VALUE",
            help="Another parameter of the domain; lists with commas: goal=1,2. Repeatable.",
        ),
        click.option("--k", type=int, help="The parameter that the paper varies."),
        click.argument("domain"),
    ):
        command = decorate(command)
    return command


def read_parameters(k: int | None, assignments: tuple[str, ...]) -> dict[str, Any]:
    """Return the parameters given by --k and --set."""
    parameters = read_assignments("--set", assignments)
    if k is not None and parameters.setdefault("k", k) != k:
        raise InvalidParameterError("k is set twice.")
    return parameters


def read_assignments(option: str, assignments: tuple[str, ...]) -> dict[str, Any]:
    """Return the values of a repeatable option NAME=VALUE."""
    values: dict[str, Any] = {}
    for assignment in assignments:
        name, separator, value = assignment.partition("=")
        if not separator or not name:
            raise InvalidParameterError(f"{option} takes NAME=VALUE, got {assignment!r}.")
        if name.strip() in values:
            raise InvalidParameterError(f"{name.strip()} is set twice.")
        values[name.strip()] = _read_value(value)
    return values


def read_settings(assignments: tuple[str, ...]) -> dict[str, Any]:
    """Return the settings of an agent given by --with."""
    from nonmarkov.training.settings import check_names

    settings = read_assignments("--with", assignments)
    check_names(settings)
    return settings


def _read_value(text: str) -> Any:
    text = text.strip()
    if text.lower() == "none":
        return None
    if text[:1] + text[-1:] in ("()", "[]") or "," in text:
        return tuple(_read_value(part) for part in text.strip("()[]").split(",") if part.strip())
    try:
        return json.loads(text)
    except ValueError:
        return text
