"""Signatures with the short names of types, as in the code, not with all that they stand for."""

import re
from typing import Any

from sphinx.application import Sphinx

# Innermost first; a label may hold labels, so the first rule is applied until nothing changes.
LABEL = "str | int | float | bool | tuple[Label, ...] | None"
SHORTER = (
    (r"tuple\[Label, Label \| ~?[\w.]*Termination, float\]", "Symbol"),
    (r"tuple\[Label, float\] \| ~?[\w.]*Termination", "Outcome"),
    (r"~?[\w.]*Iterable\[tuple\[float, Label, float, ~?[\w.]*Any\]\]", "OutcomeList"),
    (
        r"~?[\w.]*ndarray\[tuple\[~?[\w.]*Any, \.\.\.\], ~?[\w.]*dtype\[~?([\w.]+)\]\]",
        r"NDArray[\1]",
    ),
)


def setup(app: Sphinx) -> dict[str, Any]:
    """Let Sphinx call us for every signature."""
    app.connect("autodoc-process-signature", rewrite)
    return {"parallel_read_safe": True}


def rewrite(
    app: Sphinx, what: str, name: str, described: Any, options: Any, *texts: str | None
) -> tuple[str | None, ...]:
    """Return arguments and result of a function, shorter."""
    return tuple(text and shorten(text) for text in texts)


def shorten(text: str) -> str:
    """Return a signature in which types have their short names."""
    while LABEL in text:
        text = text.replace(LABEL, "Label")
    for long, short in SHORTER:
        text = re.sub(long, short, text)
    return text
