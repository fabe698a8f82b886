"""Registers beside an automaton: counters, clocks and latches that may explain the log better.

A register counts the events of one class of symbols, modulo c or up to c - 1, and goes back to 0
at the events of another class. Modulo c it is a clock, up to 1 a latch. The product of states and
register is judged by its F; for that, nothing but the steps after events must be moved. And it is
judged by what F could be if the states that gain nothing were not split.
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
    """The B entries of Q states, that is what was seen in them, by the V values of a register."""

    seen: Rows  # the entries, state by state
    state: Integers  # (B,), the state of an entry
    earlier: Integers  # (B,), the entry before it with the same state and outcome, or NOWHERE
    entry: Integers  # (N,), the entry of a step
    kinds: Kinds  # the steps after events
    split: Marks  # of Q states: those in which there are such steps
    value: Integers  # (N + 1,), of the register, after so many events
    table: Integers  # (V, B), counts
    alone: "Parts"  # of F, without a register


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
    table = np.zeros((n_values, seen.symbol.size), dtype=np.int32)
    kinds = make_kinds(n_steps)
    board = Board(seen, state, earlier, entry[:n_steps], kinds, marks, value, table, alone)
    _number_entries(log, words, draft.state, np.full((n_states, n_symbols), NOWHERE), board)
    table[0] = seen.count
    for q in range(n_states):
        alone.terms[q], alone.used[q], alone.groups[q] = _parts(words, board, q, 1)
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
def _parts(words: Lexicon, board: Board, q: int, n_values: int) -> tuple[float, int, int]:
    """Return what a state adds to F but for its structure, split by the values of a register.

    Then how many states it becomes, and how many groups these have.
    """
    seen, terms, used, groups = board.seen, 0.0, 0, 0
    for value in range(n_values):
        counts, visits, edges, observed = board.table[value], 0, 0, 0
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
                observed += _is_first(board.earlier, counts, i)
                terms += half_log_gamma(words.log_gamma, 2 * n + 1)
            terms += cell_evidence(words, tries, endings, support)
            visits += tries + endings
            edges += support
        if visits > 0:
            terms -= choice_cost(words, edges, observed)
            used += 1
            groups += observed
    return terms, used, groups


@leaf
def _list_split(board: Board, n_kinds: int) -> int:
    """List the states in which there are steps after events; return how many there are."""
    seen, items = board.split
    n_split = 0
    for entry in board.kinds.entry[:n_kinds]:
        q = board.state[entry]
        if not seen[q]:
            seen[q] = True
            items[n_split] = q
            n_split += 1
    for q in items[:n_split]:
        seen[q] = False
    return n_split


@leaf
def _fill_table(board: Board, n_kinds: int, size: int) -> None:
    """Fill in the counts by the values of a register, of which there are so many."""
    table, kinds = board.table, board.kinds
    for i in range(table.shape[1]):
        table[0, i] = board.seen.count[i]
    for value in range(1, size):
        for i in range(table.shape[1]):
            table[value, i] = 0
    for i in range(n_kinds):
        entry, weight = kinds.entry[i], kinds.weight[i]
        table[0, entry] -= weight
        table[board.value[kinds.tally[i]], entry] += weight


@leaf
def _gain(
    words: Lexicon, board: Board, n_split: int, size: int, naming: float
) -> tuple[float, float, int, int]:
    """Return what the register whose counts are on the board adds to F but for its structure.

    Then what it would add in all if the states that gain nothing were not split, and by how
    much there are more states and groups. naming: what one link costs.
    """
    gain, hope, used, groups = 0.0, 0.0, 0, 0
    alone = board.alone
    for q in board.split.items[:n_split]:
        terms, states, observed = _parts(words, board, q, size)
        more, states = terms - alone.terms[q], states - alone.used[q]
        observed -= alone.groups[q]
        gain, used, groups = gain + more, used + states, groups + observed
        cost = naming * (states + observed) + words.share * words.price * observed
        hope += max(0.0, more - cost)
    return gain, hope, used, groups


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
    room, n_entries = board.table.shape
    alone, n_used, n_groups = _sum_alone(board.alone)
    naming = words.share * words.unit * math.log(n_used + 1.0)
    for i in range(counted.shape[0]):
        n_kinds, largest = list_kinds(
            log, board.entry, n_entries, counted[i], reset[i], board.kinds
        )
        n_split = _list_split(board, n_kinds)
        hopeful = False
        for size in range(2, min(most[i], room, largest + 1) + 1):
            if size > glance and not hopeful:
                break
            for wrap in range(1 if size == largest + 1 else 2):
                count_up(size, wrap == 1, board.value[: largest + 1])
                _fill_table(board, n_kinds, size)
                gain, hope, used, groups = _gain(words, board, n_split, size, naming)
                used, groups = n_used + used, n_groups + groups
                # All edges of a group are taken to lead to one state: that is nearly so.
                cost = structure_cost(words, used, groups, groups)
                values[i, size, wrap, 0] = alone + gain - cost
                values[i, size, wrap, 1] = hope
                hopeful |= hope > 0.0
