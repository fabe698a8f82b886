"""Twin of kernels.bellman, and experience to plan on, written down step by step."""

import numpy as np

import nonmarkov as nm
from nonmarkov.core import UNDEFINED
from nonmarkov.core.experience import Experience
from nonmarkov.kernels.bellman import OUTSIDE, OVER


def sweep_values(
    first, probability, gain, successor, known, beyond, ceiling, values, worth, sweeps, tolerance
):
    n_states, n_actions = worth.shape
    for sweep in range(1, sweeps + 1):
        before = values.copy()
        for state in range(n_states):
            for action in range(n_actions):
                pair = state * n_actions + action
                after = {q: values[q] for q in range(n_states)} | {OUTSIDE: beyond, OVER: 0.0}
                worth[state, action] = sum(
                    probability[i] * (gain[i] + after[successor[i]])
                    for i in range(first[pair], first[pair + 1])
                )
                if not known[state, action]:
                    worth[state, action] = beyond
                worth[state, action] = min(worth[state, action], ceiling)
            values[state] = max(worth[state])
        if all(abs(values - before) <= tolerance):
            return sweep
    return sweeps


def values(experience, m, beyond, sweeps=10_000):
    """Optimal values and their pairs, where fewer than m visits are worth `beyond`."""
    alphabet, worth = experience.alphabet, None
    best = np.zeros(experience.n_states)
    for _ in range(sweeps):
        worth = np.zeros(experience.visits.shape)
        for entry, state in enumerate(experience.state):
            action, observation, reward = alphabet.symbol(int(experience.symbol[entry]))
            column, target = alphabet.action_index(action), experience.successor[entry]
            rest = beyond if target == UNDEFINED else best[target]
            rest = 0.0 if observation is nm.END else rest
            share = experience.count[entry] / experience.visits[state, column]
            worth[state, column] += share * (reward + rest)
        worth[experience.visits < m] = beyond
        before, best = best, worth.max(axis=1)
        if np.abs(best - before).max() < 1e-13:
            break
    return best, worth


def experience(alphabet, n_states, steps, start=0):
    """Experience with steps (state, (action, observation, reward), count, successor)."""
    rows = sorted((q, alphabet.symbol_index(*symbol), n, target) for q, symbol, n, target in steps)
    visits = np.zeros((n_states, alphabet.n_actions), dtype=np.int64)
    for state, (action, _, _), count, _ in steps:
        visits[state, alphabet.action_index(action)] += count
    columns = np.array(rows, dtype=np.int64).reshape(-1, 4).T.copy()
    state, symbol, count, successor = columns
    return Experience(alphabet, start, visits, state, symbol, count, successor)


def everything_about(process, scale):
    """Experience in which every step was seen as often as it should be in `scale` visits."""
    tables, steps = process.tables, []
    for state, action in np.ndindex(tables.ending.shape):
        label = process.actions[action]
        for entry in np.flatnonzero(tables.outcome[state, action] >= 0):
            outcome = process.alphabet.outcome(int(tables.outcome[state, action, entry]))
            count = round(scale * float(tables.dynamics[state, action, entry]))
            successor = int(tables.successor[state, action, entry])
            steps.append((state, (label, *outcome), count, successor))
        count = round(scale * float(tables.ending[state, action]))
        steps.append((state, (label, nm.END, 0.0), count, UNDEFINED))
    return experience(process.alphabet, process.n_states, steps, tables.start)
