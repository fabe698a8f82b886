"""Registers beside an automaton: counters, clocks and latches that may explain the log better.

A register counts the events of one class of symbols, modulo c or up to c - 1, and goes back to 0
at the events of another class. Modulo c it is a clock, up to 1 a latch. The product of states and
register is judged by its F; for that, nothing but the steps after events must be walked. And it is
judged by what F could be if the states that gain nothing were not split.
"""

import math
from typing import NamedTuple

import numpy as np

from nonmarkov.kernels.continuations import Rows, states_seen
from nonmarkov.kernels.counters import count_up
from nonmarkov.kernels.evidence import (
    Draft,
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
from nonmarkov.kernels.kinds import Kinds, list_kinds, make_kinds


class Board(NamedTuple):
    """Counts of a product of Q states with a register, in at most R rows.

    Row v * Q + q belongs to state q and value v. Between two registers all steps are where the
    value is 0.
    """

    counts: Integers  # (R, S)
    tries: Integers  # (R, A), clear between registers, as the next four
    endings: Integers  # (R, A)
    support: Integers  # (R, A)
    visits: Integers  # (R,)
    groups: Integers  # (R,)
    touched: "Entries"  # of `counts`, that a register changes
    kinds: Kinds  # the steps after events
    value: Integers  # of the register, after so many events
    parts: "Parts"  # of F that belong to the states, with a register; clear between registers
    seen: Rows  # the counts without a register
    alone: "Parts"  # the same as `parts`, without a register


class Entries(NamedTuple):
    """A list of up to B entries of a table."""

    row: Integers  # (B,)
    symbol: Integers  # (B,)
    state: Integers  # (B,), to which the row belongs


class Parts(NamedTuple):
    """What Q states are made of, together with a register or alone."""

    terms: Floats  # (Q,), what they add to F, but for its structure
    used: Integers  # (Q,), how many states they become
    groups: Integers  # (Q,), how many groups these have


@jit
def _no_parts(n_states: int) -> Parts:
    used, groups = np.zeros((2, n_states), dtype=np.int32)
    return Parts(np.zeros(n_states), used, groups)


@jit
def _no_entries(most: int) -> Entries:
    row, symbol, state = np.zeros((3, most), dtype=np.int32)
    return Entries(row, symbol, state)


@jit
def make_board(words: Lexicon, draft: Draft, rows: int) -> Board:
    """Return the board of an automaton, with that many rows."""
    (n_states, n_symbols), steps = draft.counts.shape, draft.state.size
    shape, zero = (rows, words.first.size - 1), np.int32(0)
    counts = np.full((rows, n_symbols), zero)
    counts[:n_states] = draft.counts
    seen = states_seen(words, draft)
    board = Board(
        counts,
        np.full(shape, zero),
        np.full(shape, zero),
        np.full(shape, zero),
        np.full(rows, zero),
        np.full(rows, zero),
        _no_entries(steps + seen.symbol.size),
        make_kinds(steps),
        np.full(steps + 1, zero),
        _no_parts(n_states),
        seen,
        _no_parts(n_states),
    )
    for q in range(n_states):
        n_touched = _list_entries(board, q, 0)
        _sum_up(words, board, n_touched)
        _wipe(words, board, n_touched)
        _take(board.parts, q, board.alone)
    return board


@leaf
def _take(parts: Parts, q: int, to: Parts) -> None:
    """Take the parts of a state to where they are wanted."""
    to.terms[q] = parts.terms[q]
    to.used[q] = parts.used[q]
    to.groups[q] = parts.groups[q]
    _clear(parts, q)


@leaf
def _clear(parts: Parts, q: int) -> None:
    parts.terms[q] = 0.0
    parts.used[q] = 0
    parts.groups[q] = 0


@leaf
def _enter(entries: Entries, i: int, row: int, s: int, q: int) -> None:
    entries.row[i] = row
    entries.symbol[i] = s
    entries.state[i] = q


@leaf
def _move(board: Board, n_kinds: int) -> int:
    """Move steps after events to where they belong; return how many entries get something."""
    counts, kinds, n_states = board.counts, board.kinds, board.parts.used.size
    n_touched = 0
    for i in range(n_kinds):
        value, q, s = board.value[kinds.tally[i]], kinds.state[i], kinds.symbol[i]
        if value == 0:
            continue
        row = value * n_states + q
        if counts[row, s] == 0:
            _enter(board.touched, n_touched, row, s, q)
            n_touched += 1
        counts[row, s] += kinds.weight[i]
        counts[q, s] -= kinds.weight[i]
    return n_touched


@leaf
def _list_entries(board: Board, q: int, n_touched: int) -> int:
    """Add the entries of a state to those touched; return how many there are now."""
    first = board.seen.first
    for i in range(first[q, 0], first[q, first.shape[1] - 1]):
        _enter(board.touched, n_touched, q, board.seen.symbol[i], q)
        n_touched += 1
    return n_touched


@leaf
def _list_left(board: Board, n_touched: int) -> int:
    """Add the entries of the states that steps have left; return how many entries there are."""
    n = n_touched
    for q in board.touched.state[:n_touched]:
        if board.visits[q] == 0:  # for the time being, a mark
            board.visits[q] = 1
            n = _list_entries(board, q, n)
    for q in board.touched.state[:n_touched]:
        board.visits[q] = 0
    return n


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
def _sum_up(words: Lexicon, board: Board, n_touched: int) -> None:
    """Sum up the counts by states and actions; note states, groups, and terms of the counts."""
    parts, touched = board.parts, board.touched
    for i in range(n_touched):
        q, s, origin = touched.row[i], touched.symbol[i], touched.state[i]
        n, a = board.counts[q, s], words.action[s]
        if n == 0:  # all of it was moved
            continue
        parts.used[origin] += board.visits[q] == 0
        board.visits[q] += n
        if words.ends[s]:
            board.endings[q, a] += n
            continue
        parts.terms[origin] += half_log_gamma(words.log_gamma, 2 * n + 1)
        board.tries[q, a] += n
        board.support[q, a] += 1
        leads = _leads_group(words.twin, words.leader[s], board.counts, q, s)
        board.groups[q] += leads
        parts.groups[origin] += leads


@leaf
def _wipe(words: Lexicon, board: Board, n_touched: int) -> None:
    """Note the terms of F that belong to states and actions, and move all steps back."""
    touched = board.touched
    for i in range(n_touched):
        q, s, origin = touched.row[i], touched.symbol[i], touched.state[i]
        if q != origin:
            board.counts[origin, s] += board.counts[q, s]
            board.counts[q, s] = 0
        if board.visits[q] == 0:
            continue
        board.visits[q] = 0
        total = -choice_cost(words, edges_of(board.support, q), board.groups[q])
        board.groups[q] = 0
        for a in range(words.first.size - 1):
            tries, endings = board.tries[q, a], board.endings[q, a]
            total += cell_evidence(
                words.log_gamma, words.ending, tries, endings, board.support[q, a]
            )
            board.tries[q, a] = 0
            board.endings[q, a] = 0
            board.support[q, a] = 0
        board.parts.terms[origin] += total


@leaf
def _compare(
    words: Lexicon, board: Board, n_touched: int, naming: float
) -> tuple[float, float, int, int]:
    """Return what the register that was summed up adds to F but for its structure, and clear it.

    Then what it would add in all if the states that gain nothing were not split, and by how
    much there are more states and groups. naming: what one link costs.
    """
    gain, hope, used, groups = 0.0, 0.0, 0, 0
    parts, alone = board.parts, board.alone
    for q in board.touched.state[:n_touched]:
        if parts.used[q] == 0:  # met before
            continue
        more, states = parts.terms[q] - alone.terms[q], parts.used[q] - alone.used[q]
        observed = parts.groups[q] - alone.groups[q]
        gain, used, groups = gain + more, used + states, groups + observed
        cost = naming * (states + observed) + words.share * words.price * observed
        hope += max(0.0, more - cost)
        _clear(parts, q)
    return gain, hope, used, groups


@leaf
def _gain(
    words: Lexicon, board: Board, n_kinds: int, naming: float
) -> tuple[float, float, int, int]:
    """Return what `_compare` does for the register whose values are on the board."""
    n_touched = _list_left(board, _move(board, n_kinds))
    _sum_up(words, board, n_touched)
    _wipe(words, board, n_touched)
    return _compare(words, board, n_touched, naming)


@leaf
def _sum_alone(alone: Parts) -> tuple[float, int, int]:
    """Return F without a register and without structure, and the numbers of states and groups."""
    total, used, groups = 0.0, 0, 0
    for q in range(alone.used.size):
        total += alone.terms[q]
        used += alone.used[q]
        groups += alone.groups[q]
    return total, used, groups


@leaf
def judge_registers(
    log: Log,
    words: Lexicon,
    board: Board,
    state: Integers,
    counted: Flags,
    reset: Flags,
    most: Longs,
    values: Floats,
) -> None:
    """Fill in F for every row (counted, reset) and every size up to `most` of that row.

    values: float64[n_rows, sizes, 2, 2], for saturating and wrapping; in the end F, and what could
    be gained if the states to which it means nothing were not split. What is not judged
    is left as it was. A register that never gets so far is the same as a smaller one, and one that
    never gets further wraps in vain.
    """
    shape = (board.alone.used.size, board.counts.shape[1])
    room = board.counts.shape[0] // shape[0]
    alone, n_used, n_groups = _sum_alone(board.alone)
    naming = words.share * words.unit * math.log(n_used + 1.0)
    for i in range(counted.shape[0]):
        n_kinds, largest = list_kinds(log, state, shape, counted[i], reset[i], board.kinds)
        for size in range(2, min(most[i], room, largest + 1) + 1):
            for wrap in range(1 if size == largest + 1 else 2):
                count_up(size, wrap == 1, board.value[: largest + 1])
                gain, hope, used, groups = _gain(words, board, n_kinds, naming)
                used, groups = n_used + used, n_groups + groups
                # All edges of a group are taken to lead to one state: that is nearly so.
                cost = structure_cost(words, used, groups, groups)
                values[i, size, wrap, 0] = alone + gain - cost
                values[i, size, wrap, 1] = hope
