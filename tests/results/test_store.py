"""A folder of many runs, some of them damaged, some not ours."""

import math
import time

import numpy as np
import pytest

from nonmarkov.results.store import Store
from tests.results.folders import make_run, make_spec


def test_a_tidy_table(tmp_path):
    for seed in (1, 0):
        make_run(tmp_path, make_spec(seed))
    make_run(tmp_path, make_spec(parameters={"k": 3}), score=45.0, episodes_to_95=20)
    table = Store(tmp_path).table()
    assert len(table) == 3
    assert table.k == [2, 2, 3]
    assert table.seed.tolist() == [0, 1, 0]
    assert table.share.tolist() == [80.5 / 90, 80.5 / 90, 0.5]
    assert math.isnan(table.episodes_to_95[0])
    assert table.episodes_to_95[2] == 20
    assert table.seconds.tolist() == [1.5] * 3
    assert table.right.dtype == np.bool_
    assert len(table.where(k=2)) == 2
    assert table.where(k=2, seed=1).name == [make_spec(1).name]
    assert [row["k"] for row in table.rows()] == table.k


def test_an_optimum_of_zero_has_no_shares(tmp_path):
    make_run(tmp_path, make_spec(), optimal_score=0.0)
    assert math.isnan(Store(tmp_path).table().share[0])


@pytest.mark.parametrize("name", ["nowhere", "empty"])
def test_nothing_there(tmp_path, name):
    (tmp_path / "empty").mkdir()
    store = Store(tmp_path / name)
    assert len(store.table()) == 0
    assert list(store.runs()) == []
    assert store.problems == []


def test_what_is_damaged_or_foreign_is_named_and_left_out(tmp_path, caplog):
    for seed in range(6):
        make_run(tmp_path, make_spec(seed))
    runs = tmp_path / "runs"
    (runs / make_spec(0).name / "result.json").write_text('{"score": 1')
    (runs / make_spec(1).name / "spec.json").write_text("garbage")
    (runs / make_spec(2).name / "spec.json").unlink()
    (runs / make_spec(3).name).rename(runs / "0123456789abcdef")
    (runs / "notes.txt").write_text("mine")
    (runs / "just-begun").mkdir()
    store = Store(tmp_path)
    assert sorted(store.table().seed.tolist()) == [4, 5]
    assert len(store.problems) == 5
    assert [record.message for record in caplog.records] == store.problems
    assert store.complete() == {make_spec(4).name, make_spec(5).name}
    running = [record for record in store.runs() if not record.complete]
    assert [record.spec.seed for record in running] == [0]


def test_damaged_curves_are_left_out(tmp_path):
    for seed in range(3):
        make_run(tmp_path, make_spec(seed))
    (tmp_path / "runs" / make_spec(1).name / "curve.csv").write_text("?")
    store = Store(tmp_path)
    found = {record.spec.seed: curve["score"].tolist() for record, curve in store.curves()}
    assert found == {0: [50.0, 80.5], 2: [50.0, 80.5]}
    assert "curve.csv" in store.problems[0]


def test_conditions(tmp_path):
    for seed in range(3):
        make_run(tmp_path, make_spec(seed))
    assert Store(tmp_path).table(lambda record: record.spec.seed == 1).seed.tolist() == [1]


@pytest.mark.slow
def test_ten_thousand_runs_in_seconds(tmp_path):
    for seed in range(10_000):
        make_run(tmp_path, make_spec(seed))
    began = time.perf_counter()
    assert len(Store(tmp_path).table()) == 10_000
    assert time.perf_counter() - began < 20
