"""Which states a block of edges might lead to: those that explain best what follows the block."""

import math

import numpy as np

from nonmarkov.kernels.evidence import ROWS, Draft, Flags, Floats, Integers, Lexicon, Log, Longs
from nonmarkov.kernels.jit import leaf
from nonmarkov.kernels.scratch import TAILS, Ranks

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


@leaf
def list_tails(head: Integers, after: Integers, block: Integers, size: int, tails: Longs) -> int:
    """List some of the steps along a block, evenly spread; return how many there are."""
    stride, wait, n = max(1, size // TAILS), 0, 0
    for edge in block:
        step = head[edge]
        while step >= 0 and n < tails.size:
            if wait == 0:
                tails[n] = step
                n += 1
                wait = stride
            wait -= 1
            step = after[step]
    return n


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


@leaf
def _next_symbols(log: Log, visits: Integers, tails: Longs, table: Floats, total: Floats) -> None:
    """Fill in how likely the next symbols after some steps are from every used state."""
    for q in range(total.size):
        total[q] = 0.0 if visits[q] > 0 else -np.inf
    for step in tails:
        if step + 1 < log.starts[log.episode[step] + 1]:
            row = table[log.symbols[step + 1]]
            for q in range(total.size):
                total[q] += row[q]


@leaf
def rank(log: Log, ends: Flags, draft: Draft, ranks: Ranks, n_tails: int, table: Floats) -> int:
    """List the states that explain well what follows some steps, the best first.

    Return how many there are. All states are compared by the next symbol alone, the nearest by
    whole continuations.
    """
    tails, total, near = ranks.tails[:n_tails], ranks.total[: draft.sizes[ROWS]], ranks.near
    _next_symbols(log, draft.visits, tails, table, total)
    value = ranks.value[: _largest(total, _highest(total) - 2.0 * FAR, near)]
    value[:] = 0.0
    best = 0.0
    for step in tails:
        begin, end = step + 1, min(log.starts[log.episode[step] + 1], step + 1 + AHEAD)
        best = _follow(
            log.symbols, ends, draft.successor, draft.state, table, near, value, best - FAR,
            begin, end,
        )  # fmt: skip
    n = _largest(value, best - FAR - 1e-9, ranks.targets)
    for i in range(n):
        ranks.targets[i] = near[ranks.targets[i]]
    return n
