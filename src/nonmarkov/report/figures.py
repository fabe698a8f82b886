"""All figures of a folder of results."""

import os
from pathlib import Path

from nonmarkov.report.aggregate_figure import save_aggregate_figure
from nonmarkov.report.curves_figure import save_curves_figure
from nonmarkov.report.episodes_figure import SHARES, save_episodes_figure
from nonmarkov.report.paper_figure import save_paper_figure
from nonmarkov.report.run_groups import load_runs
from nonmarkov.report.scaling_figure import save_scaling_figure

__all__ = [
    "save_aggregate_figure",
    "save_all_figures",
    "save_curves_figure",
    "save_episodes_figure",
    "save_paper_figure",
    "save_scaling_figure",
]


def save_all_figures(
    results: str | os.PathLike[str], out: str | os.PathLike[str]
) -> tuple[Path, ...]:
    """Draw every figure as PNG and SVG, and return the paths of all files."""
    groups = load_runs(results)
    paths = [
        *save_paper_figure(groups, out),
        *save_curves_figure(groups, out),
        *save_scaling_figure(groups, out),
        *save_aggregate_figure(groups, out),
    ]
    for share in SHARES:
        paths += save_episodes_figure(groups, out, share=share)
    return tuple(paths)
