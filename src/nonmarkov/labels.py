"""Labels: the names that users give to actions, observations and hidden states.

A label is a string, number, boolean, None, or a tuple of labels. In JSON a tuple is a list;
since lists are no labels themselves, nothing is lost on the way back.
"""

import math
from collections.abc import Hashable, Sequence
from typing import TypeAlias

from nonmarkov.errors import AlphabetError

Label: TypeAlias = str | int | float | bool | tuple["Label", ...] | None


def as_label(value: object) -> Label:
    """Return `value` as a label; numpy scalars become plain numbers."""
    if isinstance(value, (str, bool, int)) or value is None:
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise AlphabetError(f"A label must be finite, got {value!r}.")
        return float(value)
    if isinstance(value, tuple):
        return tuple(as_label(entry) for entry in value)
    if getattr(value, "ndim", None) == 0 and hasattr(value, "item"):
        return as_label(value.item())
    raise AlphabetError(
        f"A label must be a string, number, boolean, None or tuple of these, got {value!r} "
        f"of type {type(value).__name__}."
        + ("" if isinstance(value, Hashable) else " Turn it into a tuple first.")
    )


def listing(labels: Sequence[Label]) -> str:
    """Return the first labels of a list, for people."""
    return ", ".join(map(repr, labels[:10])) + (", ..." if len(labels) > 10 else "")


def label_from_json(value: object) -> Label:
    """Return the label that JSON wrote as `value`."""
    if isinstance(value, list):
        return tuple(label_from_json(entry) for entry in value)
    return as_label(value)
