"""Value iteration on an empirical model whose pairs are partly unknown.

Pairs (state, action) are numbered state * A + action. The observed steps of a pair are the entries
first[pair] .. first[pair + 1] - 1 of three parallel arrays; termination leads to OVER, and what
lies outside the model to OUTSIDE.
"""

import numpy as np
from numpy.typing import NDArray

from nonmarkov.kernels.jit import jit

Floats = NDArray[np.float64]
Integers = NDArray[np.int32]
Longs = NDArray[np.int64]

OUTSIDE, OVER = -1, -2


@jit
def _value(values: Floats, state: int, beyond: float) -> float:
    """Return the value of a state, or of a place that is none."""
    if state >= 0:
        return values[state]
    return beyond if state == OUTSIDE else 0.0


@jit
def sweep_values(
    first: Longs,
    probability: Floats,
    gain: Floats,
    successor: Integers,
    known: NDArray[np.bool_],
    beyond: float,
    ceiling: float,
    values: Floats,
    worth: Floats,
    sweeps: int,
    tolerance: float,
) -> int:
    """Improve `values`, (S,), and `worth`, (S, A), in place; return the number of sweeps made.

    beyond: what unknown pairs, and states outside the model, are worth. ceiling: what nothing is
    worth more than; without it, a loop in which no termination was observed would be worth ever
    more. Stops after `sweeps`, or when no value changes by more than `tolerance`. New values are
    used as soon as they are there.
    """
    n_states, n_actions = worth.shape
    for sweep in range(sweeps):
        change = 0.0
        for state in range(n_states):
            best = -np.inf
            for action in range(n_actions):
                total = beyond
                if known[state, action]:
                    pair = state * n_actions + action
                    total = 0.0
                    for i in range(first[pair], first[pair + 1]):
                        rest = _value(values, successor[i], beyond)
                        total += probability[i] * (gain[i] + rest)
                total = min(total, ceiling)
                worth[state, action] = total
                best = max(best, total)
            change = max(change, abs(best - values[state]))
            values[state] = best
        if change <= tolerance:
            return sweep + 1
    return sweeps
