"""Optimistic values on an automaton whose edges are not all certain.

An edge whose own continuations do not yet show that it leads where the automaton says is *open*:
it is planned with as a state of its own, on nothing but what followed it. So a wrong merge costs
little, and what is not known yet looks worth a visit.
"""

import math
from typing import NamedTuple

import numpy as np

from nonmarkov.kernels.continuations import Rows
from nonmarkov.kernels.evidence import (
    Flags,
    Floats,
    Integers,
    Lexicon,
    common_ending,
    half_log_gamma,
)
from nonmarkov.kernels.jit import jit

FEARS = 1.0  # imaginary tries, all worth the lowest value, for the policy that is to earn
ENOUGH = 5  # tries of all actions that make a state known
HOPE = 0.3  # share of what is left to the highest value that an untried action is worth
CONTRARY = 3.0  # nats of evidence that one of all pairs has a chance of ending of its own
CERTAIN_END = 0.9  # chance of ending from which nothing is hoped for
SWEEPS, TOLERANCE = 300, 1e-4


@jit
def ending_chances(words: Lexicon, tries: Integers, endings: Integers) -> Floats:
    """Return the chance that an action ends the episode, (Q, A): the common one, if it will do."""
    table = words.log_gamma
    ending = common_ending(tries.ravel().astype(np.int64), endings.ravel().astype(np.int64))
    chances = np.full(tries.shape, ending)
    contrary = CONTRARY + math.log(max(1, chances.size))  # some pair is always out of the ordinary
    for q in range(tries.shape[0]):
        for a in range(tries.shape[1]):
            n, e = tries[q, a], endings[q, a]
            if n + e == 0 or ending <= 0.0:
                continue
            own = half_log_gamma(table, 2 * e + 1) + half_log_gamma(table, 2 * n + 1)
            own -= half_log_gamma(table, 2 * (n + e) + 2) + 2.0 * table[1]
            common = e * math.log(ending) + n * math.log1p(-ending)
            if own - common > contrary:
                chances[q, a] = (e + 0.5) / (n + e + 1.0) if n > 0 else 1.0
    return chances


class Ground(NamedTuple):
    """What plans are made on: Q states, E edges, A actions, S symbols."""

    ends: Flags  # (S,)
    reward: Floats  # (S,)
    successor: Integers  # (Q, S)
    seen: Rows  # what was seen in the states
    tries: Integers  # (Q, A), endings left out
    endings: Integers  # (Q, A)
    chances: Floats  # (Q, A), of ending
    number: Integers  # (Q, S), of an edge, or NOWHERE; a symbol seen without one is the last
    target: Integers  # (E,), the state that an edge leads to
    follow: Rows  # what followed the edges
    tried: Integers  # (E, A)
    is_open: Flags  # (E,), edges that are planned with as states of their own
    v_max: float  # what nothing is worth more than
    v_min: float  # what nothing is worth less than
    wishes: float  # imaginary tries of every action, all worth the highest value


class Values(NamedTuple):
    """What states, edges and actions are worth."""

    value: Floats  # (Q,)
    worth: Floats  # (Q, A)
    edge_value: Floats  # (E,)
    edge_worth: Floats  # (E, A)


@jit
def _expectation(
    ground: Ground, values: Values, rows: Rows, row: int, q: int, a: int
) -> tuple[int, float]:
    """Return the number of outcomes seen after action a in q, and the mean of what they brought.

    row: of `rows`, the counts to go by, those of q or of an edge into q.
    """
    total, mean = 0, 0.0
    for i in range(rows.first[row, a], rows.first[row, a + 1]):
        s, n = rows.symbol[i], rows.count[i]
        if not ground.ends[s]:
            edge, further = ground.number[q, s], 0.0
            if edge >= 0:
                further = values.value[ground.successor[q, s]]
                if ground.is_open[edge]:
                    further = values.edge_value[edge]
            total += n
            mean += n * (ground.reward[s] + further)
    return total, (1.0 - ground.chances[q, a]) * mean / max(1, total)


@jit
def _outcomes(ground: Ground, q: int, a: int) -> int:
    """Return how many different outcomes an action had, endings left out."""
    kinds = 0
    for i in range(ground.seen.first[q, a], ground.seen.first[q, a + 1]):
        kinds += not ground.ends[ground.seen.symbol[i]]
    return kinds


@jit
def _surprises(ground: Ground) -> Floats:
    """Return how likely an action is to bring the highest value, for all that is known, (Q, A).

    Its share of imaginary tries. But an action that had the same outcome every time may be
    certain: so many are as do not vary among those tried enough.
    """
    n_states, n_actions = ground.tries.shape
    surprises, pairs, varied = ground.wishes / (ground.wishes + ground.tries), 1, 1
    for q in range(n_states):
        for a in range(n_actions):
            if ground.tries[q, a] >= ENOUGH:
                pairs += 1
                varied += _outcomes(ground, q, a) > 1
    for q in range(n_states):
        for a in range(n_actions):
            if ground.tries[q, a] >= ENOUGH and _outcomes(ground, q, a) == 1:
                n, share = ground.tries[q, a], varied / pairs
                unseen = share / math.sqrt(math.pi * n)
                surprises[q, a] *= unseen / (unseen + 1.0 - share)
    return surprises


@jit
def _plan_states(ground: Ground, values: Values, surprises: Floats) -> float:
    """Improve the values of states once; return the largest change."""
    change = 0.0
    for q in range(values.value.size):
        best = -np.inf
        for a in range(values.worth.shape[1]):
            tries, w = _expectation(ground, values, ground.seen, q, q, a)
            if tries > 0 or ground.chances[q, a] <= CERTAIN_END:
                w += surprises[q, a] * (ground.v_max - w)
            values.worth[q, a] = min(w, ground.v_max)
            best = max(best, values.worth[q, a])
        change = max(change, abs(best - values.value[q]))
        values.value[q] = best
    return change


@jit
def _plan_edges(ground: Ground, values: Values, hopes: Floats) -> float:
    """Improve the values of open edges once; return the largest change."""
    change = 0.0
    for edge in range(values.edge_value.size):
        if not ground.is_open[edge]:
            continue
        best = -np.inf
        for a in range(values.edge_worth.shape[1]):
            q = ground.target[edge]
            tries, w = _expectation(ground, values, ground.follow, edge, q, a)
            if tries == 0 and ground.tried[edge, a] == 0:
                w = hopes[a]
            values.edge_worth[edge, a] = min(w, ground.v_max)
            best = max(best, values.edge_worth[edge, a])
        change = max(change, abs(best - values.edge_value[edge]))
        values.edge_value[edge] = best
    return change


@jit
def _known_states(ground: Ground) -> Flags:
    """Return the states where every action has been tried enough, (Q,)."""
    known = np.ones(ground.tries.shape[0], dtype=np.bool_)
    for q in range(ground.tries.shape[0]):
        for a in range(ground.tries.shape[1]):
            known[q] &= ground.tries[q, a] >= ENOUGH or ground.chances[q, a] > CERTAIN_END
    return known


@jit
def _hopes(worth: Floats, known: Flags, v_max: float) -> Floats:
    """Return what an untried action is taken to be worth after an open edge, (A,).

    As much as in the best state that is known, and a share of what is left to the highest value.
    """
    hopes = np.full(worth.shape[1], v_max)
    for a in range(worth.shape[1]):
        best = -np.inf
        for q in range(worth.shape[0]):
            if known[q]:
                best = max(best, worth[q, a])
        if best > -np.inf:
            hopes[a] = best + HOPE * (v_max - best)
    return hopes


@jit
def plan_optimistically(ground: Ground) -> Values:
    """Return optimistic values, on states and after open edges."""
    (n_states, n_actions), n_edges = ground.tries.shape, ground.target.size
    values = Values(
        np.full(n_states, ground.v_max),
        np.full((n_states, n_actions), ground.v_max),
        np.full(n_edges, ground.v_max),
        np.full((n_edges, n_actions), ground.v_max),
    )
    known, surprises = _known_states(ground), _surprises(ground)
    for _ in range(SWEEPS):
        change = _plan_states(ground, values, surprises)
        hopes = _hopes(values.worth, known, ground.v_max)
        change = max(change, _plan_edges(ground, values, hopes))
        if change <= TOLERANCE * abs(ground.v_max):
            break
    return values


@jit
def plan_greedily(ground: Ground) -> Floats:
    """Return what actions are worth if all is about as observed, (Q, A); untried ones -inf.

    What was seen few times is trusted less. No edge may be open.
    """
    n_states, n_actions = ground.tries.shape
    none = np.zeros(0)
    values = Values(
        np.zeros(n_states),
        np.full((n_states, n_actions), -np.inf),
        none,
        none.reshape(0, n_actions),
    )
    for _ in range(10 * SWEEPS):
        change = 0.0
        for q in range(n_states):
            for a in range(n_actions):
                tries, w = _expectation(ground, values, ground.seen, q, q, a)
                if tries > 0:
                    w = (tries * w + FEARS * ground.v_min) / (tries + FEARS)
                if tries + ground.endings[q, a] > 0:
                    values.worth[q, a] = min(w, ground.v_max)
            best = values.worth[q].max()
            best = best if best > -np.inf else 0.0
            change = max(change, abs(best - values.value[q]))
            values.value[q] = best
        if change <= 1e-3 * TOLERANCE * abs(ground.v_max):
            break
    return values.worth
