"""Strings out of the chains of blocks in which they wait."""

import numpy as np
from numpy.typing import NDArray

from nonmarkov.kernels.jit import jit
from nonmarkov.kernels.shapes import BLOCK, FIRST_FREE, N_FREE, Bytes, Longs, Pool


@jit
def _read(data: Bytes, position: int, width: int) -> int:
    """Return the symbol that was written at a position."""
    code = np.int64(data[position])
    for byte in range(1, width):
        code |= np.int64(data[position + byte]) << (8 * byte)
    return code


@jit
def unpack_strings(
    pool: Pool, span: Longs, limit: int, drain: bool
) -> tuple[NDArray[np.int32], Longs]:
    """Return about `limit` symbols of whole strings as (symbols, starts), and move on.

    span: int64[2], position of the next byte and of the end; the first is advanced. With `drain`
    the blocks left behind are free again.
    """
    data, following, width, ends = pool.data, pool.following, pool.width, pool.ends
    cut_off = ends.size - 1
    symbols = np.empty(limit + 16, dtype=np.int32)
    starts = np.empty(limit // 4 + 16, dtype=np.int64)
    starts[0] = total = n_strings = 0
    position, end = span[0], span[1]
    while position != end and total < limit:
        over = False
        while not over:
            code = _read(data, position, width)
            position += width
            if position & (BLOCK - 1) == 0:
                block = position // BLOCK - 1
                position = np.int64(following[block]) * BLOCK
                if drain:
                    _release_block(pool, block)
            if total == symbols.size:
                symbols = np.concatenate((symbols, np.empty_like(symbols)))
            symbols[total] = code
            total += code != cut_off
            over = ends[code]
        n_strings += 1
        if n_strings == starts.size:
            starts = np.concatenate((starts, np.empty_like(starts)))
        starts[n_strings] = total
    span[0] = position
    if drain and position == end:
        _release_block(pool, position // BLOCK)
    return symbols[:total].copy(), starts[: n_strings + 1].copy()


@jit
def _release_block(pool: Pool, block: int) -> None:
    """Put a block on the list of free ones."""
    pool.following[block] = pool.free[FIRST_FREE]
    pool.free[FIRST_FREE] = block
    pool.free[N_FREE] += 1
