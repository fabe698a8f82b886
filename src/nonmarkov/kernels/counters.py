"""What a register says: how many events there were, modulo its size or up to it."""

import numpy as np

from nonmarkov.kernels.evidence import NOWHERE, Flags, Integers, Log, Longs
from nonmarkov.kernels.jit import jit, leaf


@leaf
def count_up(size: int, wrap: bool, value: Integers) -> None:
    """Fill in the values of a register after 0, 1, 2, ... events."""
    value[0] = 0
    for tally in range(1, value.size):
        value[tally] = value[tally - 1] + 1
        if value[tally] == size:
            value[tally] = 0 if wrap else size - 1


@jit
def usual_counts(log: Log, counted: Flags, share: float, most: int) -> Longs:
    """Return how often the events of every class happen in that share of the episodes, at most.

    counted: bool[classes, S]. Beyond `most`, nothing is counted.
    """
    n_classes, n_episodes = counted.shape[0], log.starts.size - 1
    columns = np.ascontiguousarray(counted.T)
    episodes = np.zeros((n_classes, most + 1), dtype=np.int64)  # by number of events
    tally = np.zeros(n_classes, dtype=np.int32)
    for episode in range(n_episodes):
        tally[:] = 0
        for step in range(log.starts[episode], log.starts[episode + 1]):
            column = columns[log.symbols[step]]
            for i in range(n_classes):
                tally[i] += column[i]
        for i in range(n_classes):
            episodes[i, min(tally[i], most)] += 1
    found, rank = np.zeros(n_classes, dtype=np.int64), int(share * (n_episodes - 1))
    for i in range(n_classes):
        below = episodes[i, 0]
        while below <= rank:
            found[i] += 1
            below += episodes[i, found[i]]
    return found


@jit
def register_values(log: Log, counted: Flags, reset: Flags, size: int, wrap: bool) -> Integers:
    """Return the value of a register before every step, (N,)."""
    value, values = np.zeros((2, log.symbols.size), dtype=np.int32)
    count_up(size, wrap, value)
    for episode in range(log.starts.size - 1):
        tally = 0
        for step in range(log.starts[episode], log.starts[episode + 1]):
            values[step] = value[tally]
            s = log.symbols[step]
            tally = 0 if reset[s] else tally + counted[s]
    return values


@jit
def product(
    log: Log, state: Integers, n_states: int, value: Integers, size: int, n_symbols: int
) -> Integers:
    """Return the product of an automaton and a register, as far as the log visits it.

    state, value: (N,), of both before every step. Its states are numbered as they turn up.
    """
    number, row = np.full((n_states, size), NOWHERE), np.empty_like(state)
    n_rows = 0
    for step in range(state.size):
        if number[state[step], value[step]] < 0:
            number[state[step], value[step]] = n_rows
            n_rows += 1
        row[step] = number[state[step], value[step]]
    successor = np.full((n_rows, n_symbols), np.int32(NOWHERE))
    for episode in range(log.starts.size - 1):
        for step in range(log.starts[episode], log.starts[episode + 1] - 1):
            successor[row[step], log.symbols[step]] = row[step + 1]
    return successor
