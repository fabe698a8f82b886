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
    edges_of,
    half_log_gamma,
    structure_cost,
)
from nonmarkov.kernels.jit import jit, leaf


class Board(NamedTuple):
    """Counts of a product of at most R states; all but the last two are clear between registers."""

    counts: Integers  # (R, S)
    tries: Integers  # (R, A)
    endings: Integers  # (R, A)
    support: Integers  # (R, A)
    visits: Integers  # (R,)
    groups: Integers  # (R,)
    touched: Integers  # (N,), entries of `counts` that are not zero
    tally: Integers  # (N,), events before a step


def make_board(rows: int, n_symbols: int, n_actions: int, steps: int) -> Board:
    """Return an empty board."""
    shapes = ((rows, n_symbols), *((rows, n_actions),) * 3, (rows,), (rows,), (steps,), (steps,))
    return Board(*(np.zeros(shape, dtype=np.int32) for shape in shapes))


@leaf
def _value(tally: int, size: int, wrap: bool) -> int:
    """Return the value of a register after so many events."""
    if tally < size:
        return tally
    return tally % size if wrap else size - 1


@leaf
def _tally(log: Log, counted: Flags, reset: Flags, tally: Integers) -> None:
    """Fill in how many events an episode has had before every step, since it last went back."""
    for episode in range(log.starts.size - 1):
        n = 0
        for step in range(log.starts[episode], log.starts[episode + 1]):
            tally[step] = n
            s = log.symbols[step]
            n = 0 if reset[s] else n + counted[s]


@jit
def register_values(log: Log, counted: Flags, reset: Flags, size: int, wrap: bool) -> Integers:
    """Return the value of a register before every step, (N,)."""
    values = np.zeros(log.symbols.size, dtype=np.int32)
    _tally(log, counted, reset, values)
    for step in range(values.size):
        values[step] = _value(values[step], size, wrap)
    return values


@leaf
def _count(log: Log, board: Board, state: Integers, size: int, wrap: bool) -> int:
    """Count the symbols in the states of a product; return how many entries were touched."""
    counts, n_symbols, n_touched = board.counts, board.counts.shape[1], 0
    for step in range(log.symbols.size):
        q = state[step] * size + _value(board.tally[step], size, wrap)
        s = log.symbols[step]
        if counts[q, s] == 0:
            board.touched[n_touched] = q * n_symbols + s
            n_touched += 1
        counts[q, s] += 1
    return n_touched


@leaf
def _leads_group(twin: Integers, leader: int, counts: Integers, q: int, s: int) -> bool:
    """Return whether s is the first symbol of an outcome that was observed in q."""
    other = leader
    while other != s:
        if counts[q, other] > 0:
            return False
        other = twin[other]
    return True


@leaf
def _sum_up(words: Lexicon, board: Board, n_touched: int) -> tuple[float, int, int]:
    """Sum up the counts by states and actions; return their terms of F, states and groups."""
    n_symbols, total, used, groups = board.counts.shape[1], 0.0, 0, 0
    for at in board.touched[:n_touched]:
        q, s = at // n_symbols, at % n_symbols
        n, a = board.counts[q, s], words.action[s]
        used += board.visits[q] == 0
        board.visits[q] += n
        if words.ends[s]:
            board.endings[q, a] += n
            continue
        total += half_log_gamma(words.log_gamma, 2 * n + 1)
        board.tries[q, a] += n
        board.support[q, a] += 1
        leads = _leads_group(words.twin, words.leader[s], board.counts, q, s)
        board.groups[q] += leads
        groups += leads
    return total, used, groups


@leaf
def _wipe(words: Lexicon, board: Board, n_touched: int) -> float:
    """Return the terms of F that belong to states and actions, and clear the board."""
    n_symbols, total = board.counts.shape[1], 0.0
    for at in board.touched[:n_touched]:
        q = at // n_symbols
        board.counts[q, at % n_symbols] = 0
        if board.visits[q] == 0:
            continue
        board.visits[q] = 0
        total -= choice_cost(edges_of(board.support, q), board.groups[q])
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


@leaf
def _register_evidence(
    log: Log, words: Lexicon, board: Board, state: Integers, size: int, wrap: bool
) -> float:
    """Return F of the product of the states with a register, whose events are on the board."""
    n_touched = _count(log, board, state, size, wrap)
    total, used, groups = _sum_up(words, board, n_touched)
    # All edges of a group are taken to lead to one state: that is nearly so.
    return total + _wipe(words, board, n_touched) - structure_cost(words, used, groups, groups)


@leaf
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
        _tally(log, counted[i], reset[i], board.tally)
        for size in range(2, min(most[i], rows // n_states) + 1):
            for wrap in range(2):
                values[i, size, wrap] = _register_evidence(
                    log, words, board, state, size, wrap == 1
                )
