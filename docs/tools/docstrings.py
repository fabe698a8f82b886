"""From the plain text of our docstrings to the markup that Sphinx reads.

Docstrings are written for people who read the code: columns of names and explanations, lines that
begin with the name of a parameter, formulas that are indented. Here these become lists and
literal blocks, and characters that would be markup are escaped.
"""

import ast
import inspect
import re
import textwrap
from collections.abc import Iterable
from dataclasses import is_dataclass
from typing import Any

from sphinx.application import Sphinx

COLUMNS = re.compile(r"^(\S(?:.*?\S)?) {2,}(\S.*)$")
PARAMETER = re.compile(r"^([a-z_]\w*(?:, [a-z_]\w*)*): (.*)$")
MARKUP = re.compile(r"[*|\\]|_(?!\w)")
FIELD = re.compile(r"^\s*(\w+):[^#]*#\s*(.+)$")


def setup(app: Sphinx) -> dict[str, Any]:
    """Let Sphinx call us for every docstring."""
    app.connect("autodoc-process-docstring", rewrite)
    return {"parallel_read_safe": True}


def rewrite(
    app: Sphinx, what: str, name: str, described: Any, options: Any, lines: list[str]
) -> None:
    """Replace the lines of a docstring by markup, and add the comments of fields."""
    text = to_markup("\n".join(lines))
    if inspect.isclass(described):
        text += "".join(f"\n\n{_definition(*field)}" for field in commented_fields(described))
    lines[:] = text.splitlines()


def to_markup(text: str) -> str:
    """Return a docstring as reStructuredText."""
    paragraphs = re.split(r"\n\s*\n", text.strip("\n"))
    return "\n\n".join(part for paragraph in paragraphs for part in _paragraph(paragraph))


def _paragraph(text: str) -> list[str]:
    lines = text.splitlines()
    if not lines:
        return []
    if all(line.startswith("    ") for line in lines):
        return ["::", text]
    if COLUMNS.match(lines[0]):
        return [_definition(*item) for item in _items(lines, COLUMNS, _is_indented)]
    if any(PARAMETER.match(line) for line in lines):
        items = _items(lines, PARAMETER, _goes_on)
        return [_definition(term, what) if term else escape(what) for term, what in items]
    return [escape(text)]


def _is_indented(line: str, before: str) -> bool:
    return line.startswith(" ")


def _goes_on(line: str, before: str) -> bool:
    """Return whether a line belongs to the sentence before it."""
    return not before.endswith((".", ":"))


def _items(lines: list[str], start: re.Pattern[str], belongs: Any) -> list[tuple[str, str]]:
    """Return names with what is said about them; what belongs to none has an empty name."""
    items: list[tuple[str, str]] = []
    for line in lines:
        begun = start.match(line)
        if begun:
            items.append((begun[1], begun[2]))
        elif items and (not items[-1][0] or belongs(line, items[-1][1])):
            items[-1] = (items[-1][0], f"{items[-1][1]} {line.strip()}")
        else:
            items.append(("", line.strip()))
    return items


def _definition(term: str, text: str) -> str:
    names = ", ".join(f"``{name}``" for name in term.split(", "))
    return f"{names}\n{textwrap.indent(escape(text), '    ')}"


def escape(text: str) -> str:
    """Return text in which only `names` are markup."""
    parts = re.split(r"(`[^`]+`)", text)
    return "".join(
        part if i % 2 else MARKUP.sub(lambda found: "\\" + found[0], part)
        for i, part in enumerate(parts)
    )


def commented_fields(record: type) -> Iterable[tuple[str, str]]:
    """Yield the fields of a record, inherited ones first, with the comments beside them."""
    for owner in reversed(record.__mro__):
        if owner.__module__.startswith("nonmarkov") and (
            is_dataclass(owner) or "_field_defaults" in vars(owner)
        ):
            yield from _comments(owner)


def _comments(owner: type) -> Iterable[tuple[str, str]]:
    lines = textwrap.dedent(inspect.getsource(owner)).splitlines()
    (definition,) = ast.parse("\n".join(lines)).body
    assert isinstance(definition, ast.ClassDef)
    for node in definition.body:
        if isinstance(node, ast.AnnAssign):
            found = FIELD.match(lines[node.lineno - 1])
            if found:
                yield found[1], found[2]
