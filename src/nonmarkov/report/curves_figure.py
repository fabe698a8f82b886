"""Learning curves of everything that was run: one panel for every configuration."""

import os
from pathlib import Path

from nonmarkov.report.curve_panel import (
    EPISODES,
    SCORE,
    curve_handles,
    draw_scores,
    score_curves,
    seeds_note,
)
from nonmarkov.report.plotting import (
    NO_DATA,
    looks_of,
    new_figure,
    paper_style,
    put_legend,
    save_figure,
    say,
)
from nonmarkov.report.run_groups import Results, load_runs

COLUMNS = 4
ROW_HEIGHT = 1.38  # inches
LEGEND_HEIGHT = 0.75
NAME = "curves"


def save_curves_figure(results: Results, out: str | os.PathLike[str]) -> tuple[Path, ...]:
    """Draw the learning curves of all configurations, and return the paths of the files."""
    groups = load_runs(results)
    configurations = groups.configurations()
    looks = looks_of(groups.methods)
    rows = max(1, -(-len(configurations) // COLUMNS))
    with paper_style():
        figure = new_figure(rows * ROW_HEIGHT + LEGEND_HEIGHT)
        panels = list(figure.subplots(rows, COLUMNS, squeeze=False).flat)
        if not configurations:
            say(panels[0], NO_DATA)
        for place, (axes, configuration) in enumerate(zip(panels, configurations, strict=False)):
            axes.set_title(configuration.label)
            curves = score_curves(groups, configuration)
            draw_scores(axes, curves, groups.optimum(configuration), looks)
            if place % COLUMNS == 0:
                axes.set_ylabel(SCORE)
            if place + COLUMNS >= len(configurations):
                axes.set_xlabel(EPISODES)
        for axes in panels[max(1, len(configurations)) :]:
            axes.remove()
        handles = curve_handles(groups, configurations)
        put_legend(figure, handles, seeds_note(groups, configurations))
        return save_figure(figure, out, NAME, "Learning curves of all configurations")
