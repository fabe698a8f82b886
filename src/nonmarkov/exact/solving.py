"""Values of policies and optimal values, by linear equations: no discretisation, no sampling.

With random stopping and endings inside D, the equations are undiscounted:

    V_π(q) = Σ_a π(a|q) Σ_{or} D(or|q,a) (r + V_π(q'))          q' the successor of q, a, o, r
    V*(q)  = max_a Σ_{or} D(or|q,a) (r + V*(q'))

They have one finite solution because every policy terminates with probability one; rewards of
either sign are fine. Puterman, "Markov Decision Processes", 1994, chapters 6 and 7.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nonmarkov.exact.tables import Floats, Integers, Tables

# Two actions whose values differ by less than this, relative to the largest value, tie.
TIE = 1e-10


@dataclass(frozen=True)
class Solution:
    """What an optimal policy is worth, and one such policy."""

    values: Floats  # (Q,), V*
    action_values: Floats  # (Q, A), Q*
    actions: Integers  # (Q,), the first best action in every state


def evaluate(tables: Tables, policy: Floats) -> Floats:
    """Return V_π, (Q,), for a policy on the states, (Q, A)."""
    weights = policy[:, :, None] * tables.dynamics
    n = tables.n_states
    rows = np.repeat(np.arange(n), weights.shape[1] * weights.shape[2])
    flow = np.bincount(rows * n + tables.successor.ravel(), weights.ravel(), minlength=n * n)
    income = (weights * tables.gain).sum(axis=(1, 2))
    return np.linalg.solve(np.eye(n) - flow.reshape(n, n), income)


def action_values(tables: Tables, values: Floats) -> Floats:
    """Return Q(q, a) = Σ_{or} D(or|q,a) (r + V(q')), (Q, A)."""
    return np.asarray((tables.dynamics * (tables.gain + values[tables.successor])).sum(axis=2))


def solve(tables: Tables) -> Solution:
    """Return the optimal values by policy iteration."""
    states = np.arange(tables.n_states)
    actions = action_values(tables, np.zeros(tables.n_states)).argmax(axis=1)
    while True:
        values = evaluate(tables, deterministic(actions, tables.n_actions))
        worth = action_values(tables, values)
        margin = TIE * max(1.0, float(np.abs(worth).max()))
        # An action is given up only for a strictly better one, so the loop cannot go in circles.
        better = worth.max(axis=1) > worth[states, actions] + margin
        if not better.any():
            break
        actions = np.where(better, worth.argmax(axis=1), actions)
    first_best = (worth >= worth.max(axis=1, keepdims=True) - margin).argmax(axis=1)
    return Solution(values, worth, first_best.astype(np.int32))


def deterministic(actions: NDArray[Any], n_actions: int) -> Floats:
    """Return the policy table, (Q, A), that takes the given action in every state."""
    return np.asarray(np.eye(n_actions)[actions])
