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
from nonmarkov.records import frozen_array

# Two actions whose values differ by less than this, relative to V* of the state, tie.
TIE = 1e-12
ROUNDING = 1e-14
LARGEST_MATRIX = 4000  # states; beyond, a matrix of all pairs costs more than it gains


@dataclass(frozen=True)
class Solution:
    """What an optimal policy is worth, and one such policy."""

    values: Floats  # (Q,), V*
    action_values: Floats  # (Q, A), Q*
    actions: Integers  # (Q,), the first best action in every state


def evaluate(tables: Tables, policy: Floats, guess: Floats | None = None) -> Floats:
    """Return V_π, (Q,), for a policy on the states, (Q, A).

    Few states are solved directly; many by sweeps, from `guess` if there is one.
    """
    weights = (policy[:, :, None] * tables.dynamics).reshape(tables.n_states, -1)
    successor = tables.successor.reshape(tables.n_states, -1)
    income = (weights * tables.gain.reshape(tables.n_states, -1)).sum(axis=1)
    if tables.n_states <= LARGEST_MATRIX:
        return _evaluate_directly(weights, successor, income)
    return _evaluate_by_sweeps(weights, successor, income, guess)


def _evaluate_directly(weights: Floats, successor: Integers, income: Floats) -> Floats:
    n = income.size
    places = np.arange(n)[:, None] * n + successor
    flow = np.bincount(places.ravel(), weights.ravel(), minlength=n * n).reshape(n, n)
    return np.asarray(np.linalg.solve(np.eye(n) - flow, income))


def _evaluate_by_sweeps(
    weights: Floats, successor: Integers, income: Floats, guess: Floats | None
) -> Floats:
    """Iterate v ← income + M v until only rounding changes v.

    Let episodes go on for n more steps with probability at most 1/2, from everywhere. Then n
    sweeps halve the change of a sweep, and when they do not even lessen it, rounding is all that
    is left; as ‖(I - M)⁻¹‖ ≤ 2n, the error is at most 2n times that change.
    """
    half_life = _half_life(weights, successor)
    values, last = income if guess is None else guess, np.inf
    while True:
        for _ in range(half_life):
            before, values = values, income + (weights * values[successor]).sum(axis=1)
        change = float(np.abs(values - before).max())
        if change == 0.0 or change >= last:
            return np.asarray(values)
        last = change


def _half_life(weights: Floats, successor: Integers) -> int:
    """Return a number of steps after which every episode has ended with probability 1/2."""
    going_on, steps = np.ones(len(weights)), 0
    while going_on.max() > 0.5:
        going_on = (weights * going_on[successor]).sum(axis=1)
        steps += 1
    return max(1, steps)


def action_values(tables: Tables, values: Floats) -> Floats:
    """Return Q(q, a) = Σ_{or} D(or|q,a) (r + V(q')), (Q, A)."""
    return np.asarray((tables.dynamics * (tables.gain + values[tables.successor])).sum(axis=2))


def solve(tables: Tables) -> Solution:
    """Return the optimal values by policy iteration.

    The policy returned is one that was evaluated: among optimal ones, the one that takes the
    first best action everywhere, unless what looks like a tie turns out to cost something.
    """
    values = np.zeros(tables.n_states)
    worth = action_values(tables, values)
    actions = chosen = worth.argmax(axis=1)
    tried: set[bytes] = set()
    # In exact arithmetic every policy is better than the last one; rounding could bring one back.
    while actions.tobytes() not in tried:
        tried.add(actions.tobytes())
        values = evaluate(tables, deterministic(actions, tables.n_actions), values)
        worth = action_values(tables, values)
        actions, chosen = _improve(worth, actions), actions
    first = (worth >= worth.max(axis=1, keepdims=True) - _margin(values)[:, None]).argmax(axis=1)
    tied = evaluate(tables, deterministic(first, tables.n_actions), values)
    if (tied >= values - _margin(values)).all():
        chosen = first
    return Solution(
        frozen_array("values", values, np.float64),
        frozen_array("action_values", worth, np.float64),
        frozen_array("actions", chosen, np.int32),
    )


def _improve(worth: Floats, actions: NDArray[Any]) -> NDArray[Any]:
    """Return the best actions; one is given up only for another that is better, not as good."""
    current = worth[np.arange(len(worth)), actions]
    better = worth.max(axis=1) > current + ROUNDING * np.abs(current)
    return np.where(better, worth.argmax(axis=1), actions)


def _margin(values: Floats) -> Floats:
    """Return what a value may lose and still be the same, state by state."""
    return TIE * np.abs(values)


def deterministic(actions: NDArray[Any], n_actions: int) -> Floats:
    """Return the policy table, (Q, A), that takes the given action in every state."""
    return np.asarray(np.eye(n_actions)[actions])
