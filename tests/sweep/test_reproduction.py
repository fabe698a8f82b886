"""The paper's experiments as grids."""

from collections import Counter

from nonmarkov.results.specification import RunSpec
from nonmarkov.sweep.overview import COLUMNS, overview, write_overview
from nonmarkov.sweep.reproduction import full_grid, quick_grid
from nonmarkov.training import METHODS, PUBLISHED
from tests.results.folders import make_run, make_spec


def test_the_full_grid_is_all_that_was_published():
    specs = full_grid()
    assert len({spec.name for spec in specs}) == 22 * 5 * 5
    groups = Counter((spec.domain, spec.parameters["k"], spec.method) for spec in specs)
    assert groups == {(*c, method): 5 for c in PUBLISHED for method in METHODS}
    for spec in specs:
        published = PUBLISHED[spec.domain, spec.parameters["k"]].episodes
        assert spec.settings == {}
        if spec.method == "apart":
            assert spec.episodes <= 30_000
        else:
            assert spec.episodes == published


def test_the_quick_grid_has_every_domain_and_method():
    specs = quick_grid()
    assert len({spec.name for spec in specs}) == 7 * 5 * 3
    assert {(spec.domain, spec.method) for spec in specs} == {
        (name, method) for name, _ in PUBLISHED for method in METHODS
    }
    assert len({(spec.domain, spec.parameters["k"]) for spec in specs}) == 7


def test_the_specifications_are_as_an_agent_wants_them():
    for spec in quick_grid()[::3]:
        fields = (spec.domain, spec.parameters, spec.method, spec.seed, spec.episodes)
        assert RunSpec.of(*fields, spec.settings) == spec


def test_the_overview(tmp_path):
    from nonmarkov.results.store import Store

    make_run(tmp_path, make_spec(0), episodes_to_95=10)
    make_run(tmp_path, make_spec(1), episodes_to_95=20, score=90.0, right=False)
    make_run(tmp_path, make_spec(2), score=90.0)
    make_run(tmp_path, make_spec(0, parameters={"k": 3}))
    rows = overview(Store(tmp_path).table())
    assert rows[0] == ("rotating_mab", "2", "apart", 3, 90.0, 90.0, 20, 2, "2 of 3")
    assert rows[1][COLUMNS.index("to 95 %")] is None
    lines = write_overview(tmp_path, rows).read_text().splitlines()
    assert lines[0] == "domain,k,method,runs,score,optimum,to 95 %,states,right"
    assert lines[1] == "rotating_mab,2,apart,3,90.0,90.0,20,2,2 of 3"
    assert len(lines) == 3
