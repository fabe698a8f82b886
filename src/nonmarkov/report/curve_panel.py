"""One panel of learning curves: a line and a band for every method, and the optimum."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from nonmarkov.report.curves import MeanCurve, mean_curve, readable_curves
from nonmarkov.report.plotting import (
    LINE,
    NO_DATA,
    Look,
    handle,
    looks_of,
    say,
    short_number,
    use_log_scale,
)
from nonmarkov.report.run_groups import Configuration, RunGroups
from nonmarkov.report.style import INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SCORE = "reward per step"
EPISODES = "training episodes"
SPAN_FOR_LOG = 100.0  # last over first episodes
OPTIMUM: dict[str, Any] = {"color": INK, "linestyle": (0, (5.0, 3.0)), "linewidth": 0.8}
Curves = dict[str, MeanCurve]


def score_curves(groups: RunGroups, configuration: Configuration) -> Curves:
    """Return the mean curves of all methods that have any."""
    found = {}
    for method in looks_of(groups.methods):
        curve = mean_curve(readable_curves(groups.runs(configuration, method)), "score")
        if curve is not None:
            found[method] = curve
    return found


def draw_scores(
    axes: "Axes", curves: Curves, optimum: float | None, looks: dict[str, Look]
) -> None:
    """Draw score against episodes; the panel says so if there is nothing to draw."""
    if not curves:
        say(axes, NO_DATA)
        return
    scale_episodes(axes, curves.values())
    # What is drawn first lies below: the method of this library comes last.
    for method in reversed(list(curves)):
        draw_curve(axes, curves[method], looks[method])
    if optimum is not None:
        axes.axhline(optimum, zorder=1.9, **OPTIMUM)
    lowest = min(float(curve.mean.min()) for curve in curves.values())
    highest = max(float(curve.mean.max()) for curve in curves.values())
    axes.set_ylim(*_score_limits(lowest, highest if optimum is None else max(highest, optimum)))


def _score_limits(lowest: float, highest: float) -> tuple[float, float]:
    """Return the ends of the axis of scores: from zero, unless that leaves much of it empty."""
    room = highest - lowest or abs(highest) or 1.0
    if 0.0 <= lowest < 0.2 * highest:
        return -0.03 * highest, highest + 0.08 * room
    return lowest - 0.08 * room, highest + 0.08 * room


def draw_curve(axes: "Axes", curve: MeanCurve, look: Look, **options: Any) -> None:
    """Draw a line from evaluation to evaluation, and a band of one deviation around it.

    A logarithmic axis has no place for the evaluation before training.
    """
    shown = curve.episodes > (0 if axes.get_xscale() == "log" else -1)
    episodes, mean, deviation = (column[shown] for column in curve)
    low, high = mean - deviation, mean + deviation
    axes.fill_between(episodes, low, high, color=look.colour, alpha=0.18, linewidth=0.0, zorder=2)
    style: dict[str, Any] = {
        "color": look.colour,
        "linestyle": look.dashes,
        "marker": look.marker,
        "markevery": 0.2,
        "linewidth": LINE,
        "markeredgecolor": "white",
        "markeredgewidth": 0.4,
        "zorder": 3,
    }
    axes.plot(episodes, mean, **(style | options))


def scale_episodes(axes: "Axes", curves: Iterable[MeanCurve]) -> None:
    """Choose the axis of episodes: logarithmic if they span orders of magnitude."""
    episodes = np.concatenate([curve.episodes for curve in curves])
    last, first = max(1, int(episodes.max())), int(episodes[episodes > 0].min(initial=10**15))
    if last < SPAN_FOR_LOG * first:
        axes.set_xlim(0, last)
        axes.xaxis.set_major_formatter(short_number)
    else:
        use_log_scale(axes, "x")
        axes.set_xlim(10.0 ** np.floor(np.log10(first)), last * 1.15)


def curve_handles(groups: RunGroups, configurations: Iterable[Configuration]) -> list[Any]:
    """Return what a legend of the curves of these configurations shows."""
    shown = list(configurations)
    methods = {m for m in groups.methods if any(groups.runs(c, m) for c in shown)}
    handles = [
        handle(look, markeredgecolor="white", markeredgewidth=0.4)
        for look in looks_of(methods).values()
    ]
    if any(groups.optimum(configuration) is not None for configuration in shown):
        handles.append(handle(Look("optimum", "", "", ""), **OPTIMUM))
    return handles


def seeds_note(groups: RunGroups, configurations: Iterable[Configuration]) -> str:
    """Return what lines and bands are, and over how many seeds."""
    shown = list(configurations)
    groups_shown = (groups.runs(c, method) for c in shown for method in groups.methods)
    counts = {len(readable_curves(runs)) for runs in groups_shown} - {0}
    if not counts:
        return ""
    least, most = min(counts), max(counts)
    number = f"{most}" if least == most else f"{least} to {most}"
    seeds = "seed" if most == 1 else "seeds"
    note = f"lines: mean over {number} {seeds}   ·   bands: one standard deviation"
    if groups.left_out:
        note += f"   ·   not shown: {groups.left_out} with other settings or lengths"
    return note
