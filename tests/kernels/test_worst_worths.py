"""Worst values over so many steps, against a slow twin and exact values."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nonmarkov.kernels import confidence
from nonmarkov.testing.strategies import seeds

VARIANTS = pytest.mark.parametrize(
    "kernel",
    [confidence.worst_worths, confidence.worst_worths.py_func],
    ids=["compiled", "python"],
)


class World:
    """Two states and two actions; some outcomes end it, some leave what is known."""

    def __init__(self, seed, lowest):
        rng = np.random.default_rng(seed)
        self.entries, self.width = {}, np.full(4, np.inf)
        for pair in range(4):
            if rng.random() < 0.85:
                kinds = rng.integers(1, 4)
                share = rng.dirichlet(np.ones(kinds))
                gain = rng.integers(lowest, 3, kinds).astype(float)
                successor = rng.choice([0, 1, -1, confidence.LEFT], kinds).astype(np.int32)
                self.entries[pair] = share, gain, successor
                self.width[pair] = rng.choice([0.01, 0.1, 1.0])
        self.policy = rng.dirichlet(np.ones(2), 2)

    def arrays(self):
        first = np.cumsum([0] + [len(self.entries.get(pair, [[]])[0]) for pair in range(4)])
        columns = zip(*(self.entries[pair] for pair in sorted(self.entries)), strict=True)
        if not self.entries:
            none = np.zeros(0)
            return first, none, none, none.astype(np.int32), self.width
        return first, *(np.concatenate(column) for column in columns), self.width


def twin(world, policy, floor, horizon):
    """The definition, by recursion; the worst p of a pair is left to `highest_mean`."""
    if horizon == 0:
        return np.zeros((2, 2)), np.zeros(2)
    _, value = twin(world, policy, floor, horizon - 1)
    worth = np.full((2, 2), horizon * floor)
    for pair, (share, gain, successor) in world.entries.items():
        further = [
            {-1: 0.0, confidence.LEFT: (horizon - 1) * floor}.get(q, value[q]) for q in successor
        ]
        loss = -(gain + further)
        worst = confidence.highest_mean(share, loss, -horizon * floor, world.width[pair])
        worth[divmod(pair, 2)] = -worst
    return worth, (worth.max(axis=1) if policy is None else (policy * worth).sum(axis=1))


@VARIANTS
@settings(max_examples=30)
@given(seed=seeds, horizon=st.integers(1, 4), lowest=st.sampled_from([-2, 0]))
def test_it_equals_its_twin(kernel, seed, horizon, lowest):
    world, floor = World(seed, lowest), float(min(0, lowest))
    for policy in (world.policy, None):
        table = np.zeros((0, 2)) if policy is None else policy
        found = kernel(*world.arrays(), table, floor, horizon)
        expected, _ = twin(world, policy, floor, horizon)
        assert found == pytest.approx(expected, abs=1e-6)


@given(seed=seeds)
def test_more_steps_are_worth_more_if_nothing_costs(seed):
    world = World(seed, 0)
    values = [
        confidence.worst_worths(*world.arrays(), world.policy, 0.0, horizon)
        for horizon in (1, 2, 5, 50)
    ]
    assert (np.diff(values, axis=0) >= -1e-9).all()


@given(seed=seeds)
def test_the_best_actions_are_at_least_as_good_as_any_others(seed):
    world = World(seed, -2)
    best = confidence.worst_worths(*world.arrays(), np.zeros((0, 2)), -2.0, 6).max(axis=1)
    some = confidence.worst_worths(*world.arrays(), world.policy, -2.0, 6)
    assert (best >= (world.policy * some).sum(axis=1) - 1e-9).all()


def test_without_doubt_it_is_the_plain_value():
    """A coin that pays 1 and goes on, or ends: 1/2 + 1/4 + 1/8."""
    first, share = np.array([0, 2]), np.array([0.5, 0.5])
    gain, successor = np.array([1.0, 0.0]), np.array([0, -1], dtype=np.int32)
    policy, width = np.ones((1, 1)), np.zeros(1)
    found = confidence.worst_worths(first, share, gain, successor, width, policy, 0.0, 3)
    assert found == pytest.approx(0.875, abs=1e-4)
