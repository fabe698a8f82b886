"""The suffixes that wait at candidates as plain arrays, and back in blocks of bytes.

Which blocks a chain lies in is of no consequence for learning, so it is not kept: chains are
written as they read, and come back in blocks that lie one after the other.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nonmarkov.kernels.shapes import BLOCK, Pool
from nonmarkov.learning.growth import lengthened
from nonmarkov.stored import Stored

Longs = NDArray[np.int64]

MOST_BLOCKS = 1 << 26  # that are made room for because a file says so


class Chains(NamedTuple):
    """Suffixes of candidates 0, 1, ..., and how many symbols of each lie before a mark."""

    codes: NDArray[Any]  # symbols, and their number where a suffix is cut off
    sizes: Longs  # (C,)
    before: Longs  # (C,)

    @property
    def firsts(self) -> Longs:
        """Where the codes of a candidate begin, (C,)."""
        return np.cumsum(self.sizes) - self.sizes

    def suffixes_behind(self, ends: NDArray[np.bool_]) -> Longs:
        """Return the number of complete suffixes behind the mark, (C,)."""
        numbers = np.zeros(self.sizes.size, dtype=np.int64)
        first, last = self.firsts + self.before, self.firsts + self.sizes
        for c in np.flatnonzero(first < last).tolist():
            numbers[c] = np.count_nonzero(ends.take(self.codes[first[c] : last[c]], mode="clip"))
        return numbers

    def incomplete(self, ends: NDArray[np.bool_]) -> list[int]:
        """Return the candidates whose last suffix goes on."""
        there = np.flatnonzero(self.sizes)
        last = self.codes[(self.firsts + self.sizes)[there] - 1]
        return [int(candidate) for candidate in there[~ends[last]]]


def gathered(pool: Pool, n_candidates: int, marks: dict[int, int]) -> Chains:
    """Return all chains of a pool; marks are positions in some of them."""
    sizes, before, places = np.zeros((3, pool.head.size), dtype=np.int64)
    data = np.empty(0, dtype=np.uint8)
    if (pool.head >= 0).any():
        from nonmarkov.kernels.strings import copy_chains, measure_chains

        places[:] = -1
        places[list(marks)] = list(marks.values())
        measure_chains(pool, places, sizes, before)
        data = np.empty(int(sizes.sum()), dtype=np.uint8)
        copy_chains(pool, sizes, data)
    symbols = data.view(f"<u{pool.width}")
    return Chains(symbols, sizes[:n_candidates] // pool.width, before[:n_candidates] // pool.width)


def read_chains(stored: Stored, n_candidates: int, pool: Pool) -> Chains:
    """Return the chains in a file."""
    ends = pool.ends
    codes = stored.integers("codes", (None,), 0, ends.size - 1, f"<u{pool.width}")
    sizes = stored.integers("sizes", (n_candidates,), 0, codes.size)
    before = stored.integers("before", (n_candidates,), 0, codes.size)
    stored.require(int(sizes.sum()) == codes.size, "sizes and codes must agree")
    stored.require((before <= sizes).all(), "marks must lie in their chains")
    chains = Chains(codes, sizes, before)
    last = codes[(chains.firsts + before)[before > 0] - 1]
    stored.require(ends[last].all(), "marks must lie between two suffixes")
    return chains


def scattered(chains: Chains, pool: Pool, room: int, blocks: int) -> tuple[Pool, dict[int, int]]:
    """Return a pool with room for so many candidates and blocks, and the positions of marks."""
    width, there = pool.width, chains.sizes > 0
    needed = np.where(there, chains.sizes * width // BLOCK + 1, 0)
    used = int(needed.sum())
    total = max(used, min(blocks, MOST_BLOCKS))
    head = (np.cumsum(needed) - needed) * BLOCK
    data = np.empty(total * BLOCK, dtype=np.uint8)
    raw, firsts, sizes = chains.codes.view(np.uint8), chains.firsts, chains.sizes
    for c in np.flatnonzero(there).tolist():
        begin, size = firsts[c] * width, sizes[c] * width
        data[head[c] : head[c] + size] = raw[begin : begin + size]
    positions = head + chains.before * width
    marks = {c: int(positions[c]) for c in np.flatnonzero(chains.before).tolist()}
    return pool._replace(
        data=data,
        following=np.arange(1, total + 1, dtype=np.int32),
        head=lengthened(np.where(there, head, -1), room, -1),
        tail=lengthened(np.where(there, head + sizes * width, -1), room, -1),
        free=np.array([used, total - used], dtype=np.int64),
    ), marks
