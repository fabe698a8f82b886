"""The paper's figure: learning curves in eight panels, with `apart` beside the paper's agents."""

import os
from collections.abc import Mapping
from pathlib import Path

from nonmarkov.report.curve_panel import (
    EPISODES,
    SCORE,
    curve_handles,
    draw_scores,
    score_curves,
    seeds_note,
)
from nonmarkov.report.plotting import looks_of, new_figure, paper_style, put_legend, save_figure
from nonmarkov.report.run_groups import TITLES, Configuration, Results, RunGroups, load_runs
from nonmarkov.report.steps_panel import draw_steps, step_curves

STEPS = "safe and candidate steps"
STEPS_DOMAIN = "flickering_grid"
PANELS = (
    *("reset_rotating_mab", "enemy_corridor", "flickering_grid", STEPS),
    *("rotating_mab", "malfunction_mab", "cheat_mab", "rotating_maze"),
)
NAME = "paper_figure"
TITLE = "Learning curves of all agents in the paper's domains"


def save_paper_figure(
    results: Results, out: str | os.PathLike[str], *, ks: Mapping[str, int] | None = None
) -> tuple[Path, ...]:
    """Draw the paper's figure, and return the paths of its files.

    A panel shows one k of its domain: that in `ks`, otherwise that with the most methods, of equal
    ones the largest. Lines are means over seeds, bands one standard deviation.
    """
    groups = load_runs(results)
    looks = looks_of(groups.methods)
    shown = {
        domain: choose_configuration(groups, domain, (ks or {}).get(domain)) for domain in TITLES
    }
    with paper_style():
        figure = new_figure(4.0)
        for place, (axes, panel) in enumerate(zip(figure.subplots(2, 4).flat, PANELS, strict=True)):
            letter = "abcdefgh"[place]
            if panel == STEPS:
                axes.set_title(f"({letter}) Safe and candidate steps")
                grid = shown[STEPS_DOMAIN]
                steps = step_curves(groups, grid, list(looks)) if grid else {}
                draw_steps(axes, steps, looks, any_runs=grid is not None)
            else:
                found = shown[panel]
                axes.set_title(f"({letter}) {found.label if found else TITLES[panel]}")
                curves = score_curves(groups, found) if found else {}
                draw_scores(axes, curves, groups.optimum(found) if found else None, looks)
            axes.set_xlabel(EPISODES if place >= 4 else "")
            if place % 4 == 0:
                axes.set_ylabel(SCORE)
        drawn = [found for found in shown.values() if found is not None]
        put_legend(figure, curve_handles(groups, drawn), seeds_note(groups, drawn))
        return save_figure(figure, out, NAME, TITLE)


def choose_configuration(groups: RunGroups, domain: str, k: int | None) -> Configuration | None:
    """Return the configuration of a domain that its panel shows."""

    def rank(configuration: Configuration) -> tuple[int, int]:
        return len(score_curves(groups, configuration)), configuration.k

    found = [c for c in groups.configurations(domain) if k in (None, c.k)]
    return max(found, key=rank, default=None)
