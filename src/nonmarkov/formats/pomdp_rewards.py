"""The rewards of a POMDP, R(a, s, s', o): too many to list, so kept as the entries of a file."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Place = tuple[Any, ...]  # indices, or slice(None) for all: action, state, next state, observation


class RewardTable:
    """Entries in the order of a file, where later ones overrule earlier ones."""

    def __init__(self, n_states: int, n_observations: int, sign: float = 1.0) -> None:
        self._shape = (n_states, n_observations)
        self._sign = sign
        # (action or None, state or None) -> (number of the entry, rest of its place, values)
        self._entries: dict[tuple[int | None, int | None], list[tuple[int, Place, Any]]] = {}
        self._count = 0

    @property
    def row_shape(self) -> tuple[int, int]:
        """Next states and observations, (S', O)."""
        return self._shape

    def add(self, place: Place, values: Any) -> None:
        """Add an entry that names actions, states and maybe more."""
        action, state = (None if isinstance(index, slice) else int(index) for index in place[:2])
        entries = self._entries.setdefault((action, state), [])
        entries.append((self._count, place[2:], values))
        self._count += 1

    def matrix(self, action: int, state: int) -> NDArray[np.float64]:
        """Return R(a, s, ·, ·), (S', O)."""
        keys = ((action, state), (action, None), (None, state), (None, None))
        entries = [entry for key in keys for entry in self._entries.get(key, ())]
        rewards = np.zeros(self._shape)
        for _, place, values in sorted(entries, key=lambda entry: entry[0]):
            rewards[place] = values
        return self._sign * rewards + 0.0  # adding zero turns -0.0 into 0.0
