"""Which states a block of edges might lead to: those that explain best what follows the block."""

import math

import numpy as np

from nonmarkov.kernels.evidence import ROWS, Draft, Flags, Floats, Integers, Lexicon, Log, Longs
from nonmarkov.kernels.jit import jit, leaf

TAILS = 30  # continuations of a block that states are ranked by
NEAR = 24  # states from which continuations are followed
AHEAD = 24  # steps of a continuation
FAR = 20.0  # nats behind the best state at which one is given up


@leaf
def predict(words: Lexicon, draft: Draft, q: int, naming: float, table: Floats) -> None:
    """Fill in table[symbol, q] = ln P(symbol | q, action), good enough to rank states."""
    for a in range(words.first.size - 1):
        tries, endings = draft.tries[q, a], draft.endings[q, a]
        total = tries + 0.5 * draft.support[q, a] + 0.5
        unseen = -words.price - naming + (math.log(0.5 / total) if tries > 0 else 0.0)
        for s in range(words.first[a], words.first[a + 1]):
            if words.ends[s]:
                share = (endings + 20.0 * words.ending + 1e-9) / (tries + endings + 20.0)
                table[s, q] = math.log(share)
            elif draft.counts[q, s] > 0:
                table[s, q] = math.log((draft.counts[q, s] + 0.5) / total)
            else:
                table[s, q] = unseen


@leaf
def _follow(
    symbols: Integers, ends: Flags, successor: Integers, state: Integers, table: Floats,
    near: Longs, value: Floats, floor: float, begin: int, end: int,
) -> float:  # fmt: skip
    """Add to `value` how likely the steps from `begin` on are from each state; return the best.

    That is, how much likelier than from the state in which they were made: as soon as a path
    joins that of the draft, there is nothing to add. A state below the floor is given up.
    """
    best = -np.inf
    for i in range(value.size):
        if value[i] < floor:
            value[i] = -np.inf
            continue
        q = near[i]
        for step in range(begin, end):
            s, p = symbols[step], state[step]
            if q == p:
                break
            value[i] += table[s, q] - table[s, p]
            if ends[s]:
                break
            q = successor[q, s]
        best = max(best, value[i])
    return best


@jit
def list_tails(draft: Draft, block: Integers, size: int) -> Longs:
    """Return some of the steps along a block, evenly spread."""
    stride, seen, n = max(1, size // TAILS), 0, 0
    tails = np.empty(2 * TAILS, dtype=np.int64)
    for edge in block:
        step = draft.head[edge]
        while step >= 0 and n < tails.size:
            if seen % stride == 0:
                tails[n] = step
                n += 1
            seen += 1
            step = draft.after[step]
    return tails[:n]


@leaf
def _largest(values: Floats, floor: float, chosen: Longs) -> int:
    """List the places of the largest values above a floor, in order; return how many there are.

    As many as `chosen` has room for; what is listed becomes -inf. Written out, because sorting
    would take seconds to compile.
    """
    n = 0
    while n < chosen.size:
        best = 0
        for i in range(1, values.size):
            if values[i] > values[best]:
                best = i
        if values.size == 0 or not values[best] > floor:
            break
        values[best] = -np.inf
        chosen[n] = best
        n += 1
    return n


@leaf
def _highest(values: Floats) -> float:
    highest = -np.inf
    for value in values:
        highest = max(highest, value)
    return highest


@jit
def _next_symbols(log: Log, draft: Draft, tails: Longs, table: Floats) -> Floats:
    """Return how likely the next symbols after some steps are from every used state."""
    total = np.zeros(draft.sizes[ROWS])
    for q in range(total.size):
        total[q] = 0.0 if draft.visits[q] > 0 else -np.inf
    for step in tails:
        if step + 1 < log.starts[log.episode[step] + 1]:
            row = table[log.symbols[step + 1]]
            for q in range(total.size):
                total[q] += row[q]
    return total


@jit
def rank(log: Log, ends: Flags, draft: Draft, tails: Longs, table: Floats, chosen: Longs) -> int:
    """List the states that explain well what follows some steps, the best first.

    All states are compared by the next symbol alone, the nearest by whole continuations.
    """
    near = np.zeros(NEAR, dtype=np.int64)
    total = _next_symbols(log, draft, tails, table)
    value = np.zeros(_largest(total, _highest(total) - 2.0 * FAR, near))
    best = 0.0
    for step in tails:
        begin, end = step + 1, min(log.starts[log.episode[step] + 1], step + 1 + AHEAD)
        best = _follow(
            log.symbols, ends, draft.successor, draft.state, table, near, value, best - FAR,
            begin, end,
        )  # fmt: skip
    n = _largest(value, best - FAR - 1e-9, chosen)
    for i in range(n):
        chosen[i] = near[chosen[i]]
    return n
