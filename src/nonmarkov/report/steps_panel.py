"""One panel: training steps per episode from safe states, and from candidates."""

from typing import TYPE_CHECKING

from nonmarkov.report.curve_panel import draw_curve, scale_episodes
from nonmarkov.report.curves import MeanCurve, mean_curve, readable_curves
from nonmarkov.report.plotting import NO_DATA, Look, say
from nonmarkov.report.run_groups import Configuration, RunGroups
from nonmarkov.report.style import INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DASHED = (0, (2.0, 1.5))
NO_CANDIDATES = "no candidate states\nin any run"

Steps = dict[str, tuple[MeanCurve, MeanCurve]]  # by method: from safe states, from candidates


def step_curves(groups: RunGroups, configuration: Configuration, methods: list[str]) -> Steps:
    """Return the mean curves of the methods that ever leave their safe states."""
    found = {}
    for method in methods:
        curves = readable_curves(groups.runs(configuration, method))
        safe, outside = mean_curve(curves, "safe_steps"), mean_curve(curves, "candidate_steps")
        if safe is not None and outside is not None and outside.mean.any():
            found[method] = (_after_training(safe), _after_training(outside))
    return found


def draw_steps(axes: "Axes", steps: Steps, looks: dict[str, Look], *, any_runs: bool) -> None:
    """Draw steps against episodes: solid from safe states, dashed from candidates."""
    from matplotlib.ticker import MaxNLocator

    axes.set_ylabel("steps per episode")
    if not steps:
        say(axes, NO_CANDIDATES if any_runs else NO_DATA)
        return
    curves = [curve for pair in steps.values() for curve in pair]
    scale_episodes(axes, curves)
    for method, (safe, outside) in reversed(steps.items()):
        draw_curve(axes, safe, looks[method], linestyle="-")
        hollow = {"markerfacecolor": "white", "markeredgecolor": looks[method].colour}
        draw_curve(axes, outside, looks[method], linestyle=DASHED, **hollow)
    highest = max(float((curve.mean + curve.deviation).max()) for curve in curves)
    axes.set_ylim(-0.03 * highest, 1.25 * highest)  # with room for the key
    axes.yaxis.set_major_locator(MaxNLocator(5, integer=True))
    _put_key(axes)


def _put_key(axes: "Axes") -> None:
    from matplotlib.lines import Line2D

    key = [
        Line2D([], [], color=INK, label="safe"),
        Line2D([], [], color=INK, label="candidate", linestyle=DASHED),
    ]
    axes.legend(
        handles=key,
        loc="upper center",
        ncols=2,
        fontsize=7,
        handlelength=2.0,
        columnspacing=1.0,
        borderaxespad=0.0,
    )


def _after_training(curve: MeanCurve) -> MeanCurve:
    """Leave out the evaluation before training, when no step had been taken."""
    later = curve.episodes > 0
    return MeanCurve(curve.episodes[later], curve.mean[later], curve.deviation[later])
