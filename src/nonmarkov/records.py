"""Records of arrays: frozen for real, compared and hashed by content."""

from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from nonmarkov.errors import InvalidParameterError

KINDS = {"i": "iub", "f": "iufb", "b": "b"}  # kinds of numbers that may become one of another kind


def frozen_array(name: str, values: ArrayLike, dtype: DTypeLike) -> NDArray[Any]:
    """Return `values` as a contiguous array that nobody can write to; `name` is named in errors.

    The caller may go on writing to its own array: unless that one is frozen already, it is copied.
    Numbers must fit: nothing is cut off, wrapped around or read out of text.
    """
    target = np.dtype(dtype)
    try:
        array = np.asarray(values)
    except ValueError:
        raise InvalidParameterError(f"{name} must be a rectangular array.") from None
    if array.dtype == target and array.flags.owndata and not array.flags.writeable:
        return array
    if array.size and array.dtype.kind not in KINDS[target.kind]:
        raise InvalidParameterError(f"{name} must hold {target.name}, got {array.dtype}.")
    frozen = np.array(array, dtype=target, order="C")
    if target.kind == "i" and not (frozen == array).all():
        raise InvalidParameterError(f"{name} has numbers that are too large for {target.name}.")
    frozen.setflags(write=False)
    return frozen


class ArrayRecord:
    """Equality and hash by content, for frozen dataclasses that hold arrays.

    Dataclasses that inherit it must be declared with `eq=False`. Pickling goes through the
    constructor, so that what arrives elsewhere is checked and frozen as well.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(_values(self))

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(
            np.array_equal(mine, theirs) if isinstance(mine, np.ndarray) else mine == theirs
            for mine, theirs in zip(_values(self), _values(other), strict=True)
        )

    def __hash__(self) -> int:
        return hash(tuple(v.tobytes() if isinstance(v, np.ndarray) else v for v in _values(self)))


def _values(record: Any) -> list[Any]:
    return [getattr(record, field.name) for field in fields(record)]
