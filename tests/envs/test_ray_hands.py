"""Episodes played on a Ray cluster: the same agent as here, also if a node is lost."""

import subprocess
import sys

import pytest

import nonmarkov as nm
from nonmarkov.errors import InvalidParameterError
from tests.ray_clusters import needs_ray, run_quietly, secret
from tests.training.kept_agents import contents

AGENT = "FrozenLake-v1"
OPTIONS = {"seed": 1, "evaluate_every": 50, "evaluation_episodes": 5}

PROGRAM = """
import sys
import ray
from ray.cluster_utils import Cluster
import nonmarkov as nm

options = {"include_dashboard": False, "object_store_memory": 100_000_000}
nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, **options})
first, second = (nodes.add_node(num_cpus=1, object_store_memory=100_000_000) for _ in range(2))
nodes.wait_for_nodes()
lost = []

def lose_a_node(point):
    if point.episodes >= 50 and not lost:
        nodes.remove_node(first, allow_graceful=False)
        lost.append(point.episodes)

agent = nm.Agent("FrozenLake-v1", seed=1, evaluate_every=50, evaluation_episodes=5)
agent.learn(150, ray=nodes.address, callback=lose_a_node)
agent.save(sys.argv[1])
nodes.shutdown()
assert lost == [50]
"""


@needs_ray
@pytest.mark.slow
def test_a_lost_node_changes_nothing(tmp_path):
    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "ray.nm")]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        timeout=500,
        env=secret(tmp_path),
    )
    assert done.returncode == 0, done.stderr
    agent = nm.Agent(AGENT, **OPTIONS)
    agent.learn(150)
    assert contents(nm.Agent.load(tmp_path / "ray.nm")) == contents(agent)


@needs_ray
@pytest.mark.slow
def test_a_cluster_of_our_own_from_the_command_line(tmp_path):
    command = ("train", "FrozenLake-v1", "--episodes", 60, "--out")
    agents = []
    for name, options in (("ray", ["--ray", "local", "--workers", 2]), ("here", [])):
        done = run_quietly(tmp_path, *command, tmp_path / name, *options)
        assert done.stdout == ""
        agents.append(contents(nm.Agent.load(tmp_path / name / "agent.nm")))
    assert agents[0] == agents[1]


def test_nobody_answers():
    agent = nm.Agent(AGENT, **OPTIONS)
    with pytest.raises(InvalidParameterError, match=r"127\.0\.0\.1:1.*refused"):
        agent.learn(10, ray="127.0.0.1:1")
    with pytest.raises(InvalidParameterError, match="ray is for environments"):
        nm.Agent(nm.domain("rotating_mab")).learn(10, ray="local")
