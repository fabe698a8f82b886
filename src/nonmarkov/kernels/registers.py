"""Registers beside an automaton: counters, clocks and latches that may explain the log better.

A register counts the events of one class of symbols, modulo c or up to c - 1, and goes back to 0
at the events of another class. Modulo c it is a clock, up to 1 a latch. The product of states and
register is judged by its F; nothing but one pass through the log is needed for that.
"""

from typing import NamedTuple

import numpy as np

from nonmarkov.kernels.evidence import (
    Flags,
    Floats,
    Integers,
    Lexicon,
    Log,
    Longs,
    cell_evidence,
    choice_cost,
    half_log_gamma,
    structure_cost,
)
from nonmarkov.kernels.jit import jit


class Board(NamedTuple):
    """Counts of a product with at most R states; all zero between two registers."""

    counts: Integers  # (R, S)
    tries: Integers  # (R, A)
    endings: Integers  # (R, A)
    support: Integers  # (R, A)
    visits: Integers  # (R,)
    groups: Integers  # (R,)
    touched: Integers  # (N,), entries of `counts` that are not zero


def make_board(rows: int, n_symbols: int, n_actions: int, steps: int) -> Board:
    """Return an empty board."""
    shapes = ((rows, n_symbols), *((rows, n_actions),) * 3, (rows,), (rows,), (steps,))
    return Board(*(np.zeros(shape, dtype=np.int32) for shape in shapes))


@jit
def _next_value(value: int, counted: bool, reset: bool, size: int, wrap: bool) -> int:
    """Return the value of a register after an event."""
    if reset:
        return 0
    if not counted:
        return value
    return value + 1 if value + 1 < size else 0 if wrap else size - 1


@jit
def register_values(log: Log, counted: Flags, reset: Flags, size: int, wrap: bool) -> Integers:
    """Return the value of a register before every step, (N,)."""
    values = np.zeros(log.symbols.size, dtype=np.int32)
    for episode in range(log.starts.size - 1):
        value = 0
        for step in range(log.starts[episode], log.starts[episode + 1]):
            values[step] = value
            s = log.symbols[step]
            value = _next_value(value, counted[s], reset[s], size, wrap)
    return values


@jit
def _is_new_group(twin: Integers, leader: int, counts: Integers, q: int) -> bool:
    """Return whether no edge (q, ·, y) has been observed yet."""
    s = leader
    while s >= 0:
        if counts[q, s] > 0:
            return False
        s = twin[s]
    return True


@jit
def _register_evidence(
    log: Log,
    words: Lexicon,
    board: Board,
    state: Integers,
    counted: Flags,
    reset: Flags,
    size: int,
    wrap: bool,
) -> float:
    """Return F of the product of the states with a register."""
    n_symbols, groups, used, n_touched = board.counts.shape[1], 0, 0, 0
    for episode in range(log.starts.size - 1):
        value = 0
        for step in range(log.starts[episode], log.starts[episode + 1]):
            s = log.symbols[step]
            a = words.action[s]
            q = state[step] * size + value
            used += board.visits[q] == 0
            board.visits[q] += 1
            if board.counts[q, s] == 0:
                board.touched[n_touched] = q * n_symbols + s
                n_touched += 1
                if not words.ends[s]:
                    new = _is_new_group(words.twin, words.leader[s], board.counts, q)
                    board.groups[q] += new
                    groups += new
                    board.support[q, a] += 1
            board.counts[q, s] += 1
            if words.ends[s]:
                board.endings[q, a] += 1
            else:
                board.tries[q, a] += 1
            value = _next_value(value, counted[s], reset[s], size, wrap)
    # All edges of a group are taken to lead to one state: that is nearly so.
    return _wipe(words, board, n_touched) - structure_cost(words, used, groups, groups)


@jit
def _wipe(words: Lexicon, board: Board, n_touched: int) -> float:
    """Return the evidence on the board without structure, and clear it."""
    n_symbols, total = board.counts.shape[1], 0.0
    for i in range(n_touched):
        q, s = board.touched[i] // n_symbols, board.touched[i] % n_symbols
        if not words.ends[s]:
            total += half_log_gamma(words.log_gamma, 2 * board.counts[q, s] + 1)
        board.counts[q, s] = 0
        if board.visits[q] == 0:
            continue
        board.visits[q] = 0
        total -= choice_cost(board.support[q].sum(), board.groups[q])
        board.groups[q] = 0
        for a in range(words.first.size - 1):
            tries, endings = board.tries[q, a], board.endings[q, a]
            total += cell_evidence(
                words.log_gamma, words.ending, tries, endings, board.support[q, a]
            )
            board.tries[q, a] = 0
            board.endings[q, a] = 0
            board.support[q, a] = 0
    return total


@jit
def judge_registers(
    log: Log,
    words: Lexicon,
    board: Board,
    state: Integers,
    n_states: int,
    counted: Flags,
    reset: Flags,
    most: Longs,
    values: Floats,
) -> None:
    """Fill in F for every row (counted, reset) and every size up to `most` of that row.

    values: float64[n_rows, sizes, 2], the last for saturating and wrapping; what is not judged
    is left as it was.
    """
    rows = board.counts.shape[0]
    for i in range(counted.shape[0]):
        for size in range(2, min(most[i], rows // n_states) + 1):
            for wrap in range(2):
                values[i, size, wrap] = _register_evidence(
                    log, words, board, state, counted[i], reset[i], size, wrap == 1
                )
