"""Which way episodes go if a block of edges leads elsewhere, and how that changes the counts."""

import numpy as np

from nonmarkov.kernels.evidence import (
    NOWHERE,
    Draft,
    Flags,
    Integers,
    Lexicon,
    Log,
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
def list_hits(
    episodes: Integers, head: Integers, after: Integers, trail: Trail, block: Integers, most: int
) -> None:
    """List the steps along the block, or so many of them; those of an episode in order.

    What is listed already is not listed again.
    """
    if trail.size[0] < min(most, trail.size[1]):
        n_episodes = _mark_hits(episodes, head, after, trail, block, most)
        trail.size[0] = _collect_hits(trail, n_episodes)
        if trail.size[0] < most:  # there are no more
            trail.size[1] = trail.size[0]


@leaf
def forget_hits(trail: Trail) -> None:
    """Forget what is listed, for there is another block, or another draft."""
    trail.size[0], trail.size[1] = 0, trail.hits.size


@leaf
def _mark_hits(
    episodes: Integers, head: Integers, after: Integers, trail: Trail, block: Integers, most: int
) -> int:
    """Mark steps along the block, and their episodes; return how many episodes there are."""
    first, last = trail.first, trail.last
    n_episodes, n_hits = 0, 0
    for edge in block:
        step = head[edge]
        while step >= 0 and n_hits < most:
            episode = episodes[step]
            if first[episode] < 0:
                first[episode] = step
                last[episode] = step
                trail.episodes[n_episodes] = episode
                n_episodes += 1
            first[episode] = min(first[episode], step)
            last[episode] = max(last[episode], step)
            trail.marked[step] = True
            n_hits += 1
            step = after[step]
    return n_episodes


@leaf
def _collect_hits(trail: Trail, n_episodes: int) -> int:
    """List the marked steps, episode by episode, and clear the marks; return how many."""
    n_hits = 0
    for episode in trail.episodes[:n_episodes]:
        for step in range(trail.first[episode], trail.last[episode] + 1):
            if trail.marked[step]:
                trail.marked[step] = False
                trail.hits[n_hits] = step
                n_hits += 1
        trail.first[episode] = NOWHERE
    return n_hits


@leaf
def _walk(
    log: Log, ends: Flags, successor: Integers, state: Integers, change: Integers,
    touched: Integers, hits: Integers, target: int,
) -> tuple[int, int]:  # fmt: skip
    """Sum up how counts change if the episodes are redirected.

    Return how many entries were touched and how many steps walked. Indices are unsigned, for
    otherwise every access would look whether it counts from the end; that is a sixth of the time.
    """
    n_symbols, one, episode = np.uint64(successor.shape[1]), np.uint64(1), NOWHERE
    n_touched, walked, joined = np.uint64(0), np.uint64(0), np.uint64(0)
    for i in range(hits.size):
        hit = np.uint64(hits[i])
        if log.episode[hit] == episode and hit < joined:
            continue  # it is another edge now
        episode = log.episode[hit]
        end, step, q = np.uint64(log.starts[episode + 1]), hit + one, np.uint64(target)
        while step < end and np.uint64(state[step]) != q:
            s, p = np.uint64(log.symbols[step]), np.uint64(state[step])
            touched[n_touched] = p * n_symbols + s  # to stay only if it is new
            n_touched += np.uint64(change[p, s] == 0)
            change[p, s] -= 1
            touched[n_touched] = q * n_symbols + s
            n_touched += np.uint64(change[q, s] == 0)
            change[q, s] += 1
            q = q if ends[s] else np.uint64(successor[q, s])
            step += one
        walked += step - hit
        joined = step
    return np.int64(n_touched), np.int64(walked)


@leaf
def _step_aside(
    log: Log, change: Integers, touched: Integers, hits: Integers, present: int, copy: int
) -> tuple[int, int]:
    """Sum up the same, if every episode is back on its path after one step, in a copy."""
    n_symbols, one = np.uint64(change.shape[1]), np.uint64(1)
    n_touched, row = np.uint64(0), change[copy]
    for i in range(hits.size):
        hit = np.uint64(hits[i])
        if hit + one < np.uint64(log.starts[log.episode[hit] + 1]):
            s = np.uint64(log.symbols[hit + one])
            touched[n_touched] = np.uint64(copy) * n_symbols + s  # to stay only if it is new
            n_touched += np.uint64(row[s] == 0)
            row[s] += 1
    n = np.int64(n_touched)
    for i in range(n):
        s = touched[i] - copy * change.shape[1]
        change[present, s] = -row[s]
        touched[n + i] = present * change.shape[1] + s
    return 2 * n, hits.size


@leaf
def redirect(
    log: Log, words: Lexicon, draft: Draft, scratch: Scratch, n_block: int, target: int, most: int,
    copied: int,
) -> tuple[int, int]:  # fmt: skip
    """Sum up how counts change now that the block leads to `target`, for so many of its steps.

    copied: the state of which the target is a copy that leads where that does, if all edges of
    the block led there and none begins there; or NOWHERE. Return how many entries were touched
    and how many steps walked.
    """
    trail = scratch.trail
    list_hits(log.episode, draft.head, draft.after, trail, scratch.block[:n_block], most)
    hits = trail.hits[: min(most, trail.size[0])]
    if copied >= 0:
        return _step_aside(log, scratch.change, scratch.touched, hits, copied, target)
    return _walk(
        log, words.ends, draft.successor, draft.state, scratch.change, scratch.touched, hits,
        target,
    )  # fmt: skip
