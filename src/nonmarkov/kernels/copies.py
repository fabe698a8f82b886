"""Fresh copies of states: to lead some edges into a copy splits the state."""

from nonmarkov.kernels.evidence import NOWHERE, Draft, Integers
from nonmarkov.kernels.jit import leaf


@leaf
def copy_entries(source: Integers, target: Integers) -> None:
    """Copy an array; to assign it to a slice would take memory, which a leaf must not."""
    for i in range(source.size):
        target[i] = source[i]


@leaf
def copy_row(successor: Integers, copy: int, q: int, loops: bool) -> None:
    """Give the row `copy` the edges of q; with `loops`, those from q to itself stay in the copy."""
    for s in range(successor.shape[1]):
        successor[copy, s] = copy if loops and successor[q, s] == q else successor[q, s]


@leaf
def free_row(visits: Integers) -> int:
    """Return a row that no step uses, or NOWHERE."""
    for q in range(1, visits.size):
        if visits[q] == 0:
            return q
    return NOWHERE


@leaf
def copies_to_try(draft: Draft, block: Integers, present: int, together: bool) -> int:
    """Return how many variants of a fresh copy are not in vain; the one with loops is second.

    If the present target has no edges to itself, the two variants are the same. And if all edges
    of the block lead there, `together`, and no others do, a copy only takes the place of its
    original. Whether others do is seen from the counts; where episodes are cut off, that can be
    mistaken.
    """
    n_symbols = draft.successor.shape[1]
    entering, loops = 0, 0
    for s in range(n_symbols):
        if draft.successor[present, s] == present:
            loops += draft.counts[present, s]
    for edge in block:
        if edge // n_symbols != present:
            entering += draft.counts[edge // n_symbols, edge % n_symbols]
    alone = together and present != 0 and entering + loops == draft.visits[present]
    return int(loops > 0) + int(not alone)
