"""The arrays that the stream kernels share, by name.

Nodes of a hypothesis graph are numbers: safe nodes are 1, 2, ...; candidates are -1, -2, ...;
0 is an edge that has not been observed. Row 0 of tables that are indexed by safe nodes therefore
belongs to "outside", where the hypothesis says nothing and actions are uniform.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int32]
Longs = NDArray[np.int64]
Bytes = NDArray[np.uint8]

BLOCK = 64  # bytes; small, because every candidate holds at least one block

# Places in `Graph.sizes`.
START, N_SAFE, N_CANDIDATES = range(3)

# Places in `Pool.free`: first free block, number of free blocks.
FIRST_FREE, N_FREE = range(2)

# Places in the cursor of a stretch of episodes.
EPISODE, STATE, NODE, PROBE, UNIFORM, CANDIDATE, SAFE_STEPS, OUTSIDE_STEPS = range(8)
CURSOR = 8  # their number

# What ends a stretch of episodes.
DONE, GOAL, MILESTONE, NO_ROOM = range(4)


class World(NamedTuple):
    """A process to play: Q states, A actions, B outcomes per (state, action)."""

    chance: Floats  # (Q, A, B), cumulative; what is left to 1 terminates
    successor: Integers  # (Q, A, B)
    symbol: Integers  # (Q, A, B + 1), the last entry for termination
    start: int


class Graph(NamedTuple):
    """A hypothesis graph with room for S safe nodes and C candidates."""

    successor: Integers  # (S, symbols), a node, or 0 where nothing was observed
    arrivals: Longs  # (C,), suffixes received
    milestone: Longs  # (C,), arrivals at which the candidate is tested next
    target: Integers  # (C,), the safe node a candidate stands for, or 0 for a true candidate
    origin: Integers  # (C, 2), the (node, symbol) whose edge leads to a candidate
    sizes: Longs  # (3,): START, N_SAFE, N_CANDIDATES; nodes in use, 0 included


class Pool(NamedTuple):
    """Strings of all candidates, each a chain of blocks of bytes."""

    data: Bytes  # (N * BLOCK,)
    following: Integers  # (N,), next block of a chain, or of the list of free blocks
    head: Longs  # (C,), position of a chain's first byte, or -1
    tail: Longs  # (C,), position of the next byte to write
    free: Longs  # (2,): FIRST_FREE, N_FREE
    ends: NDArray[np.bool_]  # (symbols + 1,), which end a string: terminations, and the last one
    width: int  # bytes per symbol: 1, 2 or 4, so that none lies across two blocks


class Ledger(NamedTuple):
    """What a Markov agent has seen and asked for, by safe node."""

    counts: Longs  # (S, symbols), observed steps
    remaining: Longs  # (S, A), visits until the agent wants to plan again; no more are counted
