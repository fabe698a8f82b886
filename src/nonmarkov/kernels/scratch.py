"""Room for the arithmetic of one move of the search, to be used again for the next."""

from typing import NamedTuple

import numpy as np

from nonmarkov.kernels.evidence import NOWHERE, Flags, Integers


class Marks(NamedTuple):
    """A set of numbers: flags, all False between two moves, and room for a list."""

    seen: Flags
    items: Integers


class Trail(NamedTuple):
    """Which of E episodes a move redirects."""

    first: Integers  # (E,), first step of an episode along the block, NOWHERE between two moves
    last: Integers  # (E,), last such step
    hits: Integers  # (E,), episodes that go along the block
    marked: Flags  # (N,), steps that do, False between two moves


class Scratch(NamedTuple):
    """Room for the arithmetic of one move; all zero between two moves."""

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
            zeros(episodes) + NOWHERE,
            zeros(episodes),
            zeros(episodes),
            np.zeros(steps, dtype=np.bool_),
        ),
        zeros(rows * n_symbols),
        zeros(rows * n_symbols),
    )
