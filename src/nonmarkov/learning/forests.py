"""Forests of prefixes: new ones, longer ones, and out of a file."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nonmarkov.learning.growth import room_for
from nonmarkov.stored import Stored

Longs = NDArray[np.int64]

FIRST_NODES = 1 << 12
NODE = ("counts", "parent", "symbol", "length", "younger", "youngest")  # what a node consists of


def new_forest(n_nodes: int, n_symbols: int) -> Any:
    """Return a forest without nodes, with room for so many."""
    from nonmarkov.kernels.prefix_trie import Forest

    return Forest(
        keys=np.zeros(4 * n_nodes, dtype=np.int64),
        children=np.empty(4 * n_nodes, dtype=np.int32),
        counts=np.empty(n_nodes, dtype=np.int64),
        parent=np.empty(n_nodes, dtype=np.int32),
        symbol=np.empty(n_nodes, dtype=np.int32),
        length=np.empty(n_nodes, dtype=np.int32),
        younger=np.empty(n_nodes, dtype=np.int32),
        youngest=np.empty(n_nodes, dtype=np.int32),
        match=np.empty(n_nodes, dtype=np.int32),
        sizes=np.zeros(1, dtype=np.int64),
        n_symbols=n_symbols,
    )


def n_nodes(forest: Any) -> int:
    """Return the number of nodes of a forest."""
    return int(forest.sizes[0])


def longer(forest: Any) -> Any:
    """Return a forest with twice the room; its hash table is empty."""
    used = slice(0, n_nodes(forest))
    arrays = (getattr(forest, name)[used] for name in NODE)
    return _filled(new_forest(2 * forest.counts.size, forest.n_symbols), *arrays)


def forest_state(forest: Any) -> dict[str, Any]:
    """Return the nodes, in the order in which they were added."""
    return {
        name: getattr(forest, name)[: n_nodes(forest)] for name in ("counts", "parent", "symbol")
    }


def read_forest(stored: Stored, n_symbols: int, depth: int) -> Any:
    """Return a stored forest of prefixes of at most `depth` symbols; its hash table is empty.

    All links between nodes follow from their parents.
    """
    n = len(stored.plain("counts"))
    counts = stored.integers("counts", (n,))
    parent = stored.integers("parent", (n,), -1, n - 1)
    symbol = stored.integers("symbol", (n,), 0, n_symbols - 1)
    stored.require((parent < np.arange(n)).all(), "parents come before their children")
    keys = (parent * n_symbols + symbol)[parent >= 0]
    stored.require(np.unique(keys).size == keys.size, "no prefix is listed twice")
    length, root = _ancestry(parent, depth)
    stored.require((length >= 0).all(), f"prefixes have at most {depth} symbols")
    order = np.argsort(root, kind="stable")
    same = root[order[1:]] == root[order[:-1]]
    younger, youngest = np.full(n, -1), np.arange(n)
    younger[order[:-1][same]] = order[1:][same]
    youngest[root[order]] = order  # of those with one root, the last one stays
    forest = new_forest(room_for(n, FIRST_NODES), n_symbols)
    return _filled(forest, counts, parent, symbol, length, younger, youngest)


def _filled(forest: Any, *arrays: NDArray[Any]) -> Any:
    for name, array in zip(NODE, arrays, strict=True):
        getattr(forest, name)[: array.size] = array
    forest.sizes[0] = arrays[0].size
    return forest


def _ancestry(parent: Longs, depth: int) -> tuple[Longs, Longs]:
    """Return how far below its root every node is, or -1 for too far, and the root."""
    nodes = np.arange(parent.size)
    length, root = np.where(parent < 0, 0, -1), np.where(parent < 0, nodes, -1)
    for level in range(1, depth + 1):
        next_ones = np.flatnonzero((length < 0) & (length[parent] == level - 1))
        length[next_ones], root[next_ones] = level, root[parent[next_ones]]
    return length, root
