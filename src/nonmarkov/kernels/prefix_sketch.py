"""Counts of frequent prefixes in bounded memory: Space-Saving, one summary for every length.

A summary of K entries over N strings knows the count of every prefix up to N/K. Each entry holds
an upper bound and by how much it may be too large; whatever has no entry occurred at most as often
as the smallest one. Metwally, Agrawal, El Abbadi, "Efficient computation of frequent and top-k
elements in data streams", 2005.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nonmarkov.kernels.jit import jit

Floats = NDArray[np.float64]
Integers = NDArray[np.int32]
Longs = NDArray[np.int64]


class Sketch(NamedTuple):
    """Summaries of C sets of strings for lengths 1 .. d; an entry with count 0 is unused."""

    keys: Longs  # (C, d, K), prefixes as numbers in base n_symbols
    counts: Longs  # (C, d, K), upper bounds
    errors: Longs  # (C, d, K), by how much they may be too large
    n_symbols: int


@jit
def _add(keys: Longs, counts: Longs, errors: Longs, key: int) -> None:
    """Count one more `key`; if it has no entry it takes over the smallest one, bound and all."""
    smallest = 0
    for i in range(keys.size):
        if keys[i] == key and counts[i] > 0:
            counts[i] += 1
            return
        if counts[i] < counts[smallest]:
            smallest = i
    keys[smallest] = key
    errors[smallest] = counts[smallest]
    counts[smallest] += 1


@jit
def absorb(sketch: Sketch, place: int, reached: Longs, symbols: Integers, starts: Longs) -> None:
    """Count the prefixes of strings; reached: int64[d + 1], strings at least so long."""
    for number in range(starts.size - 1):
        reached[0] += 1
        key = 0
        length = min(reached.size - 1, starts[number + 1] - starts[number])
        for i in range(length):
            key = key * sketch.n_symbols + symbols[starts[number] + i]
            reached[i + 1] += 1
            _add(sketch.keys[place, i], sketch.counts[place, i], sketch.errors[place, i], key)


@jit
def _bounds(
    sketch: Sketch, place: int, row: int, key: int, least: int, total: int
) -> tuple[float, float]:
    """Return the least and the greatest frequency that a prefix may have."""
    for i in range(sketch.keys.shape[2]):
        if sketch.keys[place, row, i] == key and sketch.counts[place, row, i] > 0:
            count = sketch.counts[place, row, i]
            return (count - sketch.errors[place, row, i]) / total, count / total
    return 0.0, least / total


@jit
def _widen(
    sketch: Sketch, pair: tuple[int, int], row: int, totals: tuple[int, int], gaps: Floats
) -> None:
    """Raise `gaps`, (lower, upper), by the prefixes of one length that the first set has."""
    mine, other = pair
    least, other_least = sketch.counts[mine, row].min(), sketch.counts[other, row].min()
    gaps[1] = max(gaps[1], least / totals[0], other_least / totals[1])
    for i in range(sketch.keys.shape[2]):
        if sketch.counts[mine, row, i] > 0:
            key = sketch.keys[mine, row, i]
            low, high = _bounds(sketch, mine, row, key, least, totals[0])
            other_low, other_high = _bounds(sketch, other, row, key, other_least, totals[1])
            gaps[0] = max(gaps[0], low - other_high, other_low - high)
            gaps[1] = max(gaps[1], high - other_low, other_high - low)


@jit
def compare(sketch: Sketch, place: int, others: Longs, reached: Longs, gaps: Floats) -> None:
    """Fill float64[n, d + 1, 2] with bounds on the largest difference of frequencies.

    reached: int64[C, d + 1]. The difference itself lies between the two bounds.
    """
    gaps[:] = 0.0
    for i in range(others.size):
        pair, totals = (place, others[i]), (reached[place, 0], reached[others[i], 0])
        turned, turned_totals = (others[i], place), (reached[others[i], 0], reached[place, 0])
        for row in range(sketch.keys.shape[1]):
            _widen(sketch, pair, row, totals, gaps[i, row + 1])
            _widen(sketch, turned, row, turned_totals, gaps[i, row + 1])
