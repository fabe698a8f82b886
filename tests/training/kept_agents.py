"""Agents of all kinds that are saved and loaded, and how to compare them."""

import numpy as np

import nonmarkov as nm
from nonmarkov import stored
from nonmarkov.learning.drafting import Explanation

# Coarse on purpose: promotions, merges, restarts and known pairs within few episodes.
COARSE = {
    **{"mu": 0.3, "n": 10, "d": 2, "alpha_0": 8, "delta": 0.9, "m": 30},
    **{"evaluate_every": 700, "evaluation_episodes": 5},
}
SEARCH = {**COARSE, "mu": None, "n": None}
CASES = {
    "apart": ("apart", {"evaluation_episodes": 5}),
    "paper": ("paper", COARSE),
    "paper, reset": ("paper", {**COARSE, "on_change": "reset"}),
    "paper, e3": ("paper", {**COARSE, "planner": "e3"}),
    "paper, sketch": ("paper", {**COARSE, "counts": "sketch"}),
    "paper, no propagation": ("paper", {**COARSE, "propagation": False}),
    "search": ("paper", SEARCH),
    "search, e3": ("paper", {**SEARCH, "planner": "e3"}),
    "random-sampling": ("random-sampling", COARSE),
    "rmax": ("rmax", COARSE),
    "rmax, e3": ("rmax", {**COARSE, "planner": "e3"}),
    "oracle": ("oracle", COARSE),
}


def make(case, process=None, seed=1):
    method, given_settings = CASES[case]
    process = process or nm.domain("rotating_mab", k=2 if case == "apart" else 3)
    return nm.Agent(process, method, seed=seed, **given_settings)


def contents(agent):
    """All that a file would hold, but for the time it took."""
    state = agent._state()
    state["seconds"] = 0.0
    state["curve"].pop("seconds")
    return stored.pack("agent", state)


def assert_same(agent, other):
    assert [p[:-1] for p in agent.curve] == [p[:-1] for p in other.curve]
    assert agent.abstraction == other.abstraction
    assert agent.policy.table.tobytes() == other.policy.table.tobytes()
    assert agent.policy == other.policy
    assert agent.certificate() == other.certificate()
    assert agent.changes == other.changes
    assert contents(agent) == contents(other)


# Of no consequence, or compared by what a file says about it: room, scratch, caches, positions.
UNEQUAL = {
    *("graph", "pool", "_portion", "_nodes", "_hashed", "_absorbed", "_corpus", "_waiting"),
    *("_tests", "_apart", "_evaluator", "_evaluated", "_greedy", "_sketch"),
}


def assert_alike(one, other, place="agent"):
    """Compare two objects by all their attributes: what is not saved would be missing."""
    assert type(one) is type(other), place
    if isinstance(one, np.ndarray):
        np.testing.assert_array_equal(one, other, place)
    elif isinstance(one, np.random.Generator):
        assert one.bit_generator.state == other.bit_generator.state, place
    elif isinstance(one, (list, tuple)):
        assert len(one) == len(other), place
        for i, (mine, theirs) in enumerate(zip(one, other, strict=True)):
            assert_alike(mine, theirs, f"{place}[{i}]")
    elif isinstance(one, dict):
        assert one.keys() == other.keys(), place
        for name in one.keys() - UNEQUAL:
            assert_alike(one[name], other[name], f"{place}.{name}")
    elif isinstance(one, Explanation) or (
        type(one).__eq__ is object.__eq__ and hasattr(one, "__dict__")
    ):
        names = vars(one).keys() | vars(other).keys()
        mine, theirs = ({name: getattr(it, name, None) for name in names} for it in (one, other))
        assert_alike(mine, theirs, place)
    else:
        assert one == other, place


def reloaded(agent, path):
    agent.save(path)
    return nm.Agent.load(path)
