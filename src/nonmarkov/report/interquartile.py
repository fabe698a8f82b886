"""Interquartile means over many runs, with stratified bootstrap intervals.

The mean of the middle half of all runs is not moved by a few lucky or unlucky ones, and wastes
fewer runs than the median (Agarwal et al., NeurIPS 2021). Runs are drawn again only among runs of
the same configuration, its stratum, because which configurations were run is not a matter of luck.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nonmarkov.errors import InvalidParameterError

RESAMPLES = 2000
LEVEL = 0.95
SEED = 0

Floats = NDArray[np.float64]


class Interval(NamedTuple):
    """An estimate and the ends of its confidence interval."""

    estimate: float
    low: float
    high: float


def interquartile_mean(values: ArrayLike) -> Floats:
    """Return the mean of the middle half along the last axis.

    A quarter of the values, rounded down, is left out at either end.
    """
    array = np.asarray(values, dtype=np.float64)
    if array.ndim == 0 or array.shape[-1] == 0:
        raise InvalidParameterError("An interquartile mean needs at least one value.")
    size = array.shape[-1]
    cut = size // 4
    return np.asarray(np.sort(array, axis=-1)[..., cut : size - cut].mean(axis=-1))


def draw_within_strata(
    sizes: Iterable[int], resamples: int = RESAMPLES, seed: int = SEED
) -> NDArray[np.int64]:
    """Return positions in the strata laid end to end, one row for every resample."""
    rng = np.random.default_rng(seed)
    columns, first = [], 0
    for size in sizes:
        if size < 1:
            raise InvalidParameterError("A stratum without values cannot be drawn from.")
        columns.append(first + rng.integers(size, size=(resamples, size)))
        first += size
    if not columns:
        raise InvalidParameterError("A bootstrap needs at least one stratum.")
    return np.concatenate(columns, axis=1)


def interquartile_intervals(
    strata: Sequence[ArrayLike], *, resamples: int = RESAMPLES, seed: int = SEED
) -> list[Interval]:
    """Return the interquartile mean of every column, with a 95 % percentile interval.

    A stratum has a row for every run and a column for everything measured of it; all strata have
    the same columns. A run is drawn with all that was measured of it.
    """
    tables = [np.asarray(stratum, dtype=np.float64) for stratum in strata]
    drawn = draw_within_strata(map(len, tables), resamples, seed)
    tails = [50.0 * (1.0 - LEVEL), 50.0 * (1.0 + LEVEL)]
    intervals = []
    for column in np.concatenate(tables).T:  # one at a time, to keep memory small
        low, high = np.percentile(interquartile_mean(column[drawn]), tails)
        intervals.append(Interval(float(interquartile_mean(column)), float(low), float(high)))
    return intervals
