"""Where the states of a graph go on the page."""

from collections.abc import Collection, Iterable

import numpy as np
from numpy.typing import NDArray

COLUMN_WIDTH = 2.6
COLUMNS_PER_BAND = 14
BAND_GAP = 1.5
LARGEST_RING, MOST_CHORDS = 10, 4  # beyond, a ring is no help

Positions = dict[int, NDArray[np.float64]]  # state -> (x, y)


def fits_on_ring(edges: Collection[tuple[int, int]], n_states: int) -> bool:
    """Return whether a ring shows everything: few edges may cross its inside."""
    chords = [ends for ends in edges if (ends[1] - ends[0]) % n_states not in (0, 1, n_states - 1)]
    return n_states <= LARGEST_RING and len(chords) <= MOST_CHORDS


def place_on_ring(n_states: int, longest_label: int) -> Positions:
    """Return places clockwise from the left, with room for the labels."""
    radius = max(1.0, n_states / 4.5) * max(1.0, longest_label / 14.0)
    angle = np.pi - 2.0 * np.pi * np.arange(n_states) / n_states
    return dict(enumerate(radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)))


def place_in_columns(start: int, edges: Iterable[tuple[int, int]]) -> Positions:
    """Return places for the states that edges lead to, a column for every distance.

    Columns go from left to right, and on in the band below like lines of text.
    """
    columns = _columns(start, edges)
    places: Positions = {}
    top = 0.0
    for first in range(0, len(columns), COLUMNS_PER_BAND):
        band = columns[first : first + COLUMNS_PER_BAND]
        tallest = max(map(len, band))
        for column, states in enumerate(band):
            for row, state in enumerate(states):
                y = top - (tallest - len(states)) / 2.0 - row
                places[state] = np.array([COLUMN_WIDTH * column, y])
        top -= tallest + BAND_GAP
    return places


def _columns(start: int, edges: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Return the states at distance 0, 1, 2, ... from the start."""
    successors: dict[int, list[int]] = {}
    for state, successor in edges:
        successors.setdefault(state, []).append(successor)
    seen, columns = {start}, [[start]]
    while columns[-1]:
        reached = dict.fromkeys(s for state in columns[-1] for s in successors.get(state, ()))
        columns.append([state for state in reached if state not in seen])
        seen.update(columns[-1])
    return columns[:-1]
