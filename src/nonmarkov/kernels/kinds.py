"""Kinds of steps: the same symbol in the same state, after equally many events.

A register moves all steps of one kind together, and on a long log there are far fewer kinds.
"""

from typing import NamedTuple

import numpy as np

from nonmarkov.kernels.evidence import Flags, Integers, Log
from nonmarkov.kernels.jit import jit, leaf

PLACES = 4  # to count kinds of steps in, times the steps


class Kinds(NamedTuple):
    """Up to N kinds of steps."""

    entry: Integers  # (N,), the number of their state and symbol
    tally: Integers  # (N,), how many events there were before
    weight: Integers  # (N,), how many steps there are of this kind
    counts: Integers  # (T,), the same by tally and entry, while they are counted; 0 otherwise


@jit
def make_kinds(n_steps: int) -> Kinds:
    """Return room for the kinds of so many steps."""
    entry, tally, weight = np.zeros((3, n_steps), dtype=np.int32)
    return Kinds(entry, tally, weight, np.zeros(PLACES * n_steps, dtype=np.int32))


@leaf
def _add(kinds: Kinds, n_kinds: int, entry: int, tally: int, weight: int) -> int:
    """Add a kind of steps; return how many there are now."""
    kinds.entry[n_kinds] = entry
    kinds.tally[n_kinds] = tally
    kinds.weight[n_kinds] = weight
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
    episode on are looked at. After very many events there is no place to count, and every step is
    a kind of its own. Indices are unsigned, as in `moves`, and nothing depends on whether a step
    is an event: half of the time.
    """
    n_kinds, width, end_of_counts = np.uint64(0), np.uint64(count.size), np.uint64(0)
    for episode in range(log.starts.size - 1):
        end, tally = np.uint64(log.starts[episode + 1]), np.uint64(0)
        first = _first_event(log.symbols, counted, np.uint64(log.starts[episode]), end)
        for step in range(first, end):
            s, e = np.uint64(log.symbols[step]), np.uint64(entry[step])
            place = tally * width + e
            if place < np.uint64(kinds.counts.size):
                kinds.counts[place] += 1
                end_of_counts = max(end_of_counts, place + np.uint64(1))
            else:
                n_kinds = _add(kinds, n_kinds, e, tally, 1)
            tally = (tally + np.uint64(counted[s])) * np.uint64(not reset[s])
    return np.int64(_list_counts(kinds, n_kinds, end_of_counts, count, others))


@leaf
def _list_counts(
    kinds: Kinds, n_kinds: int, end_of_counts: int, count: Integers, others: Integers
) -> int:
    """List the kinds that were counted, and those before an event; return how many there are."""
    for e in range(count.size):
        others[e] = count[e]
        kinds.counts[e] = 0  # before an event are all that are not after one
    for i in range(n_kinds):
        others[kinds.entry[i]] -= 1
    width, e, tally = np.uint64(count.size), np.uint64(0), np.uint64(1)
    for place in range(width, end_of_counts):
        weight = kinds.counts[place]
        if weight > 0:
            kinds.counts[place] = 0
            others[e] -= weight
            n_kinds = _add(kinds, n_kinds, e, tally, weight)
        e += np.uint64(1)
        if e == width:
            e, tally = np.uint64(0), tally + np.uint64(1)
    for e in range(width):
        if others[e] > 0:
            n_kinds = _add(kinds, n_kinds, e, np.uint64(0), others[e])
    return n_kinds
