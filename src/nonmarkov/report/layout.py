"""Where the states of a graph go on the page."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

COLUMN_WIDTH = 2.2

Positions = dict[int, NDArray[np.float64]]  # state -> (x, y)


def place_on_ring(n_states: int, longest_label: int) -> Positions:
    """Return places clockwise from the left, with room for the labels."""
    radius = max(1.0, n_states / 4.5) * max(1.0, longest_label / 14.0)
    angle = np.pi - 2.0 * np.pi * np.arange(n_states) / n_states
    return dict(enumerate(radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)))


def place_in_columns(start: int, edges: Iterable[tuple[int, int]]) -> Positions:
    """Return places for the states that edges lead to, a column for every distance."""
    successors: dict[int, list[int]] = {}
    for state, successor in edges:
        successors.setdefault(state, []).append(successor)
    distance, columns, queue = {start: 0}, [[start]], [start]
    for state in queue:
        for successor in successors.get(state, ()):
            if successor not in distance:
                distance[successor] = distance[state] + 1
                queue.append(successor)
                if distance[successor] == len(columns):
                    columns.append([])
                columns[distance[successor]].append(successor)
    return {
        state: np.array([COLUMN_WIDTH * column, (len(states) - 1) / 2.0 - row])
        for column, states in enumerate(columns)
        for row, state in enumerate(states)
    }
