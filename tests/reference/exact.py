"""Twins of the exact computations, straight from the definitions."""

import itertools

import numpy as np

from nonmarkov.core import histories


def value(process, policy, sweeps=4000):
    """V_π on the process states by repeated backups; policy: (Q, A)."""
    tables = process.tables
    values = np.zeros(tables.n_states)
    for _ in range(sweeps):
        backed_up = np.zeros(tables.n_states)
        for state, action, entry in np.ndindex(tables.probability.shape):
            chance = (1 - tables.stop) * tables.probability[state, action, entry]
            successor = tables.successor[state, action, entry]
            gain = tables.gain[state, action, entry] + values[successor]
            backed_up[state] += policy[state, action] * chance * gain
        if np.abs(backed_up - values).max() < 1e-13:
            break
        values = backed_up
    return values


def score(process, policy):
    """Expected score by adding up all evaluation episodes, one by one; policy: (Q, A)."""
    tables = process.tables

    def total(state, steps, earned, chance):
        if tables.ended[state] or steps == tables.horizon:
            return chance * earned / max(1, steps)
        result = 0.0
        for action in range(tables.n_actions):
            taken = chance * policy[state, action]
            result += taken * tables.termination[state, action] * earned / max(1, steps)
            for entry, p in enumerate(tables.probability[state, action]):
                if taken * p > 0.0:
                    successor = tables.successor[state, action, entry]
                    gain = earned + tables.gain[state, action, entry]
                    result += total(successor, steps + 1, gain, taken * p)
        return result

    return total(tables.start, 0, 0.0, 1.0)


def distinct_pairs(process):
    """Pairs of states that some experiment tells apart, by the table-filling method."""
    states = range(process.n_states)

    def row(state, action):
        tables = process.tables
        result = {
            int(outcome): (float(p), int(successor))
            for outcome, p, successor in zip(
                tables.outcome[state, action],
                tables.dynamics[state, action],
                tables.successor[state, action],
                strict=True,
            )
            if outcome >= 0
        }
        return result, float(tables.ending[state, action])

    def differ_now(p, q):
        for action in range(len(process.actions)):
            (mine, mine_ends), (theirs, theirs_ends) = row(p, action), row(q, action)
            if mine.keys() != theirs.keys() or abs(mine_ends - theirs_ends) > 1e-9:
                return True
            if any(abs(mine[o][0] - theirs[o][0]) > 1e-9 for o in mine):
                return True
        return False

    distinct = {(p, q) for p in states for q in states if differ_now(p, q)}
    while True:
        more = {
            (p, q)
            for p in states
            for q in states
            if (p, q) not in distinct
            for action in range(len(process.actions))
            for outcome, (_, successor) in row(p, action)[0].items()
            if (successor, row(q, action)[0][outcome][1]) in distinct
        }
        if not more:
            return distinct
        distinct |= more


def endless(tables):
    """States from which some deterministic policy never terminates, trying all policies."""
    result = set()
    for actions in itertools.product(range(tables.n_actions), repeat=tables.n_states):
        for state in range(tables.n_states):
            seen, queue, can_end = {state}, [state], False
            for q in queue:
                can_end |= tables.termination[q, actions[q]] > 0 or tables.stop > 0
                for entry in np.flatnonzero(tables.outcome[q, actions[q]] >= 0):
                    successor = int(tables.successor[q, actions[q], entry])
                    if successor not in seen:
                        seen.add(successor)
                        queue.append(successor)
            if not can_end:
                result.add(state)
    return result


def all_histories(process, length):
    """All histories of positive probability up to a length."""
    found = [()]
    frontier = [()]
    for _ in range(length):
        frontier = [
            (*history, (action, *outcome))
            for history in frontier
            for action in process.actions
            for outcome in histories.dynamics(process, history, action)
            if outcome is not histories.END
        ]
        found += frontier
    return found
