"""What is damaged is never read as a result."""

import json

import numpy as np
import pytest

from nonmarkov import errors
from nonmarkov.results.reading import COLUMNS, read_run
from nonmarkov.training import Evaluation
from tests.results.folders import make_result, make_run, make_spec


def test_a_complete_run(tmp_path):
    spec = make_spec()
    record = read_run(make_run(tmp_path, spec))
    assert (record.complete, record.spec, record.name) == (True, spec, spec.name)
    assert record.result["score"] == 80.5
    assert record.curve["episodes"].tolist() == [0, 20]
    assert record.curve["candidate_steps"].tolist() == [0.0, 0.25]
    assert record.curve["states"].dtype == np.int64
    assert record.events == [{"episode": 7, "kind": "revision", "text": "new"}]
    assert record.snapshots == []
    assert record.timing == {"seconds": 1.5}


def test_the_columns_are_the_fields_of_an_evaluation():
    assert len(COLUMNS) == len(Evaluation._fields) - 1
    kinds = [
        np.int64 if kind is int else np.float64 for kind in Evaluation.__annotations__.values()
    ]
    assert list(COLUMNS.values()) == kinds[:-1]


def test_a_run_that_has_just_begun(tmp_path):
    place = make_run(tmp_path, make_spec())
    for path in place.iterdir():
        if path.name != "spec.json":
            path.unlink()
    record = read_run(place)
    assert not record.complete
    assert record.problem == ""
    assert record.curve["score"].size == 0
    assert (record.events, record.snapshots, record.timing) == ([], [], {})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "\x00" * 20,
        "[" * 100_000,
        json.dumps(make_result(make_spec(), format=2)),
        json.dumps(make_result(make_spec(1))),
        json.dumps(make_result(make_spec(), name="other")),
        json.dumps(make_result(make_spec(), score="high")),
        json.dumps(make_result(make_spec(), score=True)),
        json.dumps(make_result(make_spec(), score=float("nan"))),
        json.dumps(make_result(make_spec(), right=1)),
        json.dumps(make_result(make_spec(), episodes_to_95=1.5)),
        json.dumps({k: v for k, v in make_result(make_spec()).items() if k != "states"}),
        json.dumps(make_result(make_spec()))[:-1],
    ],
)
def test_a_damaged_result_does_not_count(tmp_path, text):
    place = make_run(tmp_path, make_spec())
    (place / "result.json").write_text(text)
    record = read_run(place)
    assert not record.complete
    assert "result.json" in record.problem
    assert len(record.problem) < 300


@pytest.mark.parametrize("text", ["", "{}", "3", json.dumps(make_spec(1).to_content())])
def test_a_damaged_specification_is_an_error(tmp_path, text):
    place = make_run(tmp_path, make_spec())
    (place / "spec.json").write_text(text)
    with pytest.raises(errors.FileFormatError, match=r"spec\.json"):
        read_run(place)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a,b\n1,2\n",
        "episodes,score,states,sampled,candidates,safe_steps,candidate_steps\n1,2",
        "episodes,score,states,sampled,candidates,safe_steps,candidate_steps\n1,2\n",
        "episodes,score,states,sampled,candidates,safe_steps,candidate_steps\n1,nan,1,1,1,1,1\n",
        "episodes,score,states,sampled,candidates,safe_steps,candidate_steps\nx,1,1,1,1,1,1\n",
        "episodes,score,states,sampled,candidates,safe_steps,candidate_steps\n1,1,1,1,1,1,1",
    ],
)
def test_a_damaged_curve_is_an_error(tmp_path, text):
    place = make_run(tmp_path, make_spec())
    (place / "curve.csv").write_text(text)
    record = read_run(place)
    assert record.complete
    with pytest.raises(errors.FileFormatError, match=r"curve\.csv"):
        _ = record.curve


@pytest.mark.parametrize("line", ["{", "[1]", '{"episode": 3}'])
def test_damaged_lines_are_an_error(tmp_path, line):
    place = make_run(tmp_path, make_spec())
    (place / "events.jsonl").write_text(f'{{"episode": 7, "kind": "x", "text": ""}}\n{line}\n')
    with pytest.raises(errors.FileFormatError, match="line 2"):
        _ = read_run(place).events
