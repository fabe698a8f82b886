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

MOST_COLUMNS = 4
ROW_HEIGHT, ONLY_ROW_HEIGHT = 1.38, 1.9  # inches
LEGEND_HEIGHT = 0.75
NAME = "curves"


def save_curves_figure(results: Results, out: str | os.PathLike[str]) -> tuple[Path, ...]:
    """Draw the learning curves of all configurations, and return the paths of the files."""
    groups = load_runs(results)
    configurations = groups.configurations()
    looks = looks_of(groups.methods)
    columns = max(1, min(MOST_COLUMNS, len(configurations)))
    rows = max(1, -(-len(configurations) // columns))
    height = rows * ROW_HEIGHT if rows > 1 else ONLY_ROW_HEIGHT
    with paper_style():
        figure = new_figure(height + LEGEND_HEIGHT)
        panels = list(figure.subplots(rows, columns, squeeze=False).flat)
        if not configurations:
            say(panels[0], NO_DATA)
        for place, (axes, configuration) in enumerate(zip(panels, configurations, strict=False)):
            axes.set_title(configuration.label)
            curves = score_curves(groups, configuration)
            draw_scores(axes, curves, groups.optimum(configuration), looks)
            if place % columns == 0:
                axes.set_ylabel(SCORE)
            if place + columns >= len(configurations):
                axes.set_xlabel(EPISODES)
        for axes in panels[max(1, len(configurations)) :]:
            axes.remove()
        handles = curve_handles(groups, configurations)
        put_legend(figure, handles, seeds_note(groups, configurations))
        return save_figure(figure, out, NAME, "Learning curves of all configurations")
