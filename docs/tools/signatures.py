"""Signatures with the short names of types, as in the code, not with all that they stand for."""

import re
from typing import Any

from docutils import nodes
from numpy.typing import ArrayLike
from sphinx.addnodes import desc_annotation
from sphinx.application import Sphinx
from sphinx.util.typing import stringify_annotation

# Innermost first; a label may hold labels, so the first rule is applied until nothing changes.
LABEL = "str | int | float | bool | tuple[Label, ...] | None"
SHORTER = (
    (r"tuple\[Label, Label \| ~?[\w.]*Termination, float\]", "Symbol"),
    (r"tuple\[Label, float\] \| ~?[\w.]*Termination", "Outcome"),
    (r"~?[\w.]*Iterable\[tuple\[float, Label, float, ~?[\w.]*Any\]\]", "OutcomeList"),
    (
        r"~?[\w.]*ndarray\[tuple\[~?[\w.]*Any, \.\.\.\], ~?[\w.]*dtype\[~?(?:numpy\.)?(\w+)\]\]",
        r"NDArray[\1]",
    ),
    (re.escape(stringify_annotation(ArrayLike, "smart")), "ArrayLike"),
)


def setup(app: Sphinx) -> dict[str, Any]:
    """Let Sphinx call us for every signature, and for the types of properties."""
    app.connect("autodoc-process-signature", rewrite)
    app.connect("doctree-read", rewrite_properties)
    return {"parallel_read_safe": True}


def rewrite(
    app: Sphinx, what: str, name: str, described: Any, options: Any, *texts: str | None
) -> tuple[str | None, ...]:
    """Return arguments and result of a function, shorter."""
    return tuple(text and shorten(text) for text in texts)


def rewrite_properties(app: Sphinx, page: nodes.document) -> None:
    """Shorten the types of properties, which are not part of a signature."""
    for annotation in page.findall(desc_annotation):
        text = annotation.astext()
        if shorten(text) != text:
            annotation.children = [nodes.Text(shorten(text))]


def shorten(text: str) -> str:
    """Return a signature in which types have their short names."""
    while LABEL in text:
        text = text.replace(LABEL, "Label")
    for long, short in SHORTER:
        text = re.sub(long, short, text)
    return text
