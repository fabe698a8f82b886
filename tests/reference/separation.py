"""Twins of kernels.separation and of the distinguishability, by listing all strings."""

import numpy as np

from . import exact

END = "end"


def strings(tables, state, depth):
    """Probability of every possible string of 1 .. depth symbols as a prefix, actions uniform."""
    result = {}
    if depth == 0:
        return result
    for action in range(tables.n_actions):
        result[((action, END),)] = float(tables.ending[state, action]) / tables.n_actions
        for entry in np.flatnonzero(tables.outcome[state, action] >= 0):
            symbol = (action, int(tables.outcome[state, action, entry]))
            chance = float(tables.dynamics[state, action, entry]) / tables.n_actions
            result[(symbol,)] = chance
            successor = tables.successor[state, action, entry]
            for rest, probability in strings(tables, successor, depth - 1).items():
                result[(symbol, *rest)] = chance * probability
    return result


def separation(one, two):
    """The largest difference between two dictionaries of strings."""
    return max(abs(one.get(x, 0.0) - two.get(x, 0.0)) for x in one.keys() | two.keys())


def distinguishability(process, depth):
    """The smallest separation of reachable states that some experiment tells apart."""
    reachable = set(process.tables.reachable().tolist())
    listed = {state: strings(process.tables, state, depth) for state in reachable}
    return min(
        (
            separation(listed[p], listed[q])
            for p, q in exact.distinct_pairs(process)
            if p in reachable and q in reachable
        ),
        default=1.0,
    )
