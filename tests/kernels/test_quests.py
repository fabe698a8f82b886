"""Quests: their plans solve the equations that a slow and obvious twin writes down."""

import numpy as np
import pytest
from hypothesis import given

import nonmarkov as nm
from nonmarkov.kernels.optimism import CERTAIN_END, TOLERANCE
from nonmarkov.kernels.quests import plan_quests
from nonmarkov.testing.strategies import processes, seeds

from .test_optimism import outlook_of


def prospect(outlook, undecided, values, q, a):
    """Return what an action is worth for a quest, one symbol after the other."""
    ground, words, counts = outlook.ground, outlook.corpus.words, outlook.draft.counts
    seen = [s for s in np.flatnonzero(counts[q]) if words.action[s] == a and not words.ends[s]]
    if not seen:
        return float(ground.chances[q, a] <= CERTAIN_END)
    prizes = [
        1.0 / (1.0 + counts[q, s])
        if undecided[ground.number[q, s]]
        else values[ground.successor[q, s]]
        for s in seen
    ]
    return (1.0 - ground.chances[q, a]) * np.average(prizes, weights=counts[q, seen])


@given(processes(), seeds)
def test_quests_solve_their_equations(process, seed):
    outlook = outlook_of(process.sample(40, seed=seed), 4, seed)
    ground = outlook.ground
    undecided = np.random.default_rng(seed).random(ground.target.size) < 0.3
    found = plan_quests(ground, undecided)
    values = found.max(axis=1)
    slack = 3 * TOLERANCE * values.max() + 1e-12
    for q, a in np.ndindex(found.shape):
        expected = prospect(outlook, undecided, values, q, a)
        assert found[q, a] == pytest.approx(expected, abs=slack)


def test_rare_outcomes_are_worth_nearly_as_much_as_frequent_ones():
    """Both actions were tried a hundred times; one of them has one more outcome, a rare one."""
    steps = [("coin", "heads", 0), ("coin", "tails", 0)] * 50
    steps += [("die", "six", 0)] * 3 + [("die", "other", 0)] * 96 + [("die", "edge", 0)]
    outlook = outlook_of(nm.EpisodeBatch.from_lists([[*steps, ("coin", nm.END, 0)]]), 1)
    coin, die = plan_quests(outlook.ground, np.ones(5, dtype=np.bool_))[0]
    assert coin == pytest.approx(2 * 50 / 51 / 100, rel=0.02)
    assert die == pytest.approx((3 / 4 + 96 / 97 + 1 / 2) / 100, rel=0.02)


def test_where_everything_is_decided_there_is_nothing_to_head_for():
    outlook = outlook_of(nm.domain("cheat_mab").sample(200, seed=0), 1)
    decided = np.zeros(outlook.ground.target.size, dtype=np.bool_)
    assert not plan_quests(outlook.ground, decided).any()
