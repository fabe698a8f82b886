"""The figures of a folder of results: what they show, whatever is there."""

import itertools
import json
import os
import re
import subprocess
import sys

import numpy as np
import pytest
from matplotlib.text import Text

from nonmarkov.errors import InvalidParameterError
from nonmarkov.report import (
    aggregate_figure,
    curves_figure,
    episodes_figure,
    paper_figure,
    scaling_figure,
)
from nonmarkov.report.episodes_figure import Needed, episodes_needed
from nonmarkov.report.figures import (
    save_all_figures,
    save_paper_figure,
    save_scaling_figure,
)
from nonmarkov.report.plotting import LOOKS
from nonmarkov.report.run_groups import load_runs
from tests.reference import interquartile as slow
from tests.report.fabricated_runs import METHODS, fabricate, fabricate_run, make_spec

FIGURES = {
    paper_figure: "save_paper_figure",
    curves_figure: "save_curves_figure",
    episodes_figure: "save_episodes_figure",
    scaling_figure: "save_scaling_figure",
    aggregate_figure: "save_aggregate_figure",
}
NAMES = [
    *("paper_figure", "curves", "scaling_enemy_corridor", "aggregate"),
    *("episodes_to_95", "episodes_to_99"),
]


@pytest.fixture(scope="module")
def everything(tmp_path_factory):
    return fabricate(tmp_path_factory.mktemp("everything"))


def texts_of(svg):
    """Return the texts in a figure, which matplotlib leaves in comments."""
    return [text.strip() for text in re.findall(r"<!--(.*?)-->", svg.read_text(), re.DOTALL)]


def held(monkeypatch, module, results, out, **options):
    """Draw a figure, and return it instead of writing it."""
    caught = []

    def hold(figure, *_):
        figure.draw_without_rendering()
        caught.append(figure)
        return ()

    monkeypatch.setattr(module, "save_figure", hold)
    getattr(module, FIGURES[module])(results, out, **options)
    return caught[0]


def visible_texts(figure):
    """Return all texts that are drawn, with their places in pixels."""
    window = figure.get_window_extent()
    texts = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text()]
    ticks = {id(label) for axes in figure.axes for label in ticks_outside(axes)}
    boxes = [(t.get_text(), t.get_window_extent()) for t in texts if id(t) not in ticks]
    return window, boxes


def ticks_outside(axes):
    """Yield the labels of ticks that matplotlib keeps ready beyond the ends of an axis."""
    for axis in (axes.xaxis, axes.yaxis):
        low, high = sorted(axis.get_view_interval())
        for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
            if not low <= tick.get_loc() <= high:
                yield from (tick.label1, tick.label2)


def overlap(first, second):
    width = min(first.x1, second.x1) - max(first.x0, second.x0)
    height = min(first.y1, second.y1) - max(first.y0, second.y0)
    return width > 1.0 and height > 1.0


@pytest.mark.parametrize("module", FIGURES, ids=lambda m: m.__name__.rpartition(".")[2])
@pytest.mark.parametrize("methods", [list(METHODS), ["apart"], ["paper", "rmax"]])
def test_texts_are_on_the_page_and_beside_each_other(
    everything, module, methods, tmp_path, monkeypatch
):
    results = everything
    if len(methods) < len(METHODS):
        results = fabricate(tmp_path, {"enemy_corridor": (2, 4), "cheat_mab": (3,)}, methods)
    window, boxes = visible_texts(held(monkeypatch, module, results, tmp_path))
    assert len(boxes) > 10
    for text, box in boxes:
        assert min(box.x0, box.y0) >= -1, f"{text!r} is cut off"
        assert box.x1 <= window.x1 + 1, f"{text!r} is cut off"
        assert box.y1 <= window.y1 + 1, f"{text!r} is cut off"
    for (one, first), (other, second) in itertools.combinations(boxes, 2):
        assert not overlap(first, second), f"{one!r} lies over {other!r}"


def test_all_figures_are_written_and_the_same_every_time(tmp_path):
    domains = {"enemy_corridor": (2, 4), "flickering_grid": (8,), "cheat_mab": (3,)}
    results = fabricate(tmp_path, domains, seeds=range(2))
    paths = save_all_figures(results, tmp_path / "first")
    assert sorted(path.name for path in paths) == sorted(
        f"{name}.{suffix}" for name in NAMES for suffix in ("png", "svg")
    )
    # In another process sets have another order.
    program = (
        "import sys; from nonmarkov.report.figures import save_all_figures as s; s(*sys.argv[1:])"
    )
    command = [sys.executable, "-c", program, str(results), str(tmp_path / "second")]
    subprocess.run(command, check=True, env=os.environ | {"PYTHONHASHSEED": "7"})
    for path in paths:
        assert path.read_bytes() == (tmp_path / "second" / path.name).read_bytes(), path.name


def test_the_paper_figure_has_eight_panels_in_order(everything, tmp_path, monkeypatch):
    figure = held(monkeypatch, paper_figure, everything, tmp_path)
    assert [axes.get_title() for axes in figure.axes] == [
        "(a) Reset-Rotating MAB, k = 4",
        "(b) Enemy Corridor, k = 8",
        "(c) Flickering Grid, k = 8",
        "(d) Safe and candidate steps",
        "(e) Rotating MAB, k = 3",
        "(f) Malfunction MAB, k = 3",
        "(g) Cheat MAB, k = 3",
        "(h) Rotating Maze, k = 1",
    ]
    (legend,) = figure.legends
    expected = [look.label for look in LOOKS.values()] + ["optimum"]
    assert sorted(text.get_text() for text in legend.get_texts()) == sorted(expected)
    assert "3 seeds" in legend.get_title().get_text()
    assert figure.axes[0].get_xscale() == "log"
    assert figure.axes[3].get_xscale() == "linear"


def lines_of(axes):
    """Return the lines of a panel by colour."""
    found = {}
    for line in axes.get_lines():
        found.setdefault(line.get_color(), []).append(line)
    return found


def test_lines_are_means_and_the_optimum_is_dashed(everything, tmp_path, monkeypatch):
    panel = held(monkeypatch, paper_figure, everything, tmp_path).axes[6]
    lines = lines_of(panel)
    groups = load_runs(everything)
    (configuration,) = groups.configurations("cheat_mab")
    for method, look in LOOKS.items():
        (line,) = lines.pop(look.colour)
        curves = [run.curve for run in groups.runs(configuration, method)]
        assert line.get_xdata().tolist() == curves[0]["episodes"][1:].tolist()
        means = np.mean([curve["score"] for curve in curves], axis=0)
        assert line.get_ydata() == pytest.approx(means[1:])
        assert line.get_marker() == look.marker
    ((optimum,),) = lines.values()
    assert list(optimum.get_ydata()) == [68.0, 68.0]
    assert optimum.is_dashed()


def test_safe_and_candidate_steps_are_of_methods_with_candidates(everything, tmp_path, monkeypatch):
    panel = held(monkeypatch, paper_figure, everything, tmp_path).axes[3]
    assert set(lines_of(panel)) == {LOOKS["paper"].colour, LOOKS["random-sampling"].colour}
    for solid, dashed in lines_of(panel).values():
        assert not solid.is_dashed()
        assert dashed.is_dashed()
        assert solid.get_ydata() + dashed.get_ydata() == pytest.approx(10.0)
        assert solid.get_xdata()[0] == 15_000


def test_a_k_can_be_chosen(everything, tmp_path, monkeypatch):
    figure = held(monkeypatch, paper_figure, everything, tmp_path, ks={"enemy_corridor": 2})
    assert figure.axes[1].get_title() == "(b) Enemy Corridor, k = 2"
    figure = held(monkeypatch, paper_figure, everything, tmp_path, ks={"enemy_corridor": 64})
    assert figure.axes[1].get_title() == "(b) Enemy Corridor"
    assert [text.get_text() for text in figure.axes[1].texts] == ["no runs yet"]


def test_the_k_with_the_most_methods_is_shown(tmp_path):
    fabricate(tmp_path, {"rotating_mab": (2,)}, ("apart", "paper"), (0,))
    fabricate(tmp_path, {"rotating_mab": (5,)}, ("apart",), (0,))
    _, svg = paper_figure.save_paper_figure(tmp_path, tmp_path / "out")
    assert "(e) Rotating MAB, k = 2" in texts_of(svg)
    assert texts_of(svg).count("no runs yet") == 7


def test_what_is_not_shown_is_counted(tmp_path):
    fabricate(tmp_path, {"rotating_mab": (2,)}, ("apart",), range(2))
    fabricate_run(tmp_path, make_spec("rotating_mab", 2, settings={"epsilon": 0.1}))
    _, svg = paper_figure.save_paper_figure(tmp_path, tmp_path / "out")
    (note,) = (text for text in texts_of(svg) if text.startswith("lines:"))
    assert "mean over 2 seeds" in note
    assert note.endswith("not shown: 1 with other settings or lengths")


def test_panels_without_data_say_so(tmp_path):
    (tmp_path / "runs").mkdir()
    for path in save_all_figures(tmp_path, tmp_path / "out"):
        if path.suffix == ".svg":
            assert "no runs yet" in texts_of(path), path.name


def test_grids_without_candidates_say_so(tmp_path):
    fabricate(tmp_path, {"flickering_grid": (8,)}, ("apart",))
    _, svg = paper_figure.save_paper_figure(tmp_path, tmp_path / "out")
    texts = texts_of(svg)
    assert "no candidate states" in texts
    assert texts.count("no runs yet") == 6


def test_runs_under_way_are_drawn_as_far_as_they_are(tmp_path):
    fabricate(tmp_path, {"cheat_mab": (3,)}, ("apart",), complete=False)
    paths = save_all_figures(tmp_path, tmp_path / "out")
    texts = {path.stem: texts_of(path) for path in paths if path.suffix == ".svg"}
    assert "lines: mean over 3 seeds   ·   bands: one standard deviation" in texts["paper_figure"]
    assert "optimum" not in texts["paper_figure"]
    for name in ("aggregate", "episodes_to_95"):
        assert "no runs yet" in texts[name]


def test_corrupt_runs_change_nothing(tmp_path):
    fabricate(tmp_path, {"enemy_corridor": (2, 4)}, ("apart", "paper"), range(2))
    paths = (*save_paper_figure(tmp_path, tmp_path), *save_scaling_figure(tmp_path, tmp_path))
    before = [path.read_bytes() for path in paths]
    damage = ("spec.json", "curve.csv")
    for seed, name in enumerate(damage, start=5):
        folder = fabricate_run(tmp_path, make_spec("enemy_corridor", 4, "paper", seed))
        (folder / name).write_text("{")
        (folder / "result.json").unlink()
    (tmp_path / "runs" / "something").mkdir()
    paths = (*save_paper_figure(tmp_path, tmp_path), *save_scaling_figure(tmp_path, tmp_path))
    assert before == [path.read_bytes() for path in paths]


def test_a_damaged_result_is_no_result(tmp_path):
    fabricate(tmp_path, {"cheat_mab": (3,)}, ("apart",), range(2))
    folder = fabricate_run(tmp_path, make_spec("cheat_mab", 3, seed=2))
    (folder / "result.json").write_text((folder / "result.json").read_text()[:-10])
    groups = load_runs(tmp_path)
    (configuration,) = groups.configurations()
    assert len(episodes_needed(groups, configuration, "apart").episodes) == 2


def test_what_was_not_reached_is_shown_where_the_run_ended():
    needed = Needed((100.0, np.inf, 300.0), budget=5000)
    assert needed.median == 300.0
    assert needed.failures == 1
    assert needed.shown == [100.0, 5000, 300.0]
    assert Needed((0.0,), budget=50).shown == [1.0]
    assert Needed((np.inf, np.inf, 7.0), budget=50).median == np.inf


def test_episodes_needed_come_from_the_results(everything):
    groups = load_runs(everything)
    (configuration,) = groups.configurations("rotating_maze")
    for method, share in itertools.product(METHODS, (95, 99)):
        runs = groups.complete(configuration, method)
        expected = [run.result[f"episodes_to_{share}"] for run in runs]
        found = episodes_needed(groups, configuration, method, share)
        assert [None if np.isinf(n) else n for n in found.episodes] == expected
        assert found.budget == runs[0].spec.episodes


def markers(axes, colour):
    """Return the marks of a colour in a panel: (marker, filled, size, x, y)."""
    return [
        (line.get_marker(), line.get_markerfacecolor() == colour, line.get_markersize(), x, y)
        for line in lines_of(axes).get(colour, [])
        for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)
        if line.get_marker() not in ("", "None")
    ]


def test_triangles_stand_for_runs_that_did_not_get_there(tmp_path, monkeypatch):
    fabricate(tmp_path, {"cheat_mab": (3,)}, ("apart", "rmax"))
    figure = held(monkeypatch, episodes_figure, tmp_path, tmp_path)
    rmax = markers(figure.axes[0], LOOKS["rmax"].colour)
    budget = make_spec("cheat_mab", 3, "rmax").episodes
    assert [(mark[:2], mark[3]) for mark in rmax] == [((">", False), budget)]
    apart = markers(figure.axes[0], LOOKS["apart"].colour)
    numbers = sorted(mark[3] for mark in apart if mark[2] < 3)
    assert [mark[3] for mark in apart if mark[2] > 3] == [numbers[1]]  # the median
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert "not reached by a run's end" in labels


def test_other_shares_are_refused(everything, tmp_path):
    with pytest.raises(InvalidParameterError, match="share must be 95 or 99"):
        episodes_figure.save_episodes_figure(everything, tmp_path, share=90)


def test_scaling_shows_every_k(everything, tmp_path, monkeypatch):
    figure = held(monkeypatch, scaling_figure, everything, tmp_path)
    episodes, states, seconds = figure.axes
    for axes in figure.axes:
        assert [text.get_text() for text in axes.get_xticklabels()] == ["2", "4", "8"]
    (line,) = (x for x in lines_of(states)[LOOKS["apart"].colour] if x.get_marker() == "o")
    assert line.get_ydata() == pytest.approx([4, 8, 16])
    (line,) = (x for x in lines_of(seconds)[LOOKS["apart"].colour] if x.get_marker() == "o")
    assert line.get_ydata() == pytest.approx([1.4, 1.8, 2.6])  # of seed 1, the median
    assert episodes.get_yscale() == "log"


@pytest.mark.parametrize("content", [None, "{", '{"seconds": "long"}', '{"seconds": true}'])
def test_without_times_the_panel_says_so(tmp_path, content):
    fabricate(tmp_path, {"enemy_corridor": (2, 4)}, ("apart",), (0,), timing=False)
    for folder in (tmp_path / "runs").iterdir():
        if content is not None:
            (folder / "timing.json").write_text(content)
    _, svg = scaling_figure.save_scaling_figure(tmp_path, tmp_path / "out")
    assert "no times are known" in texts_of(svg)


def test_scaling_takes_the_usual_parameters(tmp_path, monkeypatch):
    for parameters in ({"horizon": 5}, {}, {"horizon": 50}):
        fabricate_run(tmp_path, make_spec("enemy_corridor", 4, parameters=parameters))
    groups = load_runs(tmp_path)
    (found,) = scaling_figure._one_for_every_k(groups, "enemy_corridor")
    assert found.details == "k = 4"


def test_aggregates_are_interquartile_means_of_shares(everything):
    groups = load_runs(everything)
    strata = aggregate_figure.normalised_curves(groups, "rmax", groups.configurations())
    finals = [curve["score"][-1] for stratum in strata for curve in stratum]
    assert len(strata) == len(groups.configurations())
    interval = aggregate_figure.final_interval(strata)
    assert interval.estimate == pytest.approx(slow.interquartile_mean(finals))
    assert interval.low <= interval.estimate <= interval.high <= 1.0


def test_a_run_that_has_ended_keeps_its_score_in_the_aggregate():
    long = {"episodes": np.array([0, 10, 100]), "score": np.array([0.0, 0.2, 1.0])}
    short = {"episodes": np.array([0, 10]), "score": np.array([0.0, 0.6])}
    found = aggregate_figure.course_intervals([[long], [short]], np.array([10, 50, 100]))
    assert [interval.estimate for interval in found] == pytest.approx([0.4, 0.4, 0.8])


def test_methods_are_compared_on_what_all_of_them_completed(tmp_path):
    fabricate(tmp_path, {"cheat_mab": (3,)}, ("apart", "paper"))
    fabricate(tmp_path, {"rotating_mab": (2, 3)}, ("apart",))
    _, svg = aggregate_figure.save_aggregate_figure(tmp_path, tmp_path / "out")
    texts = " ".join(texts_of(svg))
    assert "1 of 3 configurations, those that all methods completed" in texts
    assert texts.count("3 runs") == 2


def test_methods_without_anything_in_common_are_not_to_be_compared(tmp_path):
    fabricate(tmp_path, {"cheat_mab": (3,)}, ("apart",))
    fabricate(tmp_path, {"rotating_mab": (2,)}, ("paper",))
    _, svg = aggregate_figure.save_aggregate_figure(tmp_path, tmp_path / "out")
    assert any(aggregate_figure.UNEQUAL in text for text in texts_of(svg))


def test_a_method_that_nobody_knows_is_drawn_as_well(tmp_path):
    spec = make_spec("cheat_mab", 3, "from-elsewhere")
    folder = fabricate_run(tmp_path, spec)
    assert json.loads((folder / "spec.json").read_text())["method"] == "from-elsewhere"
    for path in save_all_figures(tmp_path, tmp_path / "out"):
        if path.stem in ("paper_figure", "aggregate", "episodes_to_95"):
            assert path.suffix == ".png" or any("from-elsewhere" in t for t in texts_of(path))
