"""`nonmarkov inspect` shows what a file holds."""

import json

import pytest
from click.testing import CliRunner

import nonmarkov as nm
from nonmarkov.cli import inspection
from nonmarkov.cli.main import cli
from nonmarkov.errors import FileFormatError


def run(*arguments):
    result = CliRunner().invoke(cli, ["inspect", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == 0
    return result.output


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("saved")
    agent = nm.Agent(nm.domain("rotating_mab"), seed=5)
    agent.learn(200)
    agent.save(folder / "agent.nm")
    agent.abstraction.save(folder / "automaton.json")
    return agent, folder


def test_an_agent_for_people(saved):
    agent, folder = saved
    output = run(folder / "agent.nm")
    assert "method apart, seed 5" in output
    assert "200 episodes" in output
    assert "2 safe states, 0 candidates" in output
    assert "safe, start" in output
    assert "win" in output
    assert str(agent.certificate()) in output


def test_an_agent_for_programs(saved):
    agent, folder = saved
    content = json.loads(run(folder / "agent.nm", "--json"))
    assert (content["kind"], content["method"], content["seed"]) == ("agent", "apart", 5)
    assert (content["episodes"], content["score"]) == (200, agent.score())
    assert content["states"] == [{"safe": True, "policy": [0]}, {"safe": True, "policy": [1]}]
    abstraction = agent.abstraction
    assert len(content["transitions"]) == len(abstraction.automaton.edges)
    for state, action, observation, reward, following in content["transitions"]:
        assert abstraction.step(state, action, observation, reward) == following
    assert content["certificate"]["optimistic"] == agent.certificate().optimistic
    assert content["certificate"]["passed"] is False
    assert [point["episodes"] for point in content["curve"]] == [p.episodes for p in agent.curve]


def test_an_agent_of_an_environment(tmp_path):
    agent = nm.Agent("FrozenLake-v1", seed=1, evaluation_episodes=2)
    agent.save(tmp_path / "young.nm")
    assert "not evaluated yet" in run(tmp_path / "young.nm")
    agent.learn(40)
    agent.save(tmp_path / "agent.nm")
    output = run(tmp_path / "agent.nm")
    assert "environment, as seen so far: 4 actions, " in output
    assert "in the last evaluation" in output
    content = json.loads(run(tmp_path / "agent.nm", "--json"))
    assert content["environment"]["actions"] == 4
    assert content["score"] == agent.curve[-1].score
    assert len(content["states"]) == agent.n_states


def test_an_automaton(saved):
    _, folder = saved
    output = run(folder / "automaton.json")
    assert "an automaton with 2 safe states, 0 candidates" in output
    assert "policy" not in output
    content = json.loads(run(folder / "automaton.json", "--json"))
    assert content["kind"] == "automaton"
    assert content["states"] == [{"safe": True}, {"safe": True}]


def test_an_agent_with_candidates_and_long_tables(tmp_path, monkeypatch):
    agent = nm.Agent(nm.domain("rotating_maze", k=1), "paper", alpha_0=8, mu=0.3, delta=0.9)
    agent.learn(3_000)
    agent.save(tmp_path / "agent.nm")
    content = json.loads(run(tmp_path / "agent.nm", "--json"))
    candidates = [state for state in content["states"] if not state["safe"]]
    assert len(candidates) > 5
    assert all(state["policy"] == [] for state in candidates)
    monkeypatch.setattr(inspection, "MOST_ROWS", 5)
    output = run(tmp_path / "agent.nm")
    assert f"... and {len(content['states']) - 5:,} more; --json prints all." in output
    assert "any action" in output


def test_what_is_neither_is_refused(tmp_path, saved):
    _, folder = saved
    path = tmp_path / "thing"
    path.write_bytes(b"thing")
    with pytest.raises(FileFormatError, match="neither a saved agent nor a saved automaton"):
        run(path)
    path.write_bytes((folder / "agent.nm").read_bytes()[:-1])
    with pytest.raises(FileFormatError, match="incomplete, or was changed"):
        run(path)
    nm.domain("rotating_mab").save(path)
    with pytest.raises(FileFormatError, match=r"does not hold a nonmarkov\.automaton"):
        run(path)
