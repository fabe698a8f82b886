"""Which way episodes go if a block of edges leads elsewhere, and how that changes the counts."""

import numpy as np

from nonmarkov.kernels.evidence import (
    NOWHERE,
    Draft,
    Flags,
    Integers,
    Lexicon,
    Log,
    Longs,
)
from nonmarkov.kernels.jit import leaf
from nonmarkov.kernels.scratch import Scratch, Trail


@leaf
def place(number: int, width: int) -> tuple[int, int]:
    """Return the row and the column of an entry in a table; unsigned numbers divide faster."""
    row = np.uint32(number) // np.uint32(width)
    return np.int64(row), np.int64(np.uint32(number) - row * np.uint32(width))


@leaf
def point(successor: Integers, block: Integers, old: Integers, target: int) -> None:
    """Let the edges of a block lead to `target`, and note where they led."""
    n_symbols = successor.shape[1]
    for i in range(block.size):
        q, s = place(block[i], n_symbols)
        old[i] = successor[q, s]
        successor[q, s] = target


@leaf
def point_back(successor: Integers, block: Integers, old: Integers) -> None:
    """Let the edges of a block lead where they led."""
    n_symbols = successor.shape[1]
    for i in range(block.size):
        successor[place(block[i], n_symbols)] = old[i]


@leaf
def find_hits(
    episodes: Integers, head: Integers, after: Integers, trail: Trail, block: Integers,
    old: Integers, target: int, most: int,
) -> int:  # fmt: skip
    """Mark the steps along the block, in at most so many episodes; return the number of these."""
    first, last, hits, marked = trail
    n_hits = 0
    for i in range(block.size):
        step = NOWHERE if old[i] == target else head[block[i]]
        while step >= 0:
            episode = episodes[step]
            if first[episode] < 0:
                if n_hits == most:
                    break
                first[episode] = step
                last[episode] = step
                hits[n_hits] = episode
                n_hits += 1
            first[episode] = min(first[episode], step)
            last[episode] = max(last[episode], step)
            marked[step] = True
            step = after[step]
    return n_hits


@leaf
def first_hit(trail: Trail, episode: int) -> int:
    """Return the first step of an episode along the block, and forget it."""
    hit = trail.first[episode]
    trail.first[episode] = NOWHERE
    trail.marked[hit] = False
    return hit


@leaf
def next_hit(trail: Trail, episode: int, step: int) -> int:
    """Return the next such step from one that is on the old path, and forget it; or NOWHERE."""
    while step <= trail.last[episode]:
        if trail.marked[step]:
            trail.marked[step] = False
            return step
        step += 1
    return NOWHERE


@leaf
def _walk(
    symbols: Integers, starts: Longs, ends: Flags, successor: Integers, state: Integers,
    change: Integers, touched: Integers, trail: Trail, n_hits: int, target: int,
) -> tuple[int, int]:  # fmt: skip
    """Sum up how counts change if the episodes are redirected.

    Return how many entries were touched and how many steps walked. Indices are unsigned, for
    otherwise every access would look whether it counts from the end; that is a sixth of the time.
    """
    n_symbols, one = np.uint64(successor.shape[1]), np.uint64(1)
    n_touched, walked = np.uint64(0), 0
    for episode in trail.hits[:n_hits]:
        hit, end = first_hit(trail, episode), np.uint64(starts[episode + 1])
        while hit >= 0:
            step, q = np.uint64(hit + 1), np.uint64(target)
            while step < end and np.uint64(state[step]) != q:
                s, p = np.uint64(symbols[step]), np.uint64(state[step])
                trail.marked[step] = False  # it is another edge now
                if change[p, s] == 0:
                    touched[n_touched] = p * n_symbols + s
                    n_touched += one
                change[p, s] -= 1
                if change[q, s] == 0:
                    touched[n_touched] = q * n_symbols + s
                    n_touched += one
                change[q, s] += 1
                q = q if ends[s] else np.uint64(successor[q, s])
                step += one
            walked += np.int64(step) - hit
            hit = next_hit(trail, episode, np.int64(step))
    return np.int64(n_touched), walked


@leaf
def redirect(
    log: Log, words: Lexicon, draft: Draft, scratch: Scratch, n_block: int, target: int, most: int
) -> tuple[int, int]:
    """Sum up how counts change now that the block leads to `target`, in at most so many episodes.

    Return how many entries were touched and how many steps walked.
    """
    n_hits = find_hits(
        log.episode, draft.head, draft.after, scratch.trail, scratch.block[:n_block],
        scratch.old, target, most,
    )  # fmt: skip
    return _walk(
        log.symbols, log.starts, words.ends, draft.successor, draft.state, scratch.change,
        scratch.touched, scratch.trail, n_hits, target,
    )  # fmt: skip
