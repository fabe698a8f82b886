"""Writes the reference into its pages: the public names, and the command line.

A page says with a comment what belongs there:

    <!-- public names: core -->          names of `nonmarkov` that come from this package
    <!-- other public names -->          those of packages that no page asks for
    <!-- objects: nonmarkov.a.B ... -->  what is public further down
    <!-- commands -->                    the whole command line

so a new name or option is documented without anybody remembering to.
"""

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import click
from sphinx.application import Sphinx

import nonmarkov
from nonmarkov.cli.main import cli

NAMES = re.compile(r"<!-- public names: (\w+) -->")
OTHERS = re.compile(r"<!-- other public names -->")
OBJECTS = re.compile(r"<!-- objects: ([\w. ]+?) -->")
COMMANDS = re.compile(r"<!-- commands -->")


def setup(app: Sphinx) -> dict[str, Any]:
    """Let Sphinx show us every page before it is read."""
    app.connect("source-read", fill_in)
    return {"parallel_read_safe": True}


def fill_in(app: Sphinx, page: str, source: list[str]) -> None:
    """Replace the comments of a page by what they ask for."""
    text = OTHERS.sub(lambda asked: other_names(Path(app.srcdir)), source[0])
    text = NAMES.sub(lambda asked: package_reference(asked[1]), text)
    text = OBJECTS.sub(lambda asked: object_reference(asked[1].split()), text)
    source[0] = COMMANDS.sub(lambda asked: "\n".join(command_reference(cli, "nonmarkov")), text)


# --- names ----------------------------------------------------------------------------------------


def home(name: str) -> str:
    """Return the package of `nonmarkov` that a public name comes from."""
    value = getattr(nonmarkov, name)
    module = value.__name__ if inspect.ismodule(value) else value.__module__
    return str(module.split(".")[1])


def package_reference(package: str) -> str:
    """Return the sections about all public names of a package."""
    names = [name for name in nonmarkov.__all__ if home(name) == package]
    return "\n".join(_entry(f"nonmarkov.{name}", getattr(nonmarkov, name)) for name in names)


def other_names(docs: Path) -> str:
    """Return comments that ask for the packages that no page asks for."""
    asked = {name for page in docs.rglob("*.md") for name in NAMES.findall(page.read_text())}
    others = sorted({home(name) for name in nonmarkov.__all__} - asked)
    return "\n".join(f"<!-- public names: {package} -->" for package in others)


def object_reference(paths: list[str]) -> str:
    """Return the sections about objects that are given by their full names."""
    parts = (path.rpartition(".") for path in paths)
    return "\n".join(
        _entry(f"{module}.{name}", getattr(import_module(module), name))
        for module, _, name in parts
    )


def _entry(path: str, value: Any) -> str:
    """Return a section about one object."""
    options = []
    if inspect.isclass(value):
        directive, options = "autoclass", [f":members: {', '.join(_members(value))}"]
    elif inspect.ismodule(value):
        directive, path, options = "automodule", value.__name__, [":members:"]
    elif callable(value):
        directive = "autofunction"
    else:
        directive, options = "autodata", [":no-value:"]
    lines = [f".. {directive}:: {path}", *(f"   {option}" for option in options)]
    title = path.rpartition(".")[2]
    return "\n".join(["", f"## {title}", "", "```{eval-rst}", *lines, "```", ""])


def _members(owner: type) -> list[str]:
    """Return the public methods and properties of a class, and those of our own bases."""
    ours = [base for base in reversed(owner.__mro__) if base.__module__.startswith("nonmarkov")]
    members = (member for base in ours for member in vars(base).items())
    return list(dict.fromkeys(name for name, value in members if _is_documented(name, value)))


def _is_documented(name: str, value: Any) -> bool:
    kinds = (property, classmethod, staticmethod)
    method = inspect.isfunction(value) or isinstance(value, kinds) or hasattr(value, "attrname")
    return method and not name.startswith("_") and bool(inspect.getdoc(value))


# --- commands -------------------------------------------------------------------------------------


def command_reference(command: click.Command, name: str) -> Iterator[str]:
    """Yield the lines about a command, and about all commands below it."""
    context = click.Context(command, info_name=name)
    yield from ("", f"## {name}", "", *_paragraphs(command.help or ""))
    usage = " ".join(command.collect_usage_pieces(context))
    yield from ("```text", f"{name} {usage}", "```", "")
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None and "--help" not in record[0]:
            yield from (f"`{record[0]}`", f": {_plain(record[1])}", "")
    if isinstance(command, click.Group):
        for below, inner in command.commands.items():
            yield from command_reference(inner, f"{name} {below}")


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in inspect.cleandoc(text).split("\n\n"):
        yield from (_plain(paragraph), "")


def _plain(text: str) -> str:
    """Return text without line breaks, and with only `names` as markup."""
    return re.sub(r"([\[\]<>*_])", r"\\\1", " ".join(text.split()))
