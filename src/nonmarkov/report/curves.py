"""Learning curves of several runs as one: mean and standard deviation over seeds."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nonmarkov.errors import FileFormatError
from nonmarkov.results.reading import RunRecord

MOST_POINTS = 240  # more than a panel can show

Curve = dict[str, NDArray[Any]]
Floats = NDArray[np.float64]


class MeanCurve(NamedTuple):
    """What several runs came to, at the episodes at which any of them was evaluated."""

    episodes: NDArray[np.int64]
    mean: Floats
    deviation: Floats  # of a sample; 0 for a single run


def readable_curves(runs: Iterable[RunRecord]) -> list[Curve]:
    """Return the curves that can be read and have at least one evaluation."""
    curves = []
    for run in runs:
        try:
            curve = run.curve
        except (FileFormatError, OSError):
            continue
        if len(curve["episodes"]):
            curves.append(curve)
    return curves


def values_at(curve: Curve, column: str, points: NDArray[np.int64]) -> Floats:
    """Return the last evaluation at or before every point; NaN before the first."""
    place = np.searchsorted(curve["episodes"], points, side="right") - 1
    values = np.asarray(curve[column], dtype=np.float64)[np.maximum(place, 0)]
    return np.where(place < 0, np.nan, values)


def mean_curve(curves: Sequence[Curve], column: str) -> MeanCurve | None:
    """Return mean and deviation over the curves that reach that far; None without any."""
    if not curves:
        return None
    points = thin_out(np.unique(np.concatenate([curve["episodes"] for curve in curves])))
    rows = []
    for curve in curves:
        values = values_at(curve, column, points)
        rows.append(np.where(points > curve["episodes"][-1], np.nan, values))
    table = np.array(rows)
    there = np.isfinite(table)
    count = there.sum(axis=0)
    mean = np.where(there, table, 0.0).sum(axis=0) / count
    squares = np.where(there, (table - mean) ** 2, 0.0).sum(axis=0)
    return MeanCurve(points, mean, np.sqrt(squares / np.maximum(1, count - 1)))


def thin_out(points: NDArray[np.int64], most: int = MOST_POINTS) -> NDArray[np.int64]:
    """Return at most so many of the points, evenly spread on a logarithmic axis, and the ends."""
    if len(points) <= most:
        return points
    wanted = np.geomspace(max(1, points[points > 0][0]), points[-1], most - 1)
    chosen = np.searchsorted(points, wanted.round().astype(np.int64), side="right") - 1
    return np.asarray(points[np.unique(np.append(chosen, 0))])
