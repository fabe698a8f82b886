"""Runs on Ray: the same bytes as here, also if a node is lost in the middle."""

import json
import subprocess
import sys

import pytest

from nonmarkov import errors
from nonmarkov.results.execution import execute
from nonmarkov.results.specification import RunSpec
from nonmarkov.sweep import cluster
from tests.ray_clusters import needs_ray, run_quietly, secret
from tests.results.folders import contents

LOSING_A_NODE = """
import json, sys
from pathlib import Path
import ray
from ray.cluster_utils import Cluster
from nonmarkov.results.specification import RunSpec
from nonmarkov.sweep.cluster import run_on_ray

options = {"include_dashboard": False, "object_store_memory": 100_000_000}
nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, **options})
first, second = (nodes.add_node(num_cpus=1, object_store_memory=100_000_000) for _ in range(2))
nodes.wait_for_nodes()
specs = [RunSpec.from_content(content) for content in json.loads(sys.argv[1])]
ended, errors = [], []
for outcome in run_on_ray(specs, Path(sys.argv[2]), nodes.address, 1):
    ended.append(outcome.spec.name)
    errors.append(outcome.error)
    if len(ended) == 1:
        nodes.remove_node(first, allow_graceful=False)  # both are busy now
nodes.shutdown()
print(json.dumps([ended, errors]))
"""


def make_specs(seeds):
    settings = {"evaluate_every": 20_000}
    return [
        RunSpec.of("rotating_mab", {"k": 3}, "paper", seed, 3_000_000, settings)
        for seed in range(seeds)
    ]


@needs_ray
@pytest.mark.slow
def test_a_lost_node_loses_no_run(tmp_path):
    specs = make_specs(6)
    text = json.dumps([spec.to_content() for spec in specs])
    command = [sys.executable, "-c", LOSING_A_NODE, text, str(tmp_path / "ray")]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=500, env=secret(tmp_path)
    )
    assert done.returncode == 0, done.stderr
    ended, failures = json.loads(done.stdout.splitlines()[-1])
    assert failures == [""] * 6
    assert sorted(ended) == sorted(spec.name for spec in specs)
    for spec in specs:
        execute(spec, tmp_path / "alone")
    assert contents(tmp_path / "ray") == contents(tmp_path / "alone")


@needs_ray
@pytest.mark.slow
def test_a_cluster_of_our_own(tmp_path):
    (tmp_path / "grid.toml").write_text(
        'seeds = 2\nmethods = ["apart", "paper"]\nepisodes = 60\n[[runs]]\ndomain = "rotating_mab"'
    )
    command = ("sweep", tmp_path / "grid.toml", "--json", "--out")
    texts = []
    for name, options in (("ray", ["--ray", "local", "--jobs", 1]), ("here", [])):
        done = run_quietly(tmp_path, *command, tmp_path / name, *options)
        texts.append(done.stderr)
        assert json.loads(done.stdout)["done"] == 4
    assert texts == ["", ""]
    assert contents(tmp_path / "ray") == contents(tmp_path / "here")
    assert not (tmp_path / ".ray").exists()  # no secret of Ray's own is left behind


def test_nobody_answers():
    with pytest.raises(errors.InvalidParameterError, match=r"127\.0\.0\.1:1.*refused"):
        next(cluster.run_on_ray(make_specs(1), None, "127.0.0.1:1", 1))
    with pytest.raises(errors.InvalidParameterError, match="no cluster could be reached"):
        next(cluster.run_on_ray(make_specs(1), None, "127.0.0.1:port", 1))


def test_without_ray_the_command_to_install_it_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(errors.MissingExtraError, match=r'pip install "nonmarkov\[ray\]"'):
        next(cluster.run_on_ray(make_specs(1), None, "local", 1))


def test_a_node_does_a_run_and_sends_its_files(tmp_path):
    spec = RunSpec.of("rotating_mab", {}, "rmax", 0, 100)
    seconds, files, error, details = cluster.perform(spec.to_content())
    assert (error, details) == ("", "")
    assert seconds > 0.0
    place = execute(spec, tmp_path)
    assert {name: data for name, data in files.items() if name != "timing.json"} == contents(place)


def test_a_node_tells_what_went_wrong():
    spec = RunSpec("rotating_mab", {}, "paper", 0, 10, {"m": -3})
    _, files, error, details = cluster.perform(spec.to_content())
    assert files == {}
    assert "m must be at least 1" in error
    assert "Traceback" in details
