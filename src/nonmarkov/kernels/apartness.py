"""Tests of apartness: e-values that hold under any policy and at any time.

If some samples come from one distribution p, then for every number of draws, however they were
chosen, E = Π_i m_i(c_i) / max_p p(Σ c_i) is at most a nonnegative martingale that starts at 1. Here
c_i are the counts of sample i and m_i is its probability under a Dirichlet mixture. So E ≥ 1/δ
happens, ever, with probability at most δ: then the samples do not come from one distribution.

The mixtures may start from counts that are older than all draws: that makes them sharper.
"""

import math

import numpy as np
from numpy.typing import NDArray

from nonmarkov.kernels.evidence import NOWHERE, Flags, Floats, Integers, Log, Longs
from nonmarkov.kernels.jit import jit


@jit
def log_mixture(counts: Floats, prior: Floats) -> float:
    """Return ln m(counts) for a Dirichlet with the given parameters."""
    value, total, mass = 0.0, 0.0, 0.0
    for k in range(counts.size):
        mass += prior[k]
        if counts[k] > 0.0:
            value += math.lgamma(prior[k] + counts[k]) - math.lgamma(prior[k])
            total += counts[k]
    return value + math.lgamma(mass) - math.lgamma(mass + total)


@jit
def log_likelihood(counts: Floats) -> float:
    """Return the logarithm of max_p p(counts)."""
    total, value = counts.sum(), 0.0
    for k in range(counts.size):
        if counts[k] > 0.0:
            value += counts[k] * math.log(counts[k] / total)
    return value


@jit
def log_evalue(counts: Floats, older: Floats, concentration: float) -> float:
    """Return ln E for the rows of `counts`, (samples, K), whose mixtures start from `older`."""
    value = 0.0
    for i in range(counts.shape[0]):
        value += log_mixture(counts[i], older[i] + concentration)
    pooled = np.zeros(counts.shape[1])
    for i in range(counts.shape[0]):
        pooled += counts[i]
    return value - log_likelihood(pooled)


@jit
def mix(log_e: float, share: float) -> float:
    """Return ln(1 - share + share · E): a bet of only a share of the stake."""
    if log_e > 30.0 or share >= 1.0:
        return log_e + math.log(share)
    return math.log1p(share * math.expm1(log_e))


@jit
def _root(parent: Integers, q: int) -> int:
    while parent[q] != q:
        parent[q] = parent[parent[q]]
        q = parent[q]
    return q


@jit
def fold(successor: Integers, table: Integers, p: int, q: int) -> Integers:
    """Return a representative of every state after p and q, and what follows, are merged.

    table: a copy of `successor`, which is one again in the end. In between, the edges of a class
    are those of its representative, completed by those merged into it.
    """
    n_states, n_symbols = successor.shape
    parent = np.arange(n_states).astype(np.int32)
    waiting = [(p, q)]
    completed = [p]
    while waiting:
        left, right = waiting.pop()
        left, right = _root(parent, left), _root(parent, right)
        if left == right:
            continue
        parent[right] = left
        completed.append(left)
        for s in range(n_symbols):
            if table[right, s] >= 0:
                if table[left, s] >= 0:
                    waiting.append((np.int64(table[left, s]), np.int64(table[right, s])))
                else:
                    table[left, s] = table[right, s]
    for state in completed:
        table[state] = successor[state]
    for state in range(n_states):
        parent[state] = _root(parent, state)
    return parent


@jit
def _members(classes: Integers, representative: int) -> NDArray[np.int64]:
    return np.flatnonzero(classes == representative)


@jit
def merge_evalue(classes: Integers, counts: Floats, older: Floats, concentration: float) -> float:
    """Return ln E against "the automaton with these classes as states is right".

    counts, older: (Q, A, K). Every class of several states and every action is a cell; the stake
    is spread over the cells, because few of them may differ.
    """
    sizes = np.bincount(classes, minlength=classes.size)
    merged = np.flatnonzero(sizes > 1)
    n_cells = merged.size * counts.shape[1]
    total = 0.0
    for representative in merged:
        members = _members(classes, representative)
        for a in range(counts.shape[1]):
            cell = log_evalue(counts[members, a], older[members, a], concentration)
            total += mix(cell, 1.0 / n_cells)
    return total


@jit
def pair_evalues(
    successor: Integers, counts: Floats, older: Floats, concentration: float, enough: float
) -> Floats:
    """Return ln E against the merger of every two states, (Q, Q), above the diagonal.

    Half the stake is on what the two states do at once, half on all that follows from merging
    them. Where the first half brings `enough`, the second is not looked at.
    """
    n_states = successor.shape[0]
    table = successor.copy()
    values = np.zeros((n_states, n_states))
    classes = np.arange(n_states).astype(np.int32)
    for p in range(n_states):
        for q in range(p + 1, n_states):
            classes[q] = p
            value = merge_evalue(classes, counts, older, concentration)
            classes[q] = q
            values[p, q] = value - math.log(2.0)
            if values[p, q] < enough:
                merged = fold(successor, table, p, q)
                folded = merge_evalue(merged, counts, older, concentration)
                high, low = max(value, folded), min(value, folded)
                values[p, q] = high + math.log1p(math.exp(low - high)) - math.log(2.0)
    return values


@jit
def read_frozen(
    log: Log, ends: Flags, successor: Integers, begin: int, end: int
) -> tuple[Longs, Longs]:
    """Return the counts of states, (Q, S), in some episodes, and the edge before every step.

    An edge is a number below Q * S, or NOWHERE before first steps and those not counted. An
    episode is left where it goes along an edge that the automaton does not have.
    """
    n_states, n_symbols = successor.shape
    counts = np.zeros((n_states, n_symbols), dtype=np.int64)
    edges = np.full(log.symbols.size, NOWHERE, dtype=np.int64)
    for episode in range(begin, end):
        q, edge = 0, NOWHERE
        for step in range(log.starts[episode], log.starts[episode + 1]):
            s = log.symbols[step]
            counts[q, s] += 1
            edges[step] = edge
            if ends[s] or successor[q, s] < 0:
                break
            edge = q * n_symbols + s
            q = successor[q, s]
    return counts, edges


@jit
def edge_evalues(
    target: Integers, follow: Floats, counts: Floats, older: Floats, concentration: float
) -> Floats:
    """Return ln E against "what follows an edge is what follows its target otherwise", (E,).

    follow: (E, A, K), fresh counts after every edge; counts, older: (Q, A, K).
    """
    values = np.zeros(target.size)
    n_actions = counts.shape[1]
    pair = np.zeros((2, counts.shape[2]))
    start = np.zeros((2, counts.shape[2]))
    for edge in range(target.size):
        for a in range(n_actions):
            pair[0] = follow[edge, a]
            pair[1] = counts[target[edge], a] - follow[edge, a]
            start[0] = older[target[edge], a]
            start[1] = start[0]
            values[edge] += mix(log_evalue(pair, start, concentration), 1.0 / n_actions)
    return values


def concentration_for(outcomes: int) -> float:
    """Return the parameter of the mixtures for so many possible outcomes."""
    return 0.5 if outcomes <= 4 else 2.0 / outcomes
