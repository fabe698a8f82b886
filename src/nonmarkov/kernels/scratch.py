"""Room for the arithmetic of one move of the search, to be used again for the next."""

from typing import NamedTuple

import numpy as np

from nonmarkov.kernels.evidence import NOWHERE, Flags, Floats, Integers, Longs

TAILS = 30  # continuations of a block that states are ranked by
NEAR = 24  # states from which continuations are followed
TARGETS = 3  # tried for a block, besides fresh copies


class Marks(NamedTuple):
    """A set of numbers: flags, all False between two moves, and room for a list."""

    seen: Flags
    items: Integers


class Trail(NamedTuple):
    """The hits of a block: the steps along it, which a move redirects."""

    hits: Integers  # (N + 1,), the last is room
    size: Longs  # (2,), how many are listed, and how many there are at most
    episodes: Integers  # (E,), episodes with hits, while these are listed
    first: Integers  # (E,), the first hit of an episode; NOWHERE otherwise
    last: Integers  # (E,), the last
    marked: Flags  # (N,), the steps that are hits; False otherwise
    next: Integers  # (R * S,), the next hit along every edge of the block
    left: Integers  # (R * S,), how many there are


class Ranks(NamedTuple):
    """Room for ranking the states that a block might lead to."""

    tails: Longs  # (2 * TAILS,), steps along the block
    total: Floats  # (R,), how likely the next symbols are, by state
    near: Longs  # (NEAR,), states from which continuations are followed
    value: Floats  # (NEAR,), how likely these are
    targets: Longs  # (TARGETS + 1,), the best states


class Scratch(NamedTuple):
    """Room for the arithmetic of one move; all zero between two moves, but for ranks and lists."""

    change: Integers  # (R, S), of the counts
    touched: Integers  # (2 * N + 2,), entries of `change` that are not zero
    cell: Integers  # (R * A, 3), changes of tries, endings, support
    row: Integers  # (R, 3), changes of visits, edges, groups
    cells: Marks  # of `cell`
    rows: Marks  # of states
    groups: Marks  # of edges (q, ·, y) whose links may change: state * S + leader
    trail: Trail
    block: Integers  # (R * S,), the edges to move: state * S + symbol
    old: Integers  # (R * S,), where they led
    ranks: Ranks
    unused: Integers  # (S,), the edges of a row that is not in use


def make_scratch(rows: int, n_symbols: int, n_actions: int, steps: int, episodes: int) -> Scratch:
    """Return scratch for drafts of that size."""

    def zeros(*shape: int) -> Integers:
        return np.zeros(shape, dtype=np.int32)

    def marks(size: int) -> Marks:
        return Marks(np.zeros(size, dtype=np.bool_), zeros(size))

    return Scratch(
        zeros(rows, n_symbols),
        zeros(2 * steps + 2),
        zeros(rows * n_actions, 3),
        zeros(rows, 3),
        marks(rows * n_actions),
        marks(rows),
        marks(rows * n_symbols),
        Trail(
            zeros(steps + 1),
            np.array([0, steps]),
            zeros(episodes),
            zeros(episodes) + NOWHERE,
            zeros(episodes),
            np.zeros(steps, dtype=np.bool_),
            zeros(rows * n_symbols),
            zeros(rows * n_symbols),
        ),
        zeros(rows * n_symbols),
        zeros(rows * n_symbols),
        Ranks(
            np.zeros(2 * TAILS, dtype=np.int64),
            np.zeros(rows),
            np.zeros(NEAR, dtype=np.int64),
            np.zeros(NEAR),
            np.zeros(TARGETS + 1, dtype=np.int64),
        ),
        zeros(n_symbols),
    )
