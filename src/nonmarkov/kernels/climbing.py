"""Greedy search: move blocks of edges, split and merge states, as long as F rises.

The targets worth trying are those under which what follows a block is most likely; besides, a
fresh copy of the present target, which splits it.
"""

import math

import numpy as np

from nonmarkov.kernels.blocks import EDGE, EVERYWHERE, INTO, KINDS, block_sizes, fill_block
from nonmarkov.kernels.copies import copies_to_try, copy_entries, copy_row, free_row
from nonmarkov.kernels.evidence import (
    NOWHERE,
    ROWS,
    USED,
    Draft,
    Floats,
    Integers,
    Lexicon,
    Log,
    Longs,
)
from nonmarkov.kernels.jit import jit, leaf
from nonmarkov.kernels.moves import HOPELESS, make_move, try_move
from nonmarkov.kernels.ranking import FAR, list_tails, predict, rank
from nonmarkov.kernels.redirection import forget_hits, place
from nonmarkov.kernels.scratch import TARGETS, Scratch

LEAST = 0.01  # nats that a move must gain
RENAMED = 1e-6  # nats; a copy that changes less has taken the place of its original
IN_VAIN = -15.0  # nats lost by a copy, beyond which one with loops is not worth trying
PATIENCE = 5.0  # times what the last sweep has gained is the most that is hoped for


@leaf
def _take_block(words: Lexicon, draft: Draft, scratch: Scratch, kind: int, q: int, s: int) -> int:
    """Make this the block that moves are about; return the number of its edges."""
    forget_hits(scratch.trail)
    return fill_block(words, draft, scratch.block, kind, q, s)


@leaf
def _leads_to(successor: Integers, block: Integers, target: int) -> bool:
    """Return whether all edges of a block lead to the same state, this one."""
    n_symbols = successor.shape[1]
    for edge in block:  # noqa: SIM110 - generators cannot be compiled
        if successor[edge // n_symbols, edge % n_symbols] != target:
            return False
    return True


@leaf
def _leaves(successor: Integers, block: Integers, q: int) -> bool:
    """Return whether an edge of a block begins in this state."""
    for edge in block:  # noqa: SIM110 - generators cannot be compiled
        if edge // successor.shape[1] == q:
            return True
    return False


@leaf
def _best_move(
    log: Log,
    words: Lexicon,
    draft: Draft,
    scratch: Scratch,
    n_block: int,
    size: int,
    merged: int,
    table: Floats,
) -> tuple[float, int, bool, int]:
    """Return gain, target, loops (for a fresh copy) and cost of a block's best move.

    merged: the state that the block merges into another, or NOWHERE.
    """
    present = draft.successor[place(scratch.block[0], draft.successor.shape[1])]
    in_vain = present if _leads_to(draft.successor, scratch.block[:n_block], present) else NOWHERE
    best, target, loops, cost, tried = -np.inf, NOWHERE, False, size, 0
    ranks, block = scratch.ranks, scratch.block[:n_block]
    n_tails = list_tails(draft.head, draft.after, block, size, ranks.tails)
    for i in range(rank(log, words.ends, draft, ranks, n_tails, table)):
        q = ranks.targets[i]
        if q in (merged, in_vain) or tried == TARGETS:
            continue
        gain, walked = try_move(log, words, draft, scratch, n_block, q, size, NOWHERE)
        cost += walked
        tried += 1
        if gain > best:
            best, target = gain, q
        if gain < HOPELESS:  # those that follow explain less
            break
    aside = NOWHERE if _leaves(draft.successor, block, in_vain) else in_vain
    fresh = free_row(draft.visits) if merged == NOWHERE else NOWHERE
    copy_entries(draft.successor[max(fresh, 0)], scratch.unused)  # edges never seen may lead there
    variants = copies_to_try(draft, block, present, in_vain == present)
    for variant in range(variants if fresh >= 0 else 0):
        copy_row(draft.successor, fresh, present, variant == 1)
        copied = aside if variant == 0 else NOWHERE
        gain, walked = try_move(log, words, draft, scratch, n_block, fresh, size, copied)
        cost += walked
        if gain > best and abs(gain) > RENAMED:
            best, target, loops = gain, fresh, variant == 1
        if gain < IN_VAIN:
            break
    copy_entries(scratch.unused, draft.successor[max(fresh, 0)])
    return max(best, -FAR) if target == NOWHERE else best, target, loops, cost


@leaf
def _reconsider(due: Floats, q: int, n_symbols: int) -> None:
    """Have the blocks of a state tried again."""
    due[:EVERYWHERE, q * n_symbols : (q + 1) * n_symbols] = 0.0
    due[INTO, q] = 0.0


@leaf
def _adopt(
    log: Log,
    words: Lexicon,
    draft: Draft,
    scratch: Scratch,
    due: Floats,
    n_block: int,
    present: int,
    target: int,
    loops: bool,
) -> int:
    """Make a move, whose target may be a fresh copy of the present one.

    Return how many states changed; `scratch.rows` lists them.
    """
    if target >= draft.sizes[ROWS] or draft.visits[target] == 0:
        copy_row(draft.successor, target, present, loops)
        _reconsider(due, target, draft.successor.shape[1])
        draft.sizes[ROWS] = max(draft.sizes[ROWS], target + 1)
    return make_move(log, words, draft, scratch, n_block, target)


@jit
def _by_size(sizes: Longs) -> Longs:
    """Return the numbers of all that have a size, those of a larger power of two first."""
    place = np.zeros(65, dtype=np.int64)  # of the next number, by the power of two
    for size in sizes:
        place[_digits(size)] += 1
    total = 0
    for level in range(64, -1, -1):
        place[level], total = total, total + place[level]
    order = np.empty(sizes.size, dtype=np.int64)
    for k in range(sizes.size):
        level = _digits(sizes[k])
        order[place[level]] = k
        place[level] += 1
    return order[: place[1]]  # those without a size are last


@leaf
def _digits(size: int) -> int:
    """Return the number of binary digits."""
    digits = 0
    while size > 0:
        size >>= 1
        digits += 1
    return digits


@leaf
def _any_due(due: Floats, sizes: Longs, kind: int, gained: float) -> bool:
    """Return whether there is a block that is worth trying."""
    for k in range(sizes.size):  # noqa: SIM110 - generators cannot be compiled
        if sizes[k] > 0 and due[kind, k] <= gained:
            return True
    return False


@leaf
def _predict_all(words: Lexicon, draft: Draft, table: Floats, before: float) -> float:
    """Return what a new link costs; if it is not what it was before, fill in the whole table."""
    naming = words.unit * math.log(draft.sizes[USED] + 1.0)
    if naming != before:
        for q in range(draft.sizes[ROWS]):
            predict(words, draft, q, naming, table)
    return naming


@leaf
def _is_back(gained: float, known: float) -> bool:
    """Return whether F is what it was at a known summit: that means the same states."""
    return abs(gained - known) < RENAMED


@jit
def _sweep(
    log: Log,
    words: Lexicon,
    draft: Draft,
    scratch: Scratch,
    kind: int,
    due: Floats,
    margin: Floats,
    table: Floats,
    naming: float,
    gained: float,
    budget: int,
    known: float,
) -> tuple[float, int]:
    """Try all blocks of a kind, the largest first; return the total gain, and the cost.

    table: ranks targets, up to date with `naming`, the cost of a new link.
    """
    n_symbols, spent = draft.successor.shape[1], 0
    sizes = block_sizes(words, draft, kind)
    if not _any_due(due, sizes, kind, gained):
        return gained, spent
    for k in _by_size(sizes):
        if due[kind, k] > gained or spent > budget or _is_back(gained, known):
            continue
        q = k if kind == INTO else k // n_symbols
        n_block = _take_block(words, draft, scratch, kind, q, k % n_symbols)
        if n_block == 0 or (n_block == 1 and EDGE < kind < INTO):
            continue
        merged = q if kind == INTO else NOWHERE
        gain, target, loops, cost = _best_move(
            log, words, draft, scratch, n_block, sizes[k], merged, table
        )
        spent += cost
        if kind == EDGE:
            margin[k] = abs(gain)
        if gain > LEAST:
            present = draft.successor[place(scratch.block[0], n_symbols)]
            n = _adopt(log, words, draft, scratch, due, n_block, present, target, loops)
            for p in scratch.rows.items[:n]:
                predict(words, draft, p, naming, table)
            gained += gain
        due[kind, k] = gained - min(0.0, 0.5 * gain)
    return gained, spent


@jit
def _sweep_all(
    log: Log,
    words: Lexicon,
    draft: Draft,
    scratch: Scratch,
    due: Floats,
    margin: Floats,
    table: Floats,
    naming: float,
    gained: float,
    spent: int,
    budget: int,
    known: float,
) -> tuple[float, int, float]:
    """Try all blocks of all kinds; return the gain and the cost so far, and the cost of a link."""
    before = gained
    for kind in range(KINDS):
        if kind == EVERYWHERE and gained > before:
            continue  # these blocks are the largest, and hardly ever the first to be moved
        naming = _predict_all(words, draft, table, naming)
        # Merges are few, and take back what was split in vain: they are tried in any case.
        left = budget if kind == INTO else budget - spent
        gained, cost = _sweep(
            log, words, draft, scratch, kind, due, margin, table, naming, gained, left, known
        )
        spent += cost
    return gained, spent, naming


@jit
def climb(
    log: Log,
    words: Lexicon,
    draft: Draft,
    scratch: Scratch,
    due: Floats,
    margin: Floats,
    sweeps: int,
    budget: int,
    short: float,
    known: float,
) -> int:
    """Sweep over all blocks until F rises no more; return the cost, in steps walked.

    short: what F must gain for this to be of use; a climb that will not get there is broken off.
    known: what F must gain to be back at a summit from which nothing leads further.

    due: (KINDS, R * S), the total gain at which a block is worth trying again: a block that has
    failed by some margin is left alone until F has risen by half of that.
    margin: (R * S,), filled with what F would lose if an edge led to its second best target.
    """
    table, naming = np.zeros(draft.successor.T.shape), -1.0
    gained, spent = 0.0, 0
    for _ in range(sweeps):
        before = gained
        gained, spent, naming = _sweep_all(
            log, words, draft, scratch, due, margin, table, naming, gained, spent, budget, known
        )
        hope = gained + PATIENCE * (gained - before)
        if gained == before or spent > budget or hope < short or _is_back(gained, known):
            break
    due -= gained  # for the next climb, which starts to count again
    return spent


@jit
def shake(
    log: Log,
    words: Lexicon,
    draft: Draft,
    scratch: Scratch,
    due: Floats,
    rng: np.random.Generator,
) -> None:
    """Move random blocks, mostly to fresh copies; any automaton can come of it."""
    n_symbols = draft.successor.shape[1]
    while True:
        step = int(rng.random() * log.symbols.size)
        q, s = np.int64(draft.state[step]), np.int64(log.symbols[step])
        if not words.ends[s]:
            kind = int(rng.random() * EVERYWHERE)
            n_block = _take_block(words, draft, scratch, kind, q, s)
            present, fresh = draft.successor[q, s], free_row(draft.visits)
            target = draft.state[int(rng.random() * log.symbols.size)]
            if fresh >= 0 and rng.random() < 0.8:
                target = fresh
            loops = rng.random() < 0.5
            _adopt(log, words, draft, scratch, due, n_block, present, target, loops)
            _reconsider(due, q, n_symbols)
            _reconsider(due, present, n_symbols)
            _reconsider(due, target, n_symbols)
        if rng.random() < 0.3:
            return
