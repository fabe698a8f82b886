"""Plans on an automaton: they solve the equations that a slow and obvious twin writes down."""

import numpy as np
import pytest
from hypothesis import given

from nonmarkov.kernels import optimism
from nonmarkov.learning.corpus import Corpus
from nonmarkov.learning.drafting import Explanation
from nonmarkov.testing.strategies import processes, seeds
from nonmarkov.training.outlook import Outlook, highest_value, symbol_rewards


def outlook_on(process, seed):
    """Return how things look with a random automaton, about which there is much doubt."""
    batch = process.sample(40, seed=seed)
    corpus = Corpus(batch.alphabet, batch.symbols, batch.starts)
    table = np.random.default_rng(seed).integers(4, size=(4, corpus.n_symbols)).astype(np.int32)
    return Outlook(corpus, Explanation(0.0, table, np.zeros(table.shape)), highest_value(corpus))


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
                wishes = optimism.WISHES
                worth = (tries * worth + wishes * ground.v_max) / (tries + wishes)
            assert found.worth[q, a] == pytest.approx(min(worth, ground.v_max), abs=slack)
    assert found.value == pytest.approx(found.worth.max(axis=1), abs=slack)


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
