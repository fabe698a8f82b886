"""What a register says: how many events there were, modulo its size or up to it."""

import numpy as np

from nonmarkov.kernels.evidence import Flags, Integers, Log
from nonmarkov.kernels.jit import jit, leaf


@leaf
def value_after(tally: int, size: int, wrap: bool) -> int:
    """Return the value of a register after so many events."""
    if tally < size:
        return tally
    return tally % size if wrap else size - 1


@jit
def register_values(log: Log, counted: Flags, reset: Flags, size: int, wrap: bool) -> Integers:
    """Return the value of a register before every step, (N,)."""
    values = np.zeros(log.symbols.size, dtype=np.int32)
    for episode in range(log.starts.size - 1):
        tally = 0
        for step in range(log.starts[episode], log.starts[episode + 1]):
            values[step] = value_after(tally, size, wrap)
            s = log.symbols[step]
            tally = 0 if reset[s] else tally + counted[s]
    return values
