"""Kinds of steps: the same symbol in the same state, after equally many events.

A register moves all steps of one kind together, and on a long log there are far fewer kinds.
"""

from typing import NamedTuple

import numpy as np

from nonmarkov.kernels.evidence import NOWHERE, Flags, Integers, Log
from nonmarkov.kernels.jit import jit, leaf

SLOTS = 4  # places for kinds of steps, times the steps


class Kinds(NamedTuple):
    """Up to N kinds of steps, those after events."""

    state: Integers  # (N,)
    symbol: Integers  # (N,)
    tally: Integers  # (N,), how many events there were before
    weight: Integers  # (N,), how many steps there are of this kind
    slot: Integers  # (T,), where a kind is listed, or NOWHERE


@jit
def make_kinds(n_steps: int) -> Kinds:
    """Return room for the kinds of so many steps."""
    state, symbol, tally, weight = np.zeros((4, n_steps), dtype=np.int32)
    return Kinds(state, symbol, tally, weight, np.full(SLOTS * n_steps, np.int32(NOWHERE)))


@leaf
def _place(shape: tuple[int, int], q: int, s: int, tally: int) -> int:
    """Return the slot of a kind of steps; there may be none of that number."""
    return (tally * shape[0] + q) * shape[1] + s


@leaf
def _add(kinds: Kinds, n_kinds: int, at: int, q: int, s: int, tally: int) -> int:
    """Add a step to those of its kind; return how many kinds there are now.

    After very many events there is no slot left, and every step is a kind of its own.
    """
    if at < kinds.slot.size:
        if kinds.slot[at] >= 0:
            kinds.weight[kinds.slot[at]] += 1
            return n_kinds
        kinds.slot[at] = n_kinds
    kinds.state[n_kinds] = q
    kinds.symbol[n_kinds] = s
    kinds.tally[n_kinds] = tally
    kinds.weight[n_kinds] = 1
    return n_kinds + 1


@leaf
def list_kinds(
    log: Log, state: Integers, shape: tuple[int, int], counted: Flags, reset: Flags, kinds: Kinds
) -> tuple[int, int]:
    """List the kinds of steps before which there were events, since the register last went back.

    shape: the numbers of states and symbols. Return the number of kinds, and the most events.
    """
    n_kinds, largest = 0, 0
    for episode in range(log.starts.size - 1):
        tally = 0
        for step in range(log.starts[episode], log.starts[episode + 1]):
            q, s = state[step], log.symbols[step]
            if tally > 0:
                largest = max(largest, tally)
                n_kinds = _add(kinds, n_kinds, _place(shape, q, s, tally), q, s, tally)
            tally = 0 if reset[s] else tally + counted[s]
    for i in range(n_kinds):
        at = _place(shape, kinds.state[i], kinds.symbol[i], kinds.tally[i])
        if at < kinds.slot.size:
            kinds.slot[at] = NOWHERE
    return n_kinds, largest
