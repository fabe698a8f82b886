"""Kinds of steps: the same symbol in the same state, after equally many events.

A register moves all steps of one kind together, and on a long log there are far fewer kinds.
"""

from typing import NamedTuple

import numpy as np

from nonmarkov.kernels.evidence import NOWHERE, Flags, Integers, Log
from nonmarkov.kernels.jit import jit, leaf

SLOTS = 4  # places for kinds of steps, times the steps


class Kinds(NamedTuple):
    """Up to N kinds of steps."""

    entry: Integers  # (N,), the number of their state and symbol
    tally: Integers  # (N,), how many events there were before
    weight: Integers  # (N,), how many steps there are of this kind
    slot: Integers  # (T,), where a kind is listed, or NOWHERE


@jit
def make_kinds(n_steps: int) -> Kinds:
    """Return room for the kinds of so many steps."""
    entry, tally, weight = np.zeros((3, n_steps), dtype=np.int32)
    return Kinds(entry, tally, weight, np.full(SLOTS * n_steps, np.int32(NOWHERE)))


@leaf
def _add(kinds: Kinds, n_kinds: int, at: int, entry: int, tally: int) -> int:
    """Add a step to those of its kind; return how many kinds there are now.

    After very many events there is no slot left, and every step is a kind of its own.
    """
    if at < np.uint64(kinds.slot.size):
        kind = kinds.slot[at]
        if kind >= 0:
            kinds.weight[np.uint64(kind)] += 1
            return n_kinds
        kinds.slot[at] = n_kinds
    kinds.entry[n_kinds] = entry
    kinds.tally[n_kinds] = tally
    kinds.weight[n_kinds] = 1
    return n_kinds + np.uint64(1)


@leaf
def _first_event(symbols: Integers, counted: Flags, step: int, end: int) -> int:
    """Return the first step at which there is an event, or the end."""
    while step < end and not counted[np.uint64(symbols[step])]:
        step += np.uint64(1)
    return step


@leaf
def list_kinds(
    log: Log, entry: Integers, count: Integers, counted: Flags, reset: Flags, kinds: Kinds,
    others: Integers,
) -> int:  # fmt: skip
    """List the kinds of steps, by the events since the register last went back; return how many.

    entry: (N,), the number of the state and symbol of every step; count: (B,), how many steps
    there are of each; others: (B,), room for the same. Only steps from the first event of an
    episode on are looked at. Indices are unsigned, as in `moves`, and nothing depends on whether
    such a step is an event: half of the time.
    """
    n_kinds, stride = np.uint64(0), np.uint64(count.size)
    for episode in range(log.starts.size - 1):
        end, tally = np.uint64(log.starts[episode + 1]), np.uint64(0)
        first = _first_event(log.symbols, counted, np.uint64(log.starts[episode]), end)
        for step in range(first, end):
            s, e = np.uint64(log.symbols[step]), np.uint64(entry[step])
            n_kinds = _add(kinds, n_kinds, tally * stride + e, e, tally)
            tally = (tally + np.uint64(counted[s])) * np.uint64(not reset[s])
    n_kinds = _add_others(count, kinds, n_kinds, others)
    for i in range(n_kinds):
        at = np.uint64(kinds.tally[i]) * stride + np.uint64(kinds.entry[i])
        if at < np.uint64(kinds.slot.size):
            kinds.slot[at] = NOWHERE
    return np.int64(n_kinds)


@leaf
def _add_others(count: Integers, kinds: Kinds, n_kinds: int, others: Integers) -> int:
    """Add the steps that are not listed yet: those before the first event of their episode."""
    for i in range(count.size):
        others[i] = count[i]
    for i in range(n_kinds):
        others[kinds.entry[i]] -= kinds.weight[i]
    for i in range(count.size):
        if others[i] > 0:
            n_kinds = _add(kinds, n_kinds, np.uint64(i), np.uint64(i), np.uint64(0))
            kinds.weight[kinds.slot[i]] += others[i] - 1
    return n_kinds
