"""What a register says: how many events there were, modulo its size or up to it."""

import numpy as np

from nonmarkov.kernels.evidence import Flags, Integers, Log
from nonmarkov.kernels.jit import jit, leaf


@leaf
def count_up(size: int, wrap: bool, value: Integers) -> None:
    """Fill in the values of a register after 0, 1, 2, ... events."""
    value[0] = 0
    for tally in range(1, value.size):
        value[tally] = value[tally - 1] + 1
        if value[tally] == size:
            value[tally] = 0 if wrap else size - 1


@leaf
def count_events(log: Log, counted: Flags, counts: Integers) -> None:
    """Add up how often the events of every class happen in every episode: int32[E, classes]."""
    for step in range(log.symbols.size):
        s, row = log.symbols[step], counts[log.episode[step]]
        for i in range(row.size):
            row[i] += counted[i, s]


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
