"""The page as a file: complete, small enough, and closed to whatever is written in a run."""

import base64
import hashlib
import json
import random
import re
import zlib
from itertools import pairwise

import pytest

from nonmarkov.errors import FileFormatError
from nonmarkov.report.page import SCRIPTS, embedded, render, report, write_report
from nonmarkov.report.page_data import DETAILS, gather, grid_of, spread
from tests.report.run_folders import make_snapshot, make_spec, write_lines, write_run

NASTY = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'&\u2028\u2029"


def data_of(page):
    (text,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page)
    return json.loads(text)


def details_of(run):
    return json.loads(zlib.decompress(base64.b64decode(run["details"])))


def test_the_report_holds_all_that_is_in_the_folder(tmp_path):
    for seed in (0, 1):
        write_run(tmp_path, make_spec(seed=seed))
    path = write_report(tmp_path)
    assert path == tmp_path / "report.html"
    data = data_of(path.read_text())
    assert [run["seed"] for run in data["runs"]] in ([0, 1], [1, 0])
    assert data["problems"] == data["notes"] == []
    run = data["runs"][0]
    assert run["curve"]["episodes"] == [0, 100, 1000]
    assert run["result"]["episodes_to_95"] == 400
    assert run["seconds"] == 1.5
    details = details_of(run)
    assert [len(one["states"]) for one in details["snapshots"]] == [2, 3, 4]
    assert details["events"][1] == {"episode": 150, "kind": "merge", "text": "state 1 merged"}


def test_nothing_is_fetched_from_anywhere():
    page = render("title", {"runs": []})
    assert not re.findall(r"""(?:src|href)=["'](?!data:|#)""", page)
    assert not re.findall(r"https?://(?!www\.w3\.org/2000/svg)", page)
    assert "@import" not in page
    assert "url(" not in page


def test_the_policy_allows_exactly_this_script_and_this_style():
    page = render("title", {"runs": []})
    (policy,) = re.findall(r'Content-Security-Policy" content="(.*?)"', page)
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    (style,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    for part in (script, style):
        digest = base64.b64encode(hashlib.sha256(part.encode()).digest()).decode()
        assert f"&#x27;sha256-{digest}&#x27;" in policy
    assert "default-src &#x27;none&#x27;" in policy
    assert "connect-src &#x27;none&#x27;" in policy
    assert "unsafe" not in policy


def test_scripts_never_make_markup_of_text():
    page = render("title", {})
    for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
        assert word not in page
    assert len(set(SCRIPTS)) == len(SCRIPTS)


@pytest.mark.parametrize("text", [NASTY, "]]>", "<!--", "\ud800", "{{data}}"])
def test_embedded_data_cannot_end_its_element(text):
    data = embedded({"name": text})
    assert not set("<>&\u2028\u2029") & set(data)
    assert json.loads(data) == {"name": text}
    page = render(text, {"name": text})
    assert data_of(page) == {"name": text}
    assert page.count("<script") == 2
    page.encode()


def test_names_with_tags_stay_names(tmp_path):
    spec = make_spec(method=NASTY, settings={NASTY: NASTY})
    snapshot = make_snapshot(2, 10, observation=NASTY, actions=(NASTY, "b"))
    events = [{"episode": 1, "kind": NASTY, "text": NASTY}]
    write_run(tmp_path, spec, snapshots=[snapshot], events=events)
    page = write_report(tmp_path).read_text()
    assert page.count("<script") == 2
    assert "<img" not in page
    assert data_of(page)["runs"][0]["method"] == NASTY


def test_a_page_of_many_runs_stays_below_its_limit(tmp_path):
    rng = random.Random(0)
    snapshots = [make_snapshot(60, 10 * i, n_candidates=20) for i in range(12)]
    for edge in (edge for one in snapshots for edge in one["edges"]):
        edge[5:7] = rng.randrange(10_000), rng.random()  # as hard to pack as real ones
    for seed in range(3):
        write_run(tmp_path, make_spec(seed=seed), snapshots=snapshots)
    gathered = gather(tmp_path)
    gathered.runs *= 12  # reading 36 folders would test nothing more
    full = report("title", gathered, most_bytes=1 << 40)
    size, empty = len(full.encode()), len(render("title", {}).encode())
    limit = empty + (size - empty) // 3
    page = report("title", gathered, most_bytes=limit)
    assert empty + (limit - empty) / 4 < len(page.encode()) <= limit
    data = data_of(page)
    assert len(data["runs"]) == 36
    (note,) = data["notes"]
    assert "of 432 snapshots" in note
    kept = [len(details_of(run)["snapshots"]) for run in data["runs"][:2]]
    assert 0 < kept[0] < 12
    assert details_of(data["runs"][0])["snapshots"][-1]["episodes"] == 110


def test_even_what_cannot_fit_gives_a_page_that_says_so(tmp_path):
    write_run(tmp_path, make_spec())
    gathered = gather(tmp_path)
    gathered.runs *= 500
    empty = len(render("title", {}).encode())
    page = report("title", gathered, most_bytes=empty + 60_000)
    assert len(page.encode()) <= empty + 60_000
    data = data_of(page)
    assert 0 < len(data["runs"]) < 500
    assert "of 500 runs fit" in data["notes"][0]


def test_details_go_from_much_to_little():
    for richer, poorer in pairwise(DETAILS):
        assert all(a >= b for a, b in zip(richer, poorer, strict=True))
        assert richer != poorer


@pytest.mark.parametrize(("length", "most"), [(0, 5), (5, 5), (1000, 40), (41, 40), (9, 1), (9, 0)])
def test_spread_keeps_the_ends(length, most):
    kept = spread(length, most)
    assert len(kept) <= most
    assert kept == sorted(set(kept))
    assert not kept or kept[-1] == length - 1
    if most >= 2 and length:
        assert kept[0] == 0


def test_an_empty_folder_is_refused_and_nothing_written(tmp_path):
    with pytest.raises(FileFormatError, match=r"holds no runs.*nonmarkov sweep"):
        write_report(tmp_path)
    (tmp_path / "runs").mkdir()
    with pytest.raises(FileFormatError, match="holds no runs"):
        write_report(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["runs"]


def test_a_folder_with_nothing_but_damaged_runs_gives_a_page(tmp_path):
    (tmp_path / "runs" / "damaged").mkdir(parents=True)
    data = data_of(write_report(tmp_path).read_text())
    assert data["runs"] == []
    assert len(data["problems"]) == 1


def test_a_folder_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError, match="is no folder"):
        write_report(tmp_path / "nowhere")


def test_damaged_runs_are_reported_and_the_others_shown(tmp_path):
    good = write_run(tmp_path, make_spec(seed=0))
    spec, curve, lines, result = (write_run(tmp_path, make_spec(seed=s)) for s in (1, 2, 3, 4))
    (spec / "spec.json").write_text("{")
    (curve / "curve.csv").write_text("episodes\n1,2\n")
    (lines / "snapshots.jsonl").write_text("[]\n")
    (result / "result.json").write_text('{"format": 1}')
    (tmp_path / "runs" / "stray").mkdir()
    data = data_of(write_report(tmp_path).read_text())
    problems = {problem["name"]: problem["text"] for problem in data["problems"]}
    assert set(problems) == {spec.name, curve.name, lines.name, result.name, "stray"}
    assert "no spec.json" in problems["stray"]
    assert not any(str(tmp_path) in text for text in problems.values())
    runs = {run["name"]: run for run in data["runs"]}
    assert set(runs) == {good.name, curve.name, lines.name, result.name}
    assert runs[curve.name]["curve"]["episodes"] == []
    assert details_of(runs[lines.name])["snapshots"] == []
    assert not runs[result.name]["complete"]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("start", 7),
        ("start", True),
        ("states", [{"safe": True}]),
        ("states", [{"safe": True, "visits": 1, "policy": [9]}]),
        ("edges", [[0, 0, "o", 1.0, 99, 1, 0.5, True]]),
        ("edges", [[0, 0, "o", 1.0]]),
        ("edges", [[0, 0, "o", "much", 0, 1, 0.5, True]]),
        ("edges", 3),
        ("score", None),
        ("episodes", "many"),
    ],
)
def test_a_snapshot_that_makes_no_sense_is_a_problem(tmp_path, key, value):
    place = write_run(tmp_path, make_spec())
    write_lines(place / "snapshots.jsonl", [make_snapshot(2, 10) | {key: value}])
    gathered = gather(tmp_path)
    assert "line 1 is no snapshot" in gathered.problems[0].text
    assert gathered.runs[0].n_snapshots == 0


@pytest.mark.parametrize("name", ["result.json", "timing.json", "snapshots.jsonl"])
def test_numbers_beyond_all_bounds_are_a_problem(tmp_path, name):
    place = write_run(tmp_path, make_spec())
    text = (place / name).read_text()
    changed = re.sub(r'("score": |"seconds": |"win", )[\d.]+', r"\g<1>1e999", text)
    assert changed != text
    (place / name).write_text(changed)
    (problem,) = gather(tmp_path).problems
    assert "inf" in problem.text or "Out of range" in problem.text
    write_report(tmp_path)


def test_links_that_lead_out_of_the_folder_are_not_followed(tmp_path):
    outside = write_run(tmp_path / "outside", make_spec(seed=1))
    inside = write_run(tmp_path / "inside", make_spec(seed=2))
    (tmp_path / "inside" / "runs" / outside.name).symlink_to(outside)
    secret = tmp_path / "secret.jsonl"
    write_lines(secret, [{"episode": 1, "kind": "secret", "text": "secret"}])
    (inside / "events.jsonl").unlink()
    (inside / "events.jsonl").symlink_to(secret)
    gathered = gather(tmp_path / "inside")
    assert gathered.runs == []
    assert ["leads out" in problem.text for problem in gathered.problems] == [True, True]


def test_a_running_run_knows_its_optimum(tmp_path):
    write_run(tmp_path, make_spec(), complete=False)
    (run,) = data_of(write_report(tmp_path).read_text())["runs"]
    assert run["result"] is None
    assert run["optimal_score"] == pytest.approx(90.0)
    assert run["minimal_states"] == 2


def test_boards_are_those_of_the_grid_domains():
    maze = make_spec("rotating_maze", k=1).parameters
    assert grid_of(maze) == {"width": 4, "height": 4, "start": [0, 0], "goal": [2, 3]}
    assert grid_of(make_spec("flickering_grid", k=8).parameters)["width"] == 8
    assert grid_of(make_spec("enemy_corridor", k=4).parameters) is None
