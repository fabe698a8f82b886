"""How many episodes every method needs: a row for every configuration, a dot for every run."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nonmarkov.errors import InvalidParameterError
from nonmarkov.report.plotting import (
    BAND,
    NO_DATA,
    Look,
    handle,
    looks_of,
    new_figure,
    paper_style,
    put_legend,
    save_figure,
    say,
    use_log_scale,
)
from nonmarkov.report.run_groups import Configuration, Results, RunGroups, load_runs
from nonmarkov.report.style import INK, MUTED

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHARES = (95, 99)  # per cent of the optimal score
NAME = "episodes_to_{share}"
LANE, GAP = 0.062, 0.05  # inches: for a method, and between configurations
MARGIN = 0.95  # inches for axis and legend
NOTE = "large: median over seeds   ·   small: runs, counted at their evaluations"
OPEN = ">"  # the marker of runs that did not get there


@dataclass(frozen=True)
class Needed:
    """Episodes that the runs of a method needed, by seed; infinite if that was never reached."""

    episodes: tuple[float, ...]
    budget: int  # episodes that every run had

    @property
    def median(self) -> float:
        """The median over seeds, infinite if half of them or more did not get there."""
        return float(np.median(self.episodes))

    @property
    def shown(self) -> list[float]:
        """Where the runs are on an axis: those that did not get there at their last episode."""
        return [max(1.0, min(number, self.budget)) for number in self.episodes]

    @property
    def failures(self) -> int:
        """How many runs did not get there."""
        return int(np.isinf(self.episodes).sum())


def episodes_needed(
    groups: RunGroups, configuration: Configuration, method: str, share: int = 95
) -> Needed | None:
    """Return what complete runs of a method needed, or None without any."""
    results = [run.result for run in groups.complete(configuration, method)]
    counts = [result[f"episodes_to_{share}"] for result in results if result is not None]
    if not counts:
        return None
    budget = groups.complete(configuration, method)[0].spec.episodes
    return Needed(tuple(np.inf if n is None else float(n) for n in counts), budget)


def save_episodes_figure(
    results: Results, out: str | os.PathLike[str], *, share: int = 95
) -> tuple[Path, ...]:
    """Draw the episodes to 95 or 99 % of the optimal score, and return the paths of the files.

    Large marks are medians over seeds, small ones single runs, lines reach from the best to the
    worst. An open triangle stands at the end of runs that did not get there; if these are half of
    the runs or more, there is no median to show.
    """
    if share not in SHARES:
        raise InvalidParameterError(f"share must be 95 or 99, as results tell them, got {share!r}.")
    groups = load_runs(results)
    looks = looks_of(groups.methods)
    rows = _rows(groups, looks, share)
    title = f"Training episodes to {share} % of the optimal score"
    with paper_style():
        lanes = sum(len(row) for row in rows.values())
        figure = new_figure(max(2.0, lanes * LANE + len(rows) * GAP + MARGIN))
        axes = figure.subplots()
        if not rows:
            say(axes, NO_DATA)
        else:
            use_log_scale(axes, "x")
            _draw_rows(axes, rows, looks)
            axes.set_xlabel(title.lower())
            put_legend(figure, _handles(rows, looks), NOTE)
        return save_figure(figure, out, NAME.format(share=share), title)


Rows = dict[Configuration, dict[str, Needed]]


def _rows(groups: RunGroups, looks: dict[str, Look], share: int) -> Rows:
    rows: Rows = {}
    for configuration in groups.configurations():
        for method in looks:
            needed = episodes_needed(groups, configuration, method, share)
            if needed is not None:
                rows.setdefault(configuration, {})[method] = needed
    return rows


def _draw_rows(axes: "Axes", rows: Rows, looks: dict[str, Look]) -> None:
    """Draw the configurations from top to bottom, with a lane for every method."""
    top, middles = 0.0, []
    for place, row in enumerate(rows.values()):
        height = len(row) * LANE + GAP
        if place % 2 == 0:
            axes.axhspan(top, top + height, color=BAND, linewidth=0.0, zorder=0)
        for lane, (method, needed) in enumerate(row.items()):
            draw_needed(axes, needed, looks[method], top + GAP / 2 + (lane + 0.5) * LANE)
        middles.append(top + height / 2)
        top += height
    axes.set(ylim=(top, 0.0), yticks=middles, yticklabels=[c.label for c in rows])
    axes.tick_params(axis="y", length=0.0)
    axes.grid(visible=False, axis="y")


def draw_needed(
    axes: "Axes", needed: Needed, look: Look, place: float, *, upright: bool = False
) -> None:
    """Draw the runs of a method at a place of the other axis: along x, or along y if upright."""

    def plot(numbers: list[float], marker: str, size: float, **options: Any) -> None:
        places = [place] * len(numbers)
        data = (places, numbers) if upright else (numbers, places)
        style: dict[str, Any] = {
            "color": look.colour,
            "linestyle": "",
            "marker": marker,
            "markersize": size,
        }
        axes.plot(*data, **(style | options))

    shown = needed.shown
    plot([min(shown), max(shown)], "", 0.0, linestyle="-", linewidth=0.9, alpha=0.7)
    reached = [n for n, true in zip(shown, needed.episodes, strict=True) if np.isfinite(true)]
    plot(reached, look.marker, 1.8, alpha=0.7)
    hollow: dict[str, Any] = {"markerfacecolor": "white", "markeredgewidth": 0.8, "zorder": 4}
    triangle = "^" if upright else OPEN
    if needed.failures:
        plot([needed.budget], triangle, 4.0, **hollow)
    if np.isfinite(needed.median):
        plot([max(1.0, needed.median)], look.marker, 4.2, zorder=5)


def _handles(rows: Rows, looks: dict[str, Look]) -> list[Any]:
    seen = {method for row in rows.values() for method in row}
    handles = [handle(look, linestyle="") for method, look in looks.items() if method in seen]
    if any(needed.failures for row in rows.values() for needed in row.values()):
        handles.append(failure_handle(OPEN))
    return handles


def failure_handle(marker: str) -> Any:
    """Return what a legend says about runs that did not get there."""
    look = Look("not reached by a run's end", INK, "", marker)
    return handle(look, markerfacecolor="white", markeredgecolor=MUTED)
