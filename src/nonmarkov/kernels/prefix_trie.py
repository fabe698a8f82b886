"""Exact counts of the prefixes of strings, for many sets of strings at once.

All prefixes of all sets are nodes of one forest: a set is a root, a prefix the node that its
symbols lead to. Children are found by hashing (node, symbol), with open addressing.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nonmarkov.kernels.jit import jit

Floats = NDArray[np.float64]
Integers = NDArray[np.int32]
Longs = NDArray[np.int64]

# Places in `Forest.sizes`.
N_NODES = 0


class Forest(NamedTuple):
    """Room for N nodes and a hash table of more than twice as many places."""

    keys: Longs  # (H,), parent * n_symbols + symbol + 1, or 0 for a free place; H a power of two
    children: Integers  # (H,), the node of a key
    counts: Longs  # (N,)
    parent: Integers  # (N,)
    symbol: Integers  # (N,)
    length: Integers  # (N,), of the prefix
    younger: Integers  # (N,), the next node of the same root, or -1
    youngest: Integers  # (N,), of a root: its node that was added last
    match: Integers  # (N,), scratch: the same prefix in another set, or -1
    sizes: Longs  # (1,): N_NODES
    n_symbols: int


@jit
def _place(keys: Longs, key: int) -> int:
    """Return where a key is, or would go."""
    mask = keys.size - 1
    place = np.int64((np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(20)) & mask
    while keys[place] != 0 and keys[place] != key:
        place = (place + 1) & mask
    return place


@jit
def _add_child(forest: Forest, root: int, node: int, symbol: int, place: int) -> None:
    """Add a child of a node, whose key goes to a free place of the table."""
    child = add_node(forest, node, symbol, forest.length[node] + 1)
    forest.keys[place] = node * forest.n_symbols + symbol + 1
    forest.children[place] = child
    forest.younger[forest.youngest[root]] = child
    forest.youngest[root] = child


@jit
def add_node(forest: Forest, parent: int, symbol: int, length: int) -> int:
    """Return a new node; a root has parent -1 and length 0."""
    node = forest.sizes[N_NODES]
    forest.sizes[N_NODES] += 1
    forest.counts[node] = 0
    forest.parent[node] = parent
    forest.symbol[node] = symbol
    forest.length[node] = length
    forest.younger[node] = -1
    forest.youngest[node] = node
    return node


@jit
def absorb(
    forest: Forest, root: int, reached: Longs, symbols: Integers, starts: Longs, first: int
) -> int:
    """Count the prefixes of strings from number `first` on; return how far the room sufficed.

    reached: int64[d + 1], number of strings with at least so many symbols, added to.
    """
    keys, children, counts, n_symbols = (
        forest.keys,
        forest.children,
        forest.counts,
        forest.n_symbols,
    )
    depth = reached.size - 1
    for number in range(first, starts.size - 1):
        if forest.sizes[N_NODES] + depth > counts.size:
            return number
        node = root
        counts[root] += 1
        reached[0] += 1
        length = min(depth, starts[number + 1] - starts[number])
        for i in range(length):
            symbol = symbols[starts[number] + i]
            place = _place(keys, node * n_symbols + symbol + 1)
            if keys[place] == 0:
                _add_child(forest, root, node, symbol, place)
            node = np.int64(children[place])
            counts[node] += 1
            reached[i + 1] += 1
    return starts.size - 1


@jit
def _widen(forest: Forest, mine: int, other: int, distance: Floats) -> None:
    """Raise `distance` by the prefixes of one set, whether the other has them or not."""
    total, other_total = forest.counts[mine], forest.counts[other]
    forest.match[mine] = other
    node = forest.younger[mine]
    while node >= 0:
        twin = np.int64(forest.match[forest.parent[node]])
        found = np.int64(-1)
        if twin >= 0:
            place = _place(forest.keys, twin * forest.n_symbols + forest.symbol[node] + 1)
            if forest.keys[place] != 0:
                found = np.int64(forest.children[place])
        forest.match[node] = found
        frequency = 0.0 if found < 0 else forest.counts[found] / other_total
        gap = abs(forest.counts[node] / total - frequency)
        distance[forest.length[node]] = max(distance[forest.length[node]], gap)
        node = forest.younger[node]


@jit
def compare(forest: Forest, root: int, others: Longs, distance: Floats) -> None:
    """Fill float64[n, d + 1] with the largest difference of frequencies, by other and length."""
    distance[:] = 0.0
    for i in range(others.size):
        _widen(forest, root, others[i], distance[i])
        _widen(forest, others[i], root, distance[i])


@jit
def rehash(forest: Forest) -> None:
    """Fill the empty hash table of a forest that has grown."""
    for node in range(forest.sizes[N_NODES]):
        if forest.parent[node] >= 0:
            key = np.int64(forest.parent[node]) * forest.n_symbols + forest.symbol[node] + 1
            place = _place(forest.keys, key)
            forest.keys[place] = key
            forest.children[place] = node
