"""What followed every edge of an automaton, and whether it speaks for where the edge leads."""

from typing import NamedTuple

import numpy as np

from nonmarkov.kernels.evidence import (
    NOWHERE,
    Draft,
    Flags,
    Floats,
    Integers,
    Lexicon,
    Log,
    Longs,
    half_log_gamma,
)
from nonmarkov.kernels.jit import jit


class Rows(NamedTuple):
    """A table of counts of symbols, of which only those above 0 are kept, in order."""

    first: Longs  # (R, A + 1), where the symbols with an action begin, and where the row ends
    symbol: Integers  # (B,)
    count: Integers  # (B,)


@jit
def number_edges(
    words: Lexicon, final: Flags, draft: Draft, n_states: int
) -> tuple[Integers, Integers]:
    """Return the number of every observed edge, (Q, S) or NOWHERE, and the edges, (E,).

    final: (S,), symbols after which nothing comes; they lead nowhere.
    """
    n_symbols, n_edges = draft.successor.shape[1], 0
    number = np.full((n_states, n_symbols), NOWHERE, dtype=np.int32)
    for q in range(n_states):
        for s in range(n_symbols):
            if draft.counts[q, s] > 0 and not (words.ends[s] or final[s]):
                number[q, s] = n_edges
                n_edges += 1
    edges = np.empty(n_edges, dtype=np.int32)
    for q in range(n_states):
        for s in range(n_symbols):
            if number[q, s] >= 0:
                edges[number[q, s]] = q * n_symbols + s
    return number, edges


@jit
def _marked_actions(action: Integers, row: Longs, symbol: Integers, first: Longs) -> None:
    """Fill in where every row, and every action in it, begins, from entries in order."""
    n_rows, n_actions = first.shape[0], first.shape[1] - 1
    first[:] = 0
    for i in range(symbol.size):
        first[row[i], action[symbol[i]] + 1] += 1
    total = 0
    for r in range(n_rows):
        first[r, 0] = total
        for a in range(n_actions):
            total += first[r, a + 1]
            first[r, a + 1] = total


@jit
def states_seen(words: Lexicon, draft: Draft) -> Rows:
    """Return what was seen in the states."""
    n_states, n_symbols = draft.counts.shape
    entries = 0
    for q in range(n_states):
        for s in range(n_symbols):
            entries += draft.counts[q, s] > 0
    row, symbol = np.empty(entries, dtype=np.int64), np.empty(entries, dtype=np.int32)
    count = np.empty(entries, dtype=np.int32)
    i = 0
    for q in range(n_states):
        for s in range(n_symbols):
            if draft.counts[q, s] > 0:
                row[i], symbol[i], count[i] = q, s, draft.counts[q, s]
                i += 1
    first = np.zeros((n_states, words.first.size), dtype=np.int64)
    _marked_actions(words.action, row, symbol, first)
    return Rows(first, symbol, count)


@jit
def _in_order(keys: Longs, values: Longs, n_keys: int) -> tuple[Longs, Longs]:
    """Return pairs in the order of their keys; those with the same stay in the order they have."""
    place = np.zeros(n_keys + 1, dtype=np.int64)
    for key in keys:
        place[key + 1] += 1
    for key in range(n_keys):
        place[key + 1] += place[key]
    ordered, others = np.empty_like(keys), np.empty_like(values)
    for i in range(keys.size):
        at = place[keys[i]]
        place[keys[i]] += 1
        ordered[at], others[at] = keys[i], values[i]
    return ordered, others


@jit
def continuations(log: Log, words: Lexicon, draft: Draft, number: Integers, n_edges: int) -> Rows:
    """Return how often every symbol followed every edge."""
    n = log.symbols.size - log.starts.size + 1
    edge, symbol, i = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64), 0
    for episode in range(log.starts.size - 1):
        for step in range(log.starts[episode] + 1, log.starts[episode + 1]):
            edge[i] = number[draft.state[step - 1], log.symbols[step - 1]]
            symbol[i] = log.symbols[step]
            i += 1
    symbol, edge = _in_order(symbol, edge, number.shape[1])
    edge, symbol = _in_order(edge, symbol, n_edges)
    entries = 0
    count = np.zeros(n, dtype=np.int32)
    for i in range(n):
        if entries > 0 and edge[entries - 1] == edge[i] and symbol[entries - 1] == symbol[i]:
            count[entries - 1] += 1
        else:
            edge[entries], symbol[entries], count[entries] = edge[i], symbol[i], 1
            entries += 1
    symbols = symbol[:entries].astype(np.int32)
    first = np.zeros((n_edges, words.first.size), dtype=np.int64)
    _marked_actions(words.action, edge[:entries], symbols, first)
    return Rows(first, symbols, count[:entries].copy())


@jit
def _one_or_two(
    words: Lexicon, seen: Rows, follow: Rows, i: int, target: int, a: int
) -> tuple[float, int, int]:
    """Return the log Bayes factor for one action, its tries after edge i, and those otherwise.

    Whatever followed the edge was seen in its target, so the former is a part of the latter.
    """
    table = words.log_gamma
    kinds, here, there, tried, rest, factor = 0, 0, 0, 0, 0, 0.0
    at, end = follow.first[i, a], follow.first[i, a + 1]
    for k in range(seen.first[target, a], seen.first[target, a + 1]):
        x = 0
        if at < end and follow.symbol[at] == seen.symbol[k]:
            x = follow.count[at]
            at += 1
        y = seen.count[k] - x
        tried += x
        rest += y
        if words.ends[seen.symbol[k]]:
            continue
        kinds += 1
        here += x
        there += y
        if x > 0 and y > 0:
            factor += half_log_gamma(table, 2 * (x + y) + 1) + table[1]
            factor -= half_log_gamma(table, 2 * x + 1) + half_log_gamma(table, 2 * y + 1)
    if here == 0 or there == 0:
        return 0.0, tried, rest
    kinds = max(kinds, 2)  # something else might have happened
    factor += half_log_gamma(table, kinds + 2 * here)
    factor += half_log_gamma(table, kinds + 2 * there)
    factor -= half_log_gamma(table, kinds) + half_log_gamma(table, kinds + 2 * (here + there))
    return factor, tried, rest


@jit
def sameness(
    words: Lexicon, seen: Rows, follow: Rows, targets: Integers
) -> tuple[Floats, Integers, Longs]:
    """Return, for every edge, how likely its continuations and the rest of its target are one.

    The log Bayes factor of one distribution against two, (E,); the tries of every action after
    the edge, (E, A); and the steps from the target that came otherwise, (E,).
    """
    n_edges, n_actions = targets.size, words.first.size - 1
    factor, rest = np.zeros(n_edges), np.zeros(n_edges, dtype=np.int64)
    tried = np.zeros((n_edges, n_actions), dtype=np.int32)
    for i in range(n_edges):
        for a in range(n_actions):
            inner, tried[i, a], others = _one_or_two(words, seen, follow, i, targets[i], a)
            factor[i] += inner
            rest[i] += others
    return factor, tried, rest
