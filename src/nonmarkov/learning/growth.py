"""Arrays that grow."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def lengthened(array: NDArray[Any], length: int, fill: int = 0) -> NDArray[Any]:
    """Return a longer copy of an array, filled up with `fill`."""
    longer = np.full((length, *array.shape[1:]), fill, dtype=array.dtype)
    longer[: len(array)] = array
    return longer


def room_for(length: int, first: int) -> int:
    """Return the length, doubled from `first` on, at which so many entries find room."""
    room = first
    while room < length:
        room *= 2
    return room
