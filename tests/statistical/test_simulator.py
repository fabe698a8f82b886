"""Is the simulator's randomness right? Many episodes, many seeds."""

import numpy as np
import pytest
from scipy import stats

import nonmarkov as nm
from nonmarkov.exact.tables import PADDING
from nonmarkov.testing import check_process, random_process

pytestmark = pytest.mark.slow


def outcome_counts(process, batch):
    """Counts of every outcome entry and of termination, (Q, A, B + 1)."""
    tables, width = process.tables, process.alphabet.n_outcomes + 1
    entry_of = np.full((process.n_states, len(process.actions), width), -1)
    state, action, entry = np.nonzero(tables.outcome != PADDING)
    entry_of[state, action, tables.outcome[state, action, entry]] = entry
    entry_of[:, :, -1] = tables.outcome.shape[2]
    counts = np.zeros((*tables.termination.shape, tables.outcome.shape[2] + 1))
    for episode in range(len(batch)):
        state = tables.start
        for symbol in batch.symbols[batch.starts[episode] : batch.starts[episode + 1]].tolist():
            action, outcome = divmod(symbol, width)
            entry = entry_of[state, action, outcome]
            assert entry >= 0, "An impossible outcome was drawn."
            counts[state, action, entry] += 1
            if outcome < width - 1:
                state = tables.successor[state, action, entry]
    return counts


def p_value(process, seed, episodes):
    """Of one chi-square test over all rows with enough visits."""
    counts = outcome_counts(process, process.sample(episodes, seed=seed))
    exact = np.concatenate([process.tables.dynamics, process.tables.ending[..., None]], axis=2)
    expected = counts.sum(axis=2, keepdims=True) * exact
    used = (counts.sum(axis=2) > 0) & ((expected == 0) | (expected >= 5)).all(axis=2)
    cells = used[:, :, None] & (expected > 0)
    statistic = ((counts - expected)[cells] ** 2 / expected[cells]).sum()
    return stats.chi2.sf(statistic, cells.sum() - used.sum())


def test_published_configurations_fit(published):
    assert p_value(published, seed=11, episodes=30_000) > 1e-5


def test_p_values_are_uniform():
    """A simulator that fits too well is as wrong as one that does not fit."""
    process = nm.domain("rotating_mab", k=3)
    found = [p_value(process, seed, 2000) for seed in range(200)]
    assert stats.kstest(found, "uniform").pvalue > 1e-4


def test_means_are_covered_by_their_errors():
    """The exact value lies within two standard errors in about 95 % of runs."""
    process = nm.domain("enemy_corridor", k=8)
    exact = process.value(nm.Policy.uniform(process.automaton))
    covered = 0
    for seed in range(1000):
        played = process.play(500, seed=seed)
        covered += abs(played.mean - exact) < 1.96 * played.error
    assert 920 <= covered <= 975


@pytest.mark.parametrize("seed", range(300))
def test_random_processes_conform(seed):
    rng = np.random.default_rng(seed)
    process = random_process(
        rng,
        n_states=int(rng.integers(1, 13)),
        n_actions=int(rng.integers(2, 5)),
        n_observations=int(rng.integers(2, 5)),
    )
    check_process(process, seed=seed)
