"""Records of arrays: frozen for real, compared and hashed by content."""

from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray


def frozen_array(values: ArrayLike, dtype: DTypeLike) -> NDArray[Any]:
    """Return `values` as a contiguous array that nobody can write to.

    The caller may go on writing to its own array: unless that one is frozen already, it is copied.
    """
    if (
        isinstance(values, np.ndarray)
        and values.dtype == dtype
        and values.flags.c_contiguous
        and not values.flags.writeable
    ):
        return values
    array = np.array(values, dtype=dtype, order="C")
    array.setflags(write=False)
    return array


class ArrayRecord:
    """Equality and hash by content, for frozen dataclasses that hold arrays.

    Dataclasses that inherit it must be declared with `eq=False`.
    """

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
