"""All runs in one number: interquartile means of scores, as a share of the optimum."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nonmarkov.report.curve_panel import EPISODES, OPTIMUM
from nonmarkov.report.curves import Curve, readable_curves, values_at
from nonmarkov.report.interquartile import Interval, interquartile_intervals
from nonmarkov.report.plotting import (
    NO_DATA,
    Look,
    looks_of,
    new_figure,
    paper_style,
    save_figure,
    say,
    use_log_scale,
)
from nonmarkov.report.run_groups import Configuration, Results, RunGroups, load_runs

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LATEST = 10**15  # later than any evaluation
POINTS = 60  # of the curve
RESAMPLES = 1000  # for every point of it
NAME = "aggregate"
SHARE = "score / optimal score"
NOTE = "interquartile mean over all runs, with 95 % confidence intervals (stratified bootstrap)"
ENDED = "a run that has ended keeps its last score"
UNEQUAL = "methods were run on different configurations: not to be compared"

Strata = list[list[Curve]]  # curves of complete runs, scores over the optimum, by configuration


def save_aggregate_figure(results: Results, out: str | os.PathLike[str]) -> tuple[Path, ...]:
    """Draw interquartile means of all complete runs, and return the paths of the files.

    Methods are compared on the configurations that all of them were run on; if there is none, on
    their own ones, and the figure says so. A run that ended keeps its last score from then on.
    """
    groups = load_runs(results)
    looks = {m: look for m, look in looks_of(groups.methods).items() if _completed(groups, m)}
    shared = _shared(groups, list(looks))
    strata = {
        method: normalised_curves(groups, method, shared or _completed(groups, method))
        for method in looks
    }
    strata = {method: found for method, found in strata.items() if found}
    with paper_style():
        figure = new_figure(2.6)
        final, course = figure.subplots(1, 2, width_ratios=(1.0, 1.25))
        if strata:
            _draw_final(final, strata, looks)
            _draw_course(course, strata, looks)
            figure.supxlabel(_note(groups, shared), fontsize=7)
        else:
            say(final, NO_DATA)
            say(course, NO_DATA)
        final.set_title("(a) at the end of training")
        course.set_title("(b) in the course of training")
        return save_figure(figure, out, NAME, "Interquartile means over all runs")


def _completed(groups: RunGroups, method: str) -> list[Configuration]:
    return [c for c in groups.configurations() if groups.complete(c, method)]


def _shared(groups: RunGroups, methods: list[str]) -> list[Configuration]:
    found = groups.configurations()
    return [c for c in found if all(groups.complete(c, method) for method in methods)]


def _note(groups: RunGroups, shared: list[Configuration]) -> str:
    if not shared:
        return f"{NOTE}\n{UNEQUAL} · {ENDED}"
    everything = len(groups.configurations())
    number = f"{len(shared)} of {everything}" if len(shared) < everything else f"{everything}"
    plural = "s" if everything > 1 else ""
    reason = ", those that all methods completed" if len(shared) < everything else ""
    return f"{NOTE}\n{number} configuration{plural}{reason} · {ENDED}"


def normalised_curves(
    groups: RunGroups, method: str, configurations: list[Configuration]
) -> Strata:
    """Return the curves of a method, a stratum for every configuration, with scores from 0 to 1."""
    strata = []
    for configuration in configurations:
        optimum = groups.optimum(configuration)
        curves = readable_curves(groups.complete(configuration, method))
        if optimum and curves:
            strata.append([curve | {"score": curve["score"] / optimum} for curve in curves])
    return strata


def final_interval(strata: Strata) -> Interval:
    """Return the interquartile mean of the last scores."""
    (interval,) = interquartile_intervals(
        [np.array([[curve["score"][-1]] for curve in stratum]) for stratum in strata]
    )
    return interval


def course_intervals(strata: Strata, points: NDArray[np.int64]) -> list[Interval]:
    """Return the interquartile means after so many episodes, each run with its last score."""
    tables = [
        np.array([values_at(curve, "score", points) for curve in stratum]) for stratum in strata
    ]
    return interquartile_intervals(tables, resamples=RESAMPLES)


def _draw_final(axes: "Axes", strata: dict[str, Strata], looks: dict[str, Look]) -> None:
    """Draw a mark and an interval for every method, the first on top."""
    for place, (method, found) in enumerate(strata.items()):
        interval, look = final_interval(found), looks[method]
        axes.plot(
            [interval.low, interval.high],
            [place, place],
            color=look.colour,
            linewidth=5.0,
            alpha=0.35,
            solid_capstyle="butt",
        )
        axes.plot(interval.estimate, place, color=look.colour, marker=look.marker, markersize=4.5)
    axes.axvline(1.0, zorder=1.9, **OPTIMUM)
    runs = {method: sum(map(len, found)) for method, found in strata.items()}
    labels = [f"{looks[method].label}\n{number} runs" for method, number in runs.items()]
    axes.set(yticks=range(len(strata)), yticklabels=labels, ylim=(len(strata) - 0.5, -0.5))
    axes.tick_params(axis="y", length=0.0)
    axes.grid(visible=False, axis="y")
    axes.set_xlim(right=1.03)
    axes.set_xlabel(SHARE)


def _draw_course(axes: "Axes", strata: dict[str, Strata], looks: dict[str, Look]) -> None:
    """Draw a line and a band for every method, from where all of its runs have a score."""
    use_log_scale(axes, "x")
    for method in reversed(strata):
        look = looks[method]
        curves = [curve for stratum in strata[method] for curve in stratum]
        points = _points(curves)
        estimate, low, high = np.array(course_intervals(strata[method], points)).T
        axes.fill_between(points, low, high, color=look.colour, alpha=0.18, linewidth=0.0)
        axes.plot(
            points,
            estimate,
            color=look.colour,
            linestyle=look.dashes,
            marker=look.marker,
            markevery=0.2,
            markeredgecolor="white",
            markeredgewidth=0.4,
        )
    axes.axhline(1.0, zorder=1.9, **OPTIMUM)
    axes.set_ylim(top=1.05)
    axes.set(xlabel=EPISODES, ylabel=SHARE)


def _points(curves: list[Curve]) -> NDArray[np.int64]:
    """Return episodes from the first evaluation after training began to the end of the longest."""
    first = max(
        int(curve["episodes"][curve["episodes"] > 0].min(initial=LATEST)) for curve in curves
    )
    last = max(1, *(int(curve["episodes"][-1]) for curve in curves))
    return np.unique(np.geomspace(min(first, last), last, POINTS).round().astype(np.int64))
