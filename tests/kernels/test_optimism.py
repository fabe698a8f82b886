"""Plans on an automaton: they solve the equations that a slow and obvious twin writes down."""

import numpy as np
import pytest
from hypothesis import given

import nonmarkov as nm
from nonmarkov.kernels import optimism
from nonmarkov.learning.corpus import Corpus
from nonmarkov.learning.drafting import Explanation
from nonmarkov.testing.strategies import processes, seeds
from nonmarkov.training.outlook import Outlook, highest_value, horizon, symbol_rewards


def outlook_on(process, seed):
    """Return how things look with a random automaton, about which there is much doubt."""
    return outlook_of(process.sample(40, seed=seed), 4, seed)


def outlook_of(batch, n_states=1, seed=0):
    """Return how episodes look through a random automaton."""
    corpus = Corpus(batch.alphabet, batch.symbols, batch.starts)
    shape = (n_states, corpus.n_symbols)
    table = np.random.default_rng(seed).integers(n_states, size=shape).astype(np.int32)
    return Outlook(corpus, Explanation(0.0, table, np.zeros(shape)), highest_value(corpus))


def mean_worth(outlook, counts, q, a, values, edge_values):
    """Return tries, and the mean of reward and further value over the counts of symbols."""
    ground, words = outlook.ground, outlook.corpus.words
    reward, total, mean = symbol_rewards(outlook.corpus), 0, 0.0
    for s, n in enumerate(counts):
        if n == 0 or words.action[s] != a or words.ends[s]:
            continue
        edge = ground.number[q, s]
        further = edge_values[edge] if ground.is_open[edge] else values[ground.successor[q, s]]
        total += n
        mean += n * (reward[s] + further)
    return total, (1 - ground.chances[q, a]) * mean / max(1, total)


def kinds_of(outlook, q, a):
    """Return how many outcomes an action had in a state."""
    words, counts = outlook.corpus.words, outlook.draft.counts[q]
    return sum(1 for s, n in enumerate(counts) if n and words.action[s] == a and not words.ends[s])


def surprise(outlook, q, a):
    """Return the chance with which an action is hoped to bring the highest value."""
    ground, tries = outlook.ground, outlook.ground.tries
    chance = ground.wishes / (ground.wishes + tries[q, a])
    often = [kinds_of(outlook, *pair) for pair in np.argwhere(tries >= optimism.ENOUGH)]
    if tries[q, a] < optimism.ENOUGH or kinds_of(outlook, q, a) > 1:
        return chance
    varied = (1 + sum(kinds > 1 for kinds in often)) / (1 + len(often))
    hidden = varied / np.sqrt(np.pi * tries[q, a])  # it varies, and that did not show
    return chance * hidden / (hidden + 1 - varied)


def continued(outlook, edge):
    """Return how often every symbol followed an edge, one step at a time."""
    log, draft, number = outlook.corpus.log, outlook.draft, outlook.ground.number
    counts = [0] * outlook.corpus.n_symbols
    for step in range(1, outlook.corpus.n_steps):
        before = number[draft.state[step - 1], log.symbols[step - 1]]
        if log.episode[step] == log.episode[step - 1] and before == edge:
            counts[log.symbols[step]] += 1
    return counts


@given(processes(), seeds)
def test_optimistic_values_of_states_solve_their_equations(process, seed):
    outlook = outlook_on(process, seed)
    ground = outlook.ground
    found = optimism.plan_optimistically(ground)
    slack = 3 * optimism.TOLERANCE * abs(ground.v_max)
    for q, counts in enumerate(outlook.draft.counts):
        for a in range(ground.tries.shape[1]):
            tries, worth = mean_worth(outlook, counts, q, a, found.value, found.edge_value)
            if tries > 0 or ground.chances[q, a] <= optimism.CERTAIN_END:
                worth += surprise(outlook, q, a) * (ground.v_max - worth)
            assert found.worth[q, a] == pytest.approx(min(worth, ground.v_max), abs=slack)
    assert found.value == pytest.approx(found.worth.max(axis=1), abs=slack)


def test_what_always_comes_out_the_same_is_hoped_for_less():
    """One action brought this and that, the other six times the same."""
    steps = [("varied", "x", 0), ("varied", "y", 0)] * 3 + [("same", "x", 0)] * 6
    steps += [("once", "x", 1), ("varied", nm.END, 0)]
    outlook = outlook_of(nm.EpisodeBatch.from_lists([steps]))
    varied, same, once = optimism.plan_optimistically(outlook.ground).worth[0]
    assert same < varied < once


def test_in_long_episodes_fewer_tries_are_imagined():
    for k, imagined in ((8, 3.0), (64, 3.0 * 20 / 65)):
        process = nm.domain("enemy_corridor", k=k)
        outlook = outlook_of(process.sample(2000, seed=0))
        assert horizon(outlook.corpus) == pytest.approx(process.horizon + 1, rel=0.1)
        assert outlook.ground.wishes == pytest.approx(imagined, rel=0.1)


@given(processes(), seeds)
def test_open_edges_are_worth_what_followed_them(process, seed):
    outlook = outlook_on(process, seed)
    ground = outlook.ground
    found = optimism.plan_optimistically(ground)
    slack = 3 * optimism.TOLERANCE * abs(ground.v_max)
    for edge in np.flatnonzero(ground.is_open):
        counts, q = continued(outlook, edge), ground.target[edge]
        for a in range(ground.tries.shape[1]):
            tries, worth = mean_worth(outlook, counts, q, a, found.value, found.edge_value)
            if tries == 0 and ground.tried[edge, a] == 0:
                continue  # hoped for
            assert found.edge_worth[edge, a] == pytest.approx(min(worth, ground.v_max), abs=slack)


@given(processes(), seeds)
def test_greedy_values_solve_their_equations(process, seed):
    outlook = outlook_on(process, seed)
    ground = outlook.ground._replace(is_open=np.zeros_like(outlook.ground.is_open))
    outlook.ground = ground
    worth = optimism.plan_greedily(ground)
    values = [row.max() if row.max() > -np.inf else 0.0 for row in worth]
    for q, counts in enumerate(outlook.draft.counts):
        for a in range(ground.tries.shape[1]):
            tries, mean = mean_worth(outlook, counts, q, a, values, [])
            if tries > 0:
                mean = (tries * mean + optimism.FEARS * ground.v_min) / (tries + optimism.FEARS)
            expected = mean if tries + ground.endings[q, a] > 0 else -np.inf
            slack = 1e-5 * abs(ground.v_max)
            assert worth[q, a] == pytest.approx(min(expected, ground.v_max), abs=slack)
