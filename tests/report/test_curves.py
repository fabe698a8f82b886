"""Mean curves, against slow twins."""

import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nonmarkov.report.curves import mean_curve, readable_curves, thin_out, values_at
from nonmarkov.results.reading import read_run
from tests.report.fabricated_runs import fabricate_run, make_spec


@st.composite
def curves(draw):
    episodes = sorted(draw(st.sets(st.integers(0, 60), min_size=1, max_size=12)))
    scores = [draw(st.integers(-50, 100)) for _ in episodes]
    return {"episodes": np.array(episodes), "score": np.array(scores, dtype=float)}


def last_score(curve, point):
    """Return the last score up to a point, one evaluation at a time; None outside the run."""
    found = None
    for episodes, score in zip(curve["episodes"], curve["score"], strict=True):
        if episodes <= point:
            found = score
    return found if point <= curve["episodes"][-1] else None


@given(st.lists(curves(), min_size=1, max_size=4))
def test_means_are_over_the_runs_that_reach_that_far(some):
    found = mean_curve(some, "score")
    points = sorted({int(point) for curve in some for point in curve["episodes"]})
    assert found.episodes.tolist() == points
    for point, mean, deviation in zip(*found, strict=True):
        scores = [s for curve in some if (s := last_score(curve, point)) is not None]
        assert mean == pytest.approx(statistics.mean(scores), abs=1e-9)
        expected = statistics.stdev(scores) if len(scores) > 1 else 0.0
        assert deviation == pytest.approx(expected, abs=1e-6)


@given(curves(), st.lists(st.integers(0, 80), min_size=1, max_size=9))
def test_a_run_that_ended_keeps_its_last_score(curve, points):
    found = values_at(curve, "score", np.array(points))
    for point, value in zip(points, found, strict=True):
        before = [s for e, s in zip(*curve.values(), strict=True) if e <= point]
        assert value == before[-1] if before else np.isnan(value)


def test_without_runs_there_is_no_mean():
    assert mean_curve([], "score") is None


@given(st.sets(st.integers(0, 10**6), min_size=1, max_size=300), st.integers(3, 50))
def test_thinning_keeps_the_ends_and_some_between(points, most):
    ordered = np.array(sorted(points))
    kept = thin_out(ordered, most)
    assert len(kept) <= most
    assert set(kept.tolist()) <= points
    assert (kept[0], kept[-1]) == (ordered[0], ordered[-1])
    assert (np.diff(kept) > 0).all()
    if len(points) <= most:
        assert len(kept) == len(points)


def test_damaged_and_empty_curves_are_left_out(tmp_path):
    good, cut, empty, missing = (
        fabricate_run(tmp_path, make_spec("cheat_mab", 3, seed=seed)) for seed in range(4)
    )
    (cut / "curve.csv").write_bytes((cut / "curve.csv").read_bytes()[:-3])
    header = (empty / "curve.csv").read_text().splitlines()[0]
    (empty / "curve.csv").write_text(header + "\n")
    (missing / "curve.csv").unlink()
    runs = [read_run(folder) for folder in (good, cut, empty, missing)]
    (curve,) = readable_curves(runs)
    assert curve is runs[0].curve
