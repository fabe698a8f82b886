"""Strings out of the chains of blocks in which they wait, unpacked or as they are."""

import numpy as np

from nonmarkov.kernels.jit import jit
from nonmarkov.kernels.shapes import BLOCK, FIRST_FREE, N_FREE, Bytes, Integers, Longs, Pool


@jit
def _fill(pool: Pool, position: int, end: int, symbols: Integers, starts: Longs) -> tuple[int, int]:
    """Read whole strings while there is room; return how many, and the position behind them.

    Written without branches where possible: this is read by the hundred million.
    """
    data, following, ends, width = pool.data, pool.following, pool.ends, pool.width
    cut_off = ends.size - 1
    total = n_strings = 0
    behind = position
    starts[0] = 0
    while position != end and total < symbols.size and n_strings < starts.size - 1:
        code = np.int64(data[position])
        for byte in range(1, width):
            code |= np.int64(data[position + byte]) << (8 * byte)
        position += width
        if position & (BLOCK - 1) == 0:
            position = np.int64(following[position // BLOCK - 1]) * BLOCK
        symbols[total] = code
        total += code != cut_off
        n_strings += ends[code]
        starts[n_strings] = total if ends[code] else starts[n_strings]
        behind = position if ends[code] else behind
    return n_strings, behind


@jit
def _release(pool: Pool, begin: int, end: int, last: bool) -> None:
    """Free the blocks from one position to another; the one of the end only if it is the last."""
    block, final = begin // BLOCK, end // BLOCK
    while block != final or last:
        after = pool.following[block]
        pool.following[block] = pool.free[FIRST_FREE]
        pool.free[FIRST_FREE] = block
        pool.free[N_FREE] += 1
        if block == final:
            return
        block = after


@jit
def unpack_strings(
    pool: Pool, span: Longs, symbols: Integers, starts: Longs, drain: bool
) -> tuple[Integers, Longs]:
    """Return as many whole strings as fit into the given arrays, and one at least.

    span: int64[2], position of the next byte and of the end; the first is advanced. With `drain`
    the blocks left behind are free again. Strings come as (symbols, starts), copied.
    """
    begin = span[0]
    n_strings, span[0] = _fill(pool, begin, span[1], symbols, starts)
    while n_strings == 0:
        symbols = np.empty(2 * symbols.size, dtype=np.int32)
        n_strings, span[0] = _fill(pool, begin, span[1], symbols, starts)
    if drain:
        _release(pool, begin, span[0], span[0] == span[1])
    return symbols[: starts[n_strings]].copy(), starts[: n_strings + 1].copy()


@jit
def measure_chains(pool: Pool, marks: Longs, sizes: Longs, before: Longs) -> None:
    """Fill in the bytes of all chains, and those before a mark in each.

    marks: int64[C], a position in the chain, or -1 for its begin. Candidates without a chain get 0.
    """
    for candidate in range(sizes.size):
        sizes[candidate] = before[candidate] = 0
        if pool.head[candidate] < 0:
            continue
        block, tail, mark = pool.head[candidate] // BLOCK, pool.tail[candidate], marks[candidate]
        while True:
            if mark // BLOCK == block:
                before[candidate] = sizes[candidate] + mark % BLOCK
            if block == tail // BLOCK:
                sizes[candidate] += tail % BLOCK
                break
            sizes[candidate] += BLOCK
            block = np.int64(pool.following[block])


@jit
def copy_chains(pool: Pool, sizes: Longs, data: Bytes) -> None:
    """Write all chains one after the other; sizes: their bytes, as measured."""
    at = 0
    for candidate in range(sizes.size):
        block, left = pool.head[candidate] // BLOCK, sizes[candidate]
        while left > 0:
            number = min(left, BLOCK)
            data[at : at + number] = pool.data[block * BLOCK : block * BLOCK + number]
            at += number
            left -= number
            if left > 0:
                block = np.int64(pool.following[block])
