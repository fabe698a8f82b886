"""Registers beside an automaton: counters, clocks and latches that may explain the log better.

A register counts the events of one class of symbols, modulo c or up to c - 1, and goes back to 0
at the events of another class. Modulo c it is a clock, up to 1 a latch. The product of states and
register is judged by its F; for that, nothing but the steps after events must be moved. And it is
judged by what F could be if the states that gain nothing were not split.

All registers for the same events count the same tallies. What a tally adds to F is found out once,
and used by all registers that have a value for this tally alone.
"""

import math
from typing import NamedTuple

import numpy as np

from nonmarkov.kernels.continuations import Rows, states_seen
from nonmarkov.kernels.counters import count_up
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
    half_log_gamma,
    structure_cost,
)
from nonmarkov.kernels.jit import jit, leaf
from nonmarkov.kernels.kinds import Kinds, list_kinds, make_kinds
from nonmarkov.kernels.scratch import Marks


class Board(NamedTuple):
    """The B entries of Q states, that is what was seen in them; V values of a register at most."""

    seen: Rows  # the entries, state by state
    state: Integers  # (B,), the state of an entry
    earlier: Integers  # (B,), the entry before it with the same state and outcome, or NOWHERE
    entry: Integers  # (N,), the entry of a step
    kinds: Kinds  # of steps
    split: Marks  # of Q states: those in which there are steps after events
    value: Integers  # (N + 1,), of the register, after so many events
    tallied: Integers  # (V, B), counts after so many events
    rest: Integers  # (1, B), counts after at least so many
    table: Integers  # (V, B), counts by the value of a register
    alone: "Parts"  # of F without a register, by state
    below: "Parts"  # (V + 1, Q), of F by tallies, the sum of those below


class Parts(NamedTuple):
    """What Q states add to F."""

    terms: Floats  # (Q,), but for its structure
    used: Integers  # (Q,), how many states they become
    groups: Integers  # (Q,), how many groups these have


@jit
def make_board(log: Log, words: Lexicon, draft: Draft, n_values: int) -> Board:
    """Return the board of an automaton, for registers of so many values at most."""
    (n_states, n_symbols), n_steps = draft.counts.shape, log.symbols.size
    seen = states_seen(words, draft)
    state, earlier = np.zeros((2, seen.symbol.size), dtype=np.int32)
    entry, value = np.zeros((2, n_steps + 1), dtype=np.int32)
    split, used, groups = np.zeros((3, n_states), dtype=np.int32)
    marks = Marks(np.zeros(n_states, dtype=np.bool_), split)
    alone = Parts(np.zeros(n_states), used, groups)
    used_below, groups_below = np.zeros((2, n_values + 1, n_states), dtype=np.int32)
    below = Parts(np.zeros((n_values + 1, n_states)), used_below, groups_below)
    tallied, table = np.zeros((2, n_values, seen.symbol.size), dtype=np.int32)
    rest = np.zeros((1, seen.symbol.size), dtype=np.int32)
    board = Board(
        seen, state, earlier, entry[:n_steps], make_kinds(n_steps), marks, value, tallied, rest,
        table, alone, below,
    )  # fmt: skip
    _number_entries(log, words, draft.state, np.full((n_states, n_symbols), NOWHERE), board)
    for q in range(n_states):
        alone.terms[q], alone.used[q], alone.groups[q] = _parts(words, board, seen.count, q)
    return board


@leaf
def _number_entries(log: Log, words: Lexicon, state: Integers, number: Longs, board: Board) -> None:
    """Fill in the states of entries, the entries before them, and those of steps.

    number: (Q, S), NOWHERE.
    """
    first, symbol = board.seen.first, board.seen.symbol
    for q in range(first.shape[0]):
        for i in range(first[q, 0], first[q, first.shape[1] - 1]):
            leader = words.leader[symbol[i]]
            board.state[i] = q
            board.earlier[i] = number[q, leader]
            number[q, leader] = i
    for q in range(first.shape[0]):
        for i in range(first[q, 0], first[q, first.shape[1] - 1]):
            number[q, symbol[i]] = i
    for step in range(log.symbols.size):
        board.entry[step] = number[state[step], log.symbols[step]]


@leaf
def _is_first(earlier: Integers, counts: Integers, entry: int) -> bool:
    """Return whether no earlier entry of the same state and outcome has a count."""
    other = earlier[entry]
    while other >= 0:
        if counts[other] > 0:
            return False
        other = earlier[other]
    return True


@leaf
def _parts(words: Lexicon, board: Board, counts: Integers, q: int) -> tuple[float, int, int]:
    """Return what a state with such counts of its entries adds to F but for its structure.

    Then whether it is used at all, and how many groups it has.
    """
    seen, terms, visits, edges, groups = board.seen, 0.0, 0, 0, 0
    for a in range(words.first.size - 1):
        tries, endings, support = 0, 0, 0
        for i in range(seen.first[q, a], seen.first[q, a + 1]):
            n = counts[i]
            if n == 0:
                continue
            if words.ends[seen.symbol[i]]:
                endings += n
                continue
            tries += n
            support += 1
            groups += _is_first(board.earlier, counts, i)
            terms += half_log_gamma(words.log_gamma, 2 * n + 1)
        terms += cell_evidence(words, tries, endings, support)
        visits += tries + endings
        edges += support
    return terms - choice_cost(words, edges, groups), int(visits > 0), groups


@leaf
def _list_split(board: Board, n_kinds: int) -> tuple[int, int]:
    """List the states in which there are steps after events; return how many there are.

    And the most events.
    """
    seen, items = board.split
    n_split, largest = 0, 0
    for i in range(n_kinds):
        q, tally = board.state[board.kinds.entry[i]], board.kinds.tally[i]
        largest = max(largest, tally)
        if tally > 0 and not seen[q]:
            seen[q] = True
            items[n_split] = q
            n_split += 1
    for q in items[:n_split]:
        seen[q] = False
    return n_split, largest


@leaf
def _list_tallies(log: Log, board: Board, counted: Flags, reset: Flags) -> tuple[int, int, int]:
    """List the kinds of steps and the states in which there are steps after events.

    Return how many there are of both, and the most events; the value of a tally is the tally.
    """
    n_kinds = list_kinds(
        log, board.entry, board.seen.count, counted, reset, board.kinds, board.rest[0]
    )
    n_split, largest = _list_split(board, n_kinds)
    count_up(largest + 1, False, board.value[: largest + 1])
    return n_kinds, n_split, largest


@leaf
def _fill(kinds: Kinds, n_kinds: int, value: Integers, table: Integers, n_rows: int) -> None:
    """Fill in the counts by value, those of the first values; (tallies,), the value of each."""
    for row in range(n_rows):
        for i in range(table.shape[1]):
            table[row, i] = 0
    for i in range(n_kinds if n_rows > 0 else 0):
        row = value[kinds.tally[i]]
        if row < n_rows:
            table[row, kinds.entry[i]] += kinds.weight[i]


@leaf
def _leave_out(board: Board, tally: int) -> None:
    """Leave a tally out of the rest; the first of all begins a new one."""
    for i in range(board.rest.shape[1]):
        before = board.seen.count[i] if tally == 0 else board.rest[0, i]
        board.rest[0, i] = before - board.tallied[tally, i]


@leaf
def _sum_up(words: Lexicon, board: Board, n_split: int, tally: int) -> None:
    """Sum up what the tallies up to this one add to F; those below have been summed up."""
    terms, used, groups = board.below
    for q in board.split.items[:n_split]:
        parts = _parts(words, board, board.tallied[tally], q)
        terms[tally + 1, q] = terms[tally, q] + parts[0]
        used[tally + 1, q] = used[tally, q] + parts[1]
        groups[tally + 1, q] = groups[tally, q] + parts[2]


@leaf
def _gain(
    words: Lexicon, board: Board, table: Integers, n_rows: int, first: int, last: int,
    n_split: int, naming: float,
) -> tuple[float, float, int, int]:  # fmt: skip
    """Return what a register adds to F but for its structure.

    Then what it would add in all if the states that gain nothing were not split, and by how
    much there are more states and groups. Some of its values have counts in a table; the others
    stand for one tally each, from the first of them to before the last. naming: what one link
    costs.
    """
    gain, hope, more_used, more_groups = 0.0, 0.0, 0, 0
    alone, below = board.alone, board.below
    for q in board.split.items[:n_split]:
        terms = below.terms[last, q] - below.terms[first, q] - alone.terms[q]
        used = below.used[last, q] - below.used[first, q] - alone.used[q]
        groups = below.groups[last, q] - below.groups[first, q] - alone.groups[q]
        for row in range(n_rows):
            parts = _parts(words, board, table[row], q)
            terms, used, groups = terms + parts[0], used + parts[1], groups + parts[2]
        gain, more_used, more_groups = gain + terms, more_used + used, more_groups + groups
        cost = naming * (used + groups) + words.share * words.price * groups
        hope += max(0.0, terms - cost)
    return gain, hope, more_used, more_groups


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
def _gain_of(
    words: Lexicon, board: Board, n_kinds: int, n_split: int, largest: int, size: int, wrap: bool,
    naming: float,
) -> tuple[float, float, int, int]:  # fmt: skip
    """Return what `_gain` says of a register, of which there are kinds up to the largest tally."""
    if not wrap:
        return _gain(words, board, board.rest, 1, 0, size - 1, n_split, naming)
    shared = min(size, largest + 1 - size)  # values for more than one tally
    count_up(size, True, board.value[: largest + 1])
    _fill(board.kinds, n_kinds, board.value, board.table, shared)
    return _gain(words, board, board.table, shared, shared, size, n_split, naming)


@leaf
def judge_registers(
    log: Log,
    words: Lexicon,
    board: Board,
    counted: Flags,
    reset: Flags,
    most: Longs,
    glance: int,
    values: Floats,
) -> None:
    """Fill in F for every row (counted, reset) and every size up to `most` of that row.

    glance: size beyond which a row is judged only if there is hope for a smaller one.

    values: float64[n_rows, sizes, 2, 2], for saturating and wrapping; in the end F, and what could
    be gained if the states to which it means nothing were not split. What is not judged
    is left as it was. A register that never gets so far is the same as a smaller one, and one that
    never gets further wraps in vain.
    """
    alone, n_used, n_groups = _sum_alone(board.alone)
    naming = words.share * words.unit * math.log(n_used + 1.0)
    for i in range(counted.shape[0]):
        n_kinds, n_split, largest = _list_tallies(log, board, counted[i], reset[i])
        n_sizes = min(most[i], len(board.table), largest + 1)
        _fill(board.kinds, n_kinds, board.value, board.tallied, n_sizes)
        _sum_up(words, board, n_split, 0)
        hopeful = False
        for size in range(2, n_sizes + 1):
            if size > glance and not hopeful:
                break
            _leave_out(board, size - 2)
            _sum_up(words, board, n_split, size - 1)
            for wrap in range(1 if size == largest + 1 else 2):
                gain, hope, used, groups = _gain_of(
                    words, board, n_kinds, n_split, largest, size, wrap == 1, naming
                )
                used, groups = n_used + used, n_groups + groups
                # All edges of a group are taken to lead to one state: that is nearly so.
                cost = structure_cost(words, used, groups, groups)
                values[i, size, wrap, 0] = alone + gain - cost
                values[i, size, wrap, 1] = hope
                hopeful |= hope > 0.0
