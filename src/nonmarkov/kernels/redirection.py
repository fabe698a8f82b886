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

FEW = 10  # steps along a block for which a move is tried first
MORE = 6  # times as many, on which it is tried next


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
def list_hits(episodes: Integers, draft: Draft, trail: Trail, block: Integers, most: int) -> None:
    """List the steps along the block, or so many of them; those of an episode in order.

    What is listed already is not listed again.
    """
    if trail.size[0] < min(most, trail.size[1]):
        n_episodes = _mark_hits(episodes, draft, trail, block, most)
        trail.size[0] = _collect_hits(trail, n_episodes)
        if trail.size[0] < most:  # there are no more
            trail.size[1] = trail.size[0]


@leaf
def forget_hits(trail: Trail) -> None:
    """Forget what is listed, for there is another block, or another draft."""
    trail.size[0], trail.size[1] = 0, trail.hits.size


@leaf
def _mark(trail: Trail, episode: int, step: int, n_episodes: int) -> int:
    """Mark a step and its episode; return how many episodes are marked now."""
    if trail.first[episode] < 0:
        trail.first[episode] = step
        trail.last[episode] = step
        trail.episodes[n_episodes] = episode
        n_episodes += 1
    trail.first[episode] = min(trail.first[episode], step)
    trail.last[episode] = max(trail.last[episode], step)
    trail.marked[step] = True
    return n_episodes


@leaf
def _mark_hits(episodes: Integers, draft: Draft, trail: Trail, block: Integers, most: int) -> int:
    """Mark steps along the block, and their episodes; return how many episodes there are.

    First a few along every edge, as many as its share, then more: to begin with all along one
    edge would say nothing about the others.
    """
    counts, n_episodes, n_hits, level, size = draft.counts, 0, 0, FEW, 0
    for i in range(block.size):
        trail.left[i] = counts[place(block[i], counts.shape[1])]
        trail.next[i] = draft.head[block[i]]
        size += trail.left[i]
    most = min(most, size)
    while n_hits < most:
        for i in range(block.size):
            share = max(1, trail.left[i] * level // size)
            last, step = min(n_hits + share, most), trail.next[i]
            while step >= 0 and n_hits < last:
                n_episodes = _mark(trail, episodes[step], step, n_episodes)
                step = draft.after[step]
                n_hits += 1
            trail.next[i] = step
        level *= MORE
    return n_episodes


@leaf
def _collect_hits(trail: Trail, n_episodes: int) -> int:
    """List the marked steps, episode by episode, and clear the marks; return how many."""
    n_hits = np.uint64(0)
    for episode in trail.episodes[:n_episodes]:
        for step in range(trail.first[episode], trail.last[episode] + 1):
            trail.hits[n_hits] = step
            n_hits += np.uint64(trail.marked[np.uint64(step)])
            trail.marked[np.uint64(step)] = False
        trail.first[episode] = NOWHERE
    return np.int64(n_hits)


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
    list_hits(log.episode, draft, trail, scratch.block[:n_block], most)
    hits = trail.hits[: min(most, trail.size[0])]
    if copied >= 0:
        return _step_aside(log, scratch.change, scratch.touched, hits, copied, target)
    return _walk(
        log, words.ends, draft.successor, draft.state, scratch.change, scratch.touched, hits,
        target,
    )  # fmt: skip
