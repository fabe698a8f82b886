"""Blocks of edges that the search moves together.

One edge (q, a, y); all observed edges (q, ·, y), (q, a, ·) or (·, a, y); all edges into q, whose
move merges q into another state.
"""

import numpy as np

from nonmarkov.kernels.evidence import ROWS, Draft, Flags, Integers, Lexicon, Longs
from nonmarkov.kernels.jit import jit, leaf

EDGE, AFTER_OUTCOME, AFTER_ACTION, EVERYWHERE, INTO = range(5)
KINDS = 5


@leaf
def _fill_after_action(
    first: Integers, ends: Flags, counts: Integers, block: Integers, q: int, a: int
) -> int:
    n = 0
    for s in range(first[a], first[a + 1]):
        if counts[q, s] > 0 and not ends[s]:
            block[n] = q * counts.shape[1] + s
            n += 1
    return n


@leaf
def _fill_after_outcome(
    twin: Integers, counts: Integers, block: Integers, q: int, leader: int
) -> int:
    s, n = leader, 0
    while s >= 0:
        if counts[q, s] > 0:
            block[n] = q * counts.shape[1] + s
            n += 1
        s = twin[s]
    return n


@leaf
def _fill_everywhere(counts: Integers, block: Integers, s: int) -> int:
    n = 0
    for q in range(counts.shape[0]):
        if counts[q, s] > 0:
            block[n] = q * counts.shape[1] + s
            n += 1
    return n


@leaf
def _fill_into(ends: Flags, successor: Integers, counts: Integers, block: Integers, q: int) -> int:
    n = 0
    for p in range(counts.shape[0]):
        for s in range(counts.shape[1]):
            if successor[p, s] == q and counts[p, s] > 0 and not ends[s]:
                block[n] = p * counts.shape[1] + s
                n += 1
    return n


@leaf
def fill_block(words: Lexicon, draft: Draft, block: Integers, kind: int, q: int, s: int) -> int:
    """List the edges of a block, as state * S + symbol; return their number."""
    if kind == AFTER_ACTION:
        a = words.action[s]
        return _fill_after_action(words.first, words.ends, draft.counts, block, q, a)
    if kind == AFTER_OUTCOME:
        return _fill_after_outcome(words.twin, draft.counts, block, q, words.leader[s])
    if kind == EVERYWHERE:
        return _fill_everywhere(draft.counts, block, s)
    if kind == INTO:
        return _fill_into(words.ends, draft.successor, draft.counts, block, q)
    block[0] = q * draft.successor.shape[1] + s
    return 1


@leaf
def _outcome_size(twin: Integers, counts: Integers, q: int, leader: int) -> int:
    s, size = leader, 0
    while s >= 0:
        size += counts[q, s]
        s = twin[s]
    return size


@leaf
def _state_block_size(
    twin: Integers, leader: int, counts: Integers, tries: int, leads_action: bool,
    kind: int, q: int, s: int,
) -> int:  # fmt: skip
    """Return how often a block within state q is passed; 0 unless s is its first symbol."""
    if kind == EDGE:
        return counts[q, s]
    if kind == AFTER_ACTION:
        return tries if leads_action else 0
    return _outcome_size(twin, counts, q, s) if s == leader else 0


@jit
def block_sizes(words: Lexicon, draft: Draft, kind: int) -> Longs:
    """Return how often every block of a kind is passed, or 0 where there is none.

    Blocks are numbered by state for INTO, by symbol for EVERYWHERE, else by both.
    """
    rows, n_symbols = draft.sizes[ROWS], draft.successor.shape[1]
    if kind == INTO:
        sizes = draft.visits[:rows].astype(np.int64)
        sizes[0] = 0  # the start cannot be merged away
        return sizes
    if kind == EVERYWHERE:
        sizes = np.zeros(n_symbols, dtype=np.int64)
        for s in range(n_symbols):
            sizes[s] = 0 if words.ends[s] else draft.counts[:rows, s].sum()
        return sizes
    sizes = np.zeros(rows * n_symbols, dtype=np.int64)
    for q in range(rows):
        for s in range(n_symbols if draft.visits[q] > 0 else 0):
            if not words.ends[s]:
                sizes[q * n_symbols + s] = _state_block_size(
                    words.twin, words.leader[s], draft.counts, draft.tries[q, words.action[s]],
                    s == words.first[words.action[s]], kind, q, s,
                )  # fmt: skip
    return sizes
