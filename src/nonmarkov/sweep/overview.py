"""What many runs came to: medians over the seeds, one row for every configuration and method."""

import csv
import io
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from nonmarkov.files import write_atomically
from nonmarkov.results.store import Table

COLUMNS = ("domain", "k", "method", "runs", "score", "optimum", "to 95 %", "states", "right")
OVERVIEW = "overview.csv"


def overview(table: Table) -> list[tuple[Any, ...]]:
    """Return the rows under COLUMNS.

    'to 95 %': episodes after which the score stays there, None if it does not.
    """
    rows = []
    for (domain, k, method), group in groupby(
        table.rows(), key=lambda row: (row["domain"], row["k"], row["method"])
    ):
        runs = list(group)
        reached = [row["episodes_to_95"] for row in runs]
        median = float(np.median([np.inf if np.isnan(n) else n for n in reached]))
        rows.append(
            (
                domain,
                str(k),
                method,
                len(runs),
                float(np.median([row["score"] for row in runs])),
                float(runs[0]["optimal_score"]),
                round(median) if np.isfinite(median) else None,
                round(float(np.median([row["states"] for row in runs]))),
                f"{sum(bool(row['right']) for row in runs)} of {len(runs)}",
            )
        )
    return rows


def write_overview(folder: Path, rows: Sequence[tuple[Any, ...]]) -> Path:
    """Write the rows to a file in the folder of results, and return where."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([COLUMNS, *rows])
    write_atomically(folder / OVERVIEW, text.getvalue().encode())
    return folder / OVERVIEW
