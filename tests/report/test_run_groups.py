"""Runs of a folder, sorted."""

import json

import pytest

from nonmarkov.domains import DOMAINS
from nonmarkov.errors import FileFormatError
from nonmarkov.report.run_groups import TITLES, Configuration, RunGroups, load_runs
from tests.report.fabricated_runs import fabricate, fabricate_run, make_spec


def seeds(runs):
    return [run.spec.seed for run in runs]


def test_runs_are_found_by_configuration_and_method(tmp_path):
    groups = load_runs(fabricate(tmp_path, {"cheat_mab": (4, 3)}, ("paper", "apart")))
    first, second = groups.configurations()
    assert (first.label, second.label) == ("Cheat MAB, k = 3", "Cheat MAB, k = 4")
    assert seeds(groups.runs(first, "paper")) == [0, 1, 2]
    assert groups.methods == {"apart", "paper"}
    assert groups.runs(first, "oracle") == ()
    assert groups.optimum(first) == 68.0
    assert groups.left_out == 0
    assert load_runs(groups) is groups


def test_configurations_come_in_the_order_of_the_paper(tmp_path):
    groups = load_runs(fabricate(tmp_path, methods=("apart",), seeds=(0,)))
    found = groups.configurations()
    assert list(dict.fromkeys(c.domain for c in found)) == list(TITLES)
    assert [c.k for c in groups.configurations("enemy_corridor")] == [2, 4, 8]


def test_every_domain_has_a_title():
    assert set(TITLES) == set(DOMAINS)


def test_unusual_parameters_make_another_configuration(tmp_path):
    fabricate_run(tmp_path, make_spec("rotating_mab", 2))
    fabricate_run(tmp_path, make_spec("rotating_mab", 2, parameters={"horizon": 20, "stop": 0.1}))
    labels = [configuration.label for configuration in load_runs(tmp_path).configurations()]
    assert sorted(labels) == [
        "Rotating MAB, k = 2",
        "Rotating MAB, k = 2, horizon = 20, stop = 0.1",
    ]


def test_runs_with_other_settings_are_no_other_seeds(tmp_path):
    fabricate(tmp_path, {"cheat_mab": (3,)}, ("paper",), range(2))
    for seed in range(3):
        fabricate_run(tmp_path, make_spec("cheat_mab", 3, "paper", seed, settings={"m": 7}))
    fabricate_run(tmp_path, make_spec("cheat_mab", 3, "paper", 0, episodes=100))
    groups = load_runs(tmp_path)
    (configuration,) = groups.configurations()
    runs = groups.runs(configuration, "paper")
    assert [dict(run.spec.settings) for run in runs] == [{"m": 7}] * 3
    assert groups.left_out == 3


@pytest.mark.parametrize("more", [1, 2])
def test_complete_runs_count_before_longer_ones(tmp_path, more):
    for seed in range(more):
        fabricate_run(tmp_path, make_spec("cheat_mab", 3, seed=seed, episodes=2000))
    fabricate_run(tmp_path, make_spec("cheat_mab", 3, episodes=4000))
    fabricate_run(tmp_path, make_spec("cheat_mab", 3, seed=1, episodes=4000), complete=False)
    groups = load_runs(tmp_path)
    (configuration,) = groups.configurations()
    kept = {run.spec.episodes for run in groups.runs(configuration, "apart")}
    assert kept == ({4000} if more == 1 else {2000})


def test_runs_under_way_have_no_optimum_and_are_not_complete(tmp_path):
    fabricate(tmp_path, {"cheat_mab": (3,)}, ("apart",), complete=False)
    groups = load_runs(tmp_path)
    (configuration,) = groups.configurations()
    assert len(groups.runs(configuration, "apart")) == 3
    assert groups.complete(configuration, "apart") == ()
    assert groups.optimum(configuration) is None


def test_what_cannot_be_read_is_no_run(tmp_path):
    good, cut, other = (
        fabricate_run(tmp_path, make_spec("cheat_mab", 3, seed=seed)) for seed in range(3)
    )
    (cut / "spec.json").write_text((cut / "spec.json").read_text()[:-4])
    content = json.loads((other / "spec.json").read_text())
    (other / "spec.json").write_text(json.dumps(content | {"domain": "no_such_domain"}))
    (tmp_path / "runs" / "empty").mkdir()
    (tmp_path / "runs" / ".hidden").write_text("no folder")
    groups = load_runs(tmp_path)
    (configuration,) = groups.configurations()
    assert [run.folder for run in groups.runs(configuration, "apart")] == [good]


def test_a_folder_without_runs_is_refused(tmp_path):
    with pytest.raises(FileFormatError, match="holds no results"):
        load_runs(tmp_path / "nowhere")


def test_nothing_is_known_of_what_was_not_run():
    nothing = RunGroups([])
    configuration = Configuration.of(make_spec("cheat_mab", 3))
    assert nothing.configurations() == []
    assert nothing.optimum(configuration) is None
    assert nothing.complete(configuration, "apart") == ()
