"""The coarsest partition of the states that preserves the dynamics.

Two states are equivalent when, after any sequence of actions and outcomes that has positive
probability, their outcome probabilities agree for every action. Moore's partition refinement:
start from states with equal rows, split by the blocks of the successors until nothing splits.
"""

import numpy as np
from numpy.typing import NDArray

from nonmarkov.exact.tables import PADDING, Floats, Tables

# Probabilities closer than this are the same number written by two different computations.
SAME_PROBABILITY = 1e-12


def equivalence_classes(tables: Tables, states: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the block of every one of `states`, and -1 for all others, (Q,).

    `states` must be closed under successors; blocks are numbered by their first state in it.
    """
    rows = outcome_rows(tables)[states].reshape(states.size, -1)
    outcome, successor = tables.outcome[states], tables.successor[states]
    block = np.full(tables.n_states, -1)
    block[states] = _number_rows(rows)
    while True:
        targets = np.where(outcome == PADDING, PADDING, block[successor]).reshape(states.size, -1)
        refined = _number_rows(np.concatenate([block[states][:, None], targets], axis=1))
        if refined.max() == block.max():
            return block
        block[states] = refined


def outcome_rows(tables: Tables) -> NDArray[np.int64]:
    """Return numbers that are equal exactly where outcomes and probabilities are, (Q, A, 2B + 1).

    Random stopping is the same everywhere in one process and plays no part.
    """
    chances = np.concatenate([tables.probability, tables.termination[..., None]], axis=2)
    return np.concatenate([probability_names(chances), tables.outcome], axis=2)


def probability_names(values: Floats) -> NDArray[np.int64]:
    """Return a number for every value, the same one for values that are the same.

    Sorted values share a number up to SAME_PROBABILITY above the first of them: two results of
    one computation are never told apart, and what is far apart is never joined by what lies
    between.
    """
    distinct, index = np.unique(values, return_inverse=True)
    names, first, name = np.empty(distinct.size, dtype=np.int64), -np.inf, -1
    for i, value in enumerate(distinct.tolist()):
        if value > first + SAME_PROBABILITY:
            first, name = value, name + 1
        names[i] = name
    return np.asarray(names[index].reshape(values.shape))


def _number_rows(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the number of every row's value, in order of first appearance."""
    _, first, index = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(np.argsort(first))
    return np.asarray(order[index.ravel()])
