"""A sweep is what is wanted minus what is there."""

from nonmarkov.results.store import Store
from nonmarkov.sweep.plan import make_plan
from tests.results.folders import make_run, make_spec


def test_the_difference(tmp_path):
    specs = [make_spec(seed, parameters={"k": k}) for k in (2, 3) for seed in (5, 1)]
    make_run(tmp_path, specs[1])
    broken = make_run(tmp_path, specs[2])
    (broken / "result.json").write_text("{")
    plan = make_plan([*specs, specs[0]], tmp_path)
    assert plan.wanted == tuple(specs)
    assert plan.n_stored == 1
    assert plan.missing == (specs[0], specs[2], specs[3])
    assert len(Store(tmp_path).table()) == 1


def test_first_seeds_come_first(tmp_path):
    specs = [make_spec(seed, parameters={"k": k}) for k in (2, 3, 4) for seed in (5, 1)]
    missing = make_plan(specs, tmp_path).missing
    assert [spec.seed for spec in missing] == [5, 5, 5, 1, 1, 1]
