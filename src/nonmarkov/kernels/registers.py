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
from nonmarkov.kernels.counters import value_after
from nonmarkov.kernels.evidence import (
    NOWHERE,
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

SLOTS = 4  # places for steps of one kind, times the steps


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
    touched: Integers  # (B,), entries of `counts` that a register changes
    moved: Integers  # (N,), entries of steps after events
    tally: Integers  # (N,), how many events there were before them
    weight: Integers  # (N,), how many steps there are of the same kind
    slot: Integers  # (T,), where steps of one kind are listed, or NOWHERE
    parts: "Parts"  # of F that belong to the states, with a register; clear between registers
    seen: Rows  # the counts without a register
    alone: "Parts"  # the same as `parts`, without a register


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
        np.full(steps + seen.symbol.size, zero),
        np.full(steps, zero),
        np.full(steps, zero),
        np.full(steps, zero),
        np.full(SLOTS * steps, np.int32(NOWHERE)),
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
def _find_moved(
    log: Log, board: Board, state: Integers, counted: Flags, reset: Flags
) -> tuple[int, int]:
    """List the steps before which there were events, since it last went back, and how many.

    Steps with the same symbol in the same state, after equally many events, are listed as one; if
    there were very many events, alone. Return the length of the list, and the most events.
    """
    n_symbols, n_moved, largest = board.counts.shape[1], 0, 0
    cells = board.parts.used.size * n_symbols
    for episode in range(log.starts.size - 1):
        n = 0
        for step in range(log.starts[episode], log.starts[episode + 1]):
            s = log.symbols[step]
            if n > 0:
                largest = max(largest, n)
                n_moved = _list_step(board, n_moved, state[step] * n_symbols + s, n, cells)
            n = 0 if reset[s] else n + counted[s]
    for i in range(n_moved):
        kind = board.tally[i] * cells + board.moved[i]
        if kind < board.slot.size:
            board.slot[kind] = NOWHERE
    return n_moved, largest


@leaf
def _list_step(board: Board, n_moved: int, entry: int, tally: int, cells: int) -> int:
    """Add a step to the list of those moved; return how long that is now."""
    kind = tally * cells + entry
    if kind < board.slot.size:
        if board.slot[kind] >= 0:
            board.weight[board.slot[kind]] += 1
            return n_moved
        board.slot[kind] = n_moved
    board.moved[n_moved] = entry
    board.tally[n_moved] = tally
    board.weight[n_moved] = 1
    return n_moved + 1


@leaf
def _move(board: Board, n_moved: int, size: int, wrap: bool) -> int:
    """Move steps after events to where they belong; return how many entries get something."""
    counts, n_states, n_symbols = board.counts, board.parts.used.size, board.counts.shape[1]
    n_touched = 0
    for i in range(n_moved):
        value = value_after(board.tally[i], size, wrap)
        if value == 0:
            continue
        at = value * n_states * n_symbols + board.moved[i]
        row, s = at // n_symbols, at % n_symbols
        if counts[row, s] == 0:
            board.touched[n_touched] = at
            n_touched += 1
        counts[row, s] += board.weight[i]
    for at in board.touched[:n_touched]:
        row, s = at // n_symbols, at % n_symbols
        counts[row % n_states, s] -= counts[row, s]
    return n_touched


@leaf
def _list_entries(board: Board, q: int, n_touched: int) -> int:
    """Add the entries of a state to those touched; return how many there are now."""
    first, n_symbols = board.seen.first, board.counts.shape[1]
    for i in range(first[q, 0], first[q, first.shape[1] - 1]):
        board.touched[n_touched] = q * n_symbols + board.seen.symbol[i]
        n_touched += 1
    return n_touched


@leaf
def _list_left(board: Board, n_touched: int) -> int:
    """Add the entries of the states that steps have left; return how many entries there are."""
    n_states, n_symbols, n = board.parts.used.size, board.counts.shape[1], n_touched
    for at in board.touched[:n_touched]:
        q = (at // n_symbols) % n_states
        if board.visits[q] == 0:  # for the time being, a mark
            board.visits[q] = 1
            n = _list_entries(board, q, n)
    for at in board.touched[:n_touched]:
        board.visits[(at // n_symbols) % n_states] = 0
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
    parts, n_symbols = board.parts, board.counts.shape[1]
    for at in board.touched[:n_touched]:
        q, s = at // n_symbols, at % n_symbols
        n, a, origin = board.counts[q, s], words.action[s], q % parts.used.size
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
    n_states, n_symbols = board.parts.used.size, board.counts.shape[1]
    for at in board.touched[:n_touched]:
        q, s = at // n_symbols, at % n_symbols
        if q >= n_states:
            board.counts[q % n_states, s] += board.counts[q, s]
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
        board.parts.terms[q % n_states] += total


@leaf
def _compare(
    words: Lexicon, board: Board, n_touched: int, naming: float
) -> tuple[float, float, int, int]:
    """Return what the register that was summed up adds to F but for its structure, and clear it.

    Then what it would add in all if the states that gain nothing were not split, and by how
    much there are more states and groups. naming: what one link costs.
    """
    gain, hope, used, groups = 0.0, 0.0, 0, 0
    parts, alone, n_symbols = board.parts, board.alone, board.counts.shape[1]
    for at in board.touched[:n_touched]:
        q = (at // n_symbols) % alone.used.size
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
    words: Lexicon, board: Board, n_moved: int, size: int, wrap: bool, naming: float
) -> tuple[float, float, int, int]:
    """Return what `_compare` does for the register of some size."""
    n_touched = _list_left(board, _move(board, n_moved, size, wrap))
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
    room = board.counts.shape[0] // board.alone.used.size
    alone, n_used, n_groups = _sum_alone(board.alone)
    naming = words.share * words.unit * math.log(n_used + 1.0)
    for i in range(counted.shape[0]):
        n_moved, largest = _find_moved(log, board, state, counted[i], reset[i])
        for size in range(2, min(most[i], room, largest + 1) + 1):
            for wrap in range(1 if size == largest + 1 else 2):
                found = _gain(words, board, n_moved, size, wrap == 1, naming)
                gain, hope, used, groups = found
                used, groups = n_used + used, n_groups + groups
                # All edges of a group are taken to lead to one state: that is nearly so.
                cost = structure_cost(words, used, groups, groups)
                values[i, size, wrap, 0] = alone + gain - cost
                values[i, size, wrap, 1] = hope
