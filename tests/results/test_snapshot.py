"""Snapshots agree with the agent, and in the end with the process."""

import json

import pytest

import nonmarkov as nm
from nonmarkov.results.snapshot import take_snapshot
from nonmarkov.training import METHODS

EPISODES = {"apart": 500, "paper": 60_000, "random-sampling": 60_000, "rmax": 3000, "oracle": 3000}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("name", "k"), [("rotating_mab", 2), ("flickering_grid", 8)])
def test_a_snapshot_is_consistent(method, name, k):
    agent = nm.Agent(nm.domain(name, k=k), method)
    curve = agent.learn(EPISODES[method] // (10 if name == "flickering_grid" else 1)).curve
    snapshot = take_snapshot(agent, curve[-1])
    json.dumps(snapshot, allow_nan=False)
    states, edges = snapshot["states"], snapshot["edges"]
    assert sum(state["safe"] for state in states) == agent.n_states
    assert snapshot["score"] == curve[-1].score
    assert len({(e[0], e[1], e[2], e[3]) for e in edges}) == len(edges)
    total = {}
    for state, action, _, _, target, count, probability, decided in edges:
        assert states[state]["safe"]
        assert not decided or states[target]["safe"]
        assert (probability is None) <= (count == 0)
        total[state, action] = total.get((state, action), 0.0) + (probability or 0.0)
    assert all(share < 1.0 + 1e-9 for share in total.values())
    for state in states:
        assert bool(state["policy"]) == state["safe"]


@pytest.mark.parametrize("method", ["apart", "paper", "oracle"])
def test_it_shows_the_process_in_the_end(method):
    agent = nm.Agent(nm.domain("rotating_mab", k=2), method)
    curve = agent.learn({"apart": 1500}.get(method, 60_000)).curve
    snapshot = take_snapshot(agent, curve[-1])
    assert [state["policy"] for state in snapshot["states"]] in ([[0], [1]], [[1], [0]])
    assert len(snapshot["edges"]) == 8
    for state, action, observation, reward, target, count, probability, _ in snapshot["edges"]:
        best = snapshot["states"][state]["policy"] == [action]
        win = observation == "win"
        assert reward == 100.0 * win
        assert (target != state) == win
        expected = (0.9 if best else 0.2) if win else (0.1 if best else 0.8)
        assert probability == pytest.approx(expected * 10 / 11, abs=0.06)
        assert count > 0


def test_before_anything_is_known():
    for method in METHODS:
        agent = nm.Agent(nm.domain("rotating_mab", k=2), method)
        curve = agent.learn(1).curve
        snapshot = take_snapshot(agent, curve[0])
        assert snapshot["episodes"] == 0
        assert snapshot["actions"] == [0, 1]


def test_taking_snapshots_changes_nothing():
    def final(callback):
        agent = nm.Agent(nm.domain("cheat_mab", k=3), "apart", seed=3)
        agent.learn(300, callback=callback and (lambda point: take_snapshot(agent, point)))
        return [point[:-1] for point in agent.curve], agent.policy.table.tolist()

    assert final(True) == final(None)
