"""How a domain scales with k: episodes needed, states found, seconds taken."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nonmarkov.report.episodes_figure import draw_needed, episodes_needed, failure_handle
from nonmarkov.report.plotting import (
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
from nonmarkov.report.run_groups import TITLES, Configuration, Results, RunGroups, load_runs
from nonmarkov.report.style import INK
from nonmarkov.results.reading import RunRecord

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SPREAD = 0.04  # of the axis to either side: there the methods of one k lie side by side
ROOM = 1.5  # from the first and the last k to the ends of the axis, as a factor
NOTE = "marks: median over seeds   ·   vertical lines: from the least to the largest"


TRUTH: dict[str, Any] = {"color": INK, "linestyle": "-", "linewidth": 0.8}


class Range(NamedTuple):
    """A number that was measured of several runs."""

    k: int
    median: float
    least: float
    largest: float


Measure = Callable[[RunRecord], float | None]


def save_scaling_figure(
    results: Results, out: str | os.PathLike[str], *, domain: str = "enemy_corridor"
) -> tuple[Path, ...]:
    """Draw episodes to 95 %, states and seconds against k, and return the paths of the files."""
    groups = load_runs(results)
    looks = looks_of(groups.methods)
    configurations = _one_for_every_k(groups, domain)
    title = f"{configurations[0].title if configurations else TITLES.get(domain, domain)} by k"
    with paper_style():
        figure = new_figure(2.75)
        episodes, states, seconds = figure.subplots(1, 3)
        handles = _draw_episodes(episodes, groups, configurations, looks)
        handles += _draw_states(states, groups, configurations, looks)
        _draw_seconds(seconds, groups, configurations, looks)
        put_legend(figure, handles, NOTE)
        return save_figure(figure, out, f"scaling_{domain}", title)


def _one_for_every_k(groups: RunGroups, domain: str) -> list[Configuration]:
    """Return the configurations in which nothing but k is unusual, or else the first of every k."""
    found: dict[int, Configuration] = {}
    for configuration in groups.configurations(domain):
        plain = configuration.details == f"k = {configuration.k}"
        if plain or configuration.k not in found:
            found[configuration.k] = configuration
    return [found[k] for k in sorted(found) if k > 0]


def ranges_of(
    groups: RunGroups, configurations: Sequence[Configuration], method: str, measure: Measure
) -> list[Range]:
    """Return what was measured of the complete runs of a method, for every k that has any."""
    ranges = []
    for configuration in configurations:
        measured = [measure(run) for run in groups.complete(configuration, method)]
        numbers = [number for number in measured if number is not None]
        if numbers:
            median = float(np.median(numbers))
            ranges.append(Range(configuration.k, median, min(numbers), max(numbers)))
    return ranges


def _draw_episodes(
    axes: "Axes",
    groups: RunGroups,
    configurations: Sequence[Configuration],
    looks: dict[str, Look],
) -> list[Any]:
    """Draw what was needed to come near the optimum, and return what the legend shows."""
    axes.set_title("(a) episodes to 95 % of the optimum")
    handles, failures = [], False
    for (method, look), shift in zip(
        looks.items(), _shifts(len(looks), configurations), strict=True
    ):
        joined = []
        for configuration in configurations:
            needed = episodes_needed(groups, configuration, method)
            if needed is None:
                continue
            draw_needed(axes, needed, look, configuration.k * shift, upright=True)
            failures |= bool(needed.failures)
            joined.append((configuration.k * shift, max(1.0, needed.median)))
        if joined:
            handles.append(handle(look))
            _join(axes, [place for place in joined if np.isfinite(place[1])], look, look.dashes)
    if not handles:
        say(axes, NO_DATA)
        return []
    use_log_scale(axes, "y")
    _scale_k(axes, configurations)
    axes.set_ylabel("training episodes")
    return [*handles, failure_handle("^")] if failures else handles


def _draw_states(
    axes: "Axes",
    groups: RunGroups,
    configurations: Sequence[Configuration],
    looks: dict[str, Look],
) -> list[Any]:
    """Draw how many states were found, beside how many there are."""
    axes.set_title("(b) states at the end")
    if not _draw_ranges(axes, groups, configurations, looks, _states, joined=False):
        say(axes, NO_DATA)
        return []
    wide = 2.0 ** (1.4 * _spread(configurations))
    for configuration in configurations:
        true = {
            run.result["minimal_states"]
            for method in looks
            for run in groups.complete(configuration, method)
            if run.result is not None
        }
        for number in true:  # one, unless somebody changed the files
            ends = [configuration.k / wide, configuration.k * wide]
            axes.plot(ends, [number, number], zorder=1.9, **TRUTH)
    axes.set_ylabel("states")
    return [handle(Look("states of the domain", "", "", ""), **TRUTH)]


def _draw_seconds(
    axes: "Axes",
    groups: RunGroups,
    configurations: Sequence[Configuration],
    looks: dict[str, Look],
) -> None:
    """Draw how long the runs took."""
    axes.set_title("(c) time of a whole run")
    if _draw_ranges(axes, groups, configurations, looks, _seconds):
        axes.set_ylabel("seconds")
    else:
        say(axes, "no times are known" if configurations else NO_DATA)


def _draw_ranges(
    axes: "Axes",
    groups: RunGroups,
    configurations: Sequence[Configuration],
    looks: dict[str, Look],
    measure: Measure,
    *,
    joined: bool = True,
) -> bool:
    """Draw medians and ranges of all methods; return whether there were any."""
    drawn = False
    for (method, look), shift in zip(
        looks.items(), _shifts(len(looks), configurations), strict=True
    ):
        ranges = ranges_of(groups, configurations, method, measure)
        for k, _, least, largest in ranges:
            axes.plot([k * shift] * 2, [least, largest], color=look.colour, linewidth=0.9)
        dashes = look.dashes if joined else ""
        _join(axes, [(k * shift, median) for k, median, _, _ in ranges], look, dashes, look.marker)
        drawn |= bool(ranges)
    if drawn:
        use_log_scale(axes, "y")
        _scale_k(axes, configurations)
    return drawn


def _spread(configurations: Sequence[Configuration]) -> float:
    """Return how far to either side methods lie, in octaves."""
    ks = [configuration.k for configuration in configurations]
    return SPREAD * float(np.log2(max(ks) / min(ks) * ROOM**2)) if ks else 0.0


def _shifts(number: int, configurations: Sequence[Configuration]) -> list[float]:
    """Return factors that put methods side by side on a logarithmic axis."""
    if number == 1:
        return [1.0]
    spread = _spread(configurations)
    return [float(2.0**octaves) for octaves in np.linspace(-spread, spread, number)]


def _join(
    axes: "Axes", places: list[tuple[float, float]], look: Look, dashes: Any, marker: str = ""
) -> None:
    if places:
        x, y = zip(*places, strict=True)
        axes.plot(x, y, color=look.colour, linestyle=dashes, marker=marker, linewidth=1.0)


def _scale_k(axes: "Axes", configurations: Sequence[Configuration]) -> None:
    ks = [configuration.k for configuration in configurations]
    axes.set_xscale("log", base=2)
    axes.set(xlim=(min(ks) / ROOM, max(ks) * ROOM), xlabel="k")
    axes.set_xticks(ks, [str(k) for k in ks])
    axes.set_xticks([], minor=True)


def _states(run: RunRecord) -> float | None:
    return None if run.result is None else float(run.result["states"])


def _seconds(run: RunRecord) -> float | None:
    seconds: Any = run.timing.get("seconds")
    known = isinstance(seconds, int | float) and not isinstance(seconds, bool) and seconds > 0
    return float(seconds) if known else None
