"""Moves: point a block of edges at another state, and see what that does to F."""

import numpy as np

from nonmarkov.kernels.evidence import (
    GROUPS,
    LINKS,
    NOWHERE,
    USED,
    Draft,
    Flags,
    Floats,
    Integers,
    Lexicon,
    Log,
    cell_evidence,
    choice_cost,
    count,
    edges_of,
    group_links,
    half_log_gamma,
    recount,
    structure_cost,
    uncount,
)
from nonmarkov.kernels.jit import leaf
from nonmarkov.kernels.redirection import (
    FEW,
    MORE,
    forget_hits,
    list_hits,
    place,
    point,
    point_back,
    redirect,
)
from nonmarkov.kernels.scratch import Marks, Scratch

STAGES = 3
MOST = FEW * MORE ** (STAGES - 1)
HOPELESS = -30.0  # nats lost on those, beyond which a move is not followed any further


@leaf
def _mark(marks: Marks, n: int, number: int) -> int:
    """Add a number to a set of n; return how many there are now."""
    if marks.seen[number]:
        return n
    marks.seen[number] = True
    marks.items[n] = number
    return n + 1


@leaf
def _list_groups(
    leader: Integers, ends: Flags, counts: Integers, change: Integers, edges: Integers,
    marks: Marks, n_groups: int, always: bool,
) -> int:  # fmt: skip
    """Add the groups (q, ·, y) of the edges whose links may change; return their number.

    always: even if no edge appears or vanishes.
    """
    n_symbols = counts.shape[1]
    for edge in edges:
        q, s = place(edge, n_symbols)
        if ends[s]:
            continue
        steady = counts[q, s] > 0 and counts[q, s] + change[q, s] > 0
        if always or not steady:
            n_groups = _mark(marks, n_groups, edge - s + leader[s])
    return n_groups


@leaf
def _sum_links(
    twin: Integers, successor: Integers, counts: Integers, change: Integers, groups: Integers,
    row: Integers, sign: int,
) -> tuple[int, int]:  # fmt: skip
    """Return the links of some groups, and how many are observed, with all changes as they are.

    Add those observed, times `sign`, to the changes of their states.
    """
    n_symbols, links, observed = successor.shape[1], 0, 0
    for group in groups:
        q, leader = place(group, n_symbols)
        n = group_links(twin, successor, counts, change, q, leader)
        links += n
        observed += n > 0
        row[q, 2] += sign * (n > 0)
    return links, observed


@leaf
def _term(table: Floats, n: int) -> float:
    """Return what the count of an outcome adds to F."""
    return half_log_gamma(table, 2 * n + 1) if n > 0 else 0.0


@leaf
def _settle_counts(
    action: Integers, ends: Flags, table: Floats, counts: Integers, change: Integers,
    touched: Integers, cell: Integers, cells: Marks,
) -> tuple[float, int]:  # fmt: skip
    """Return the change of the terms of counts; sum up changes of cells, and return how many."""
    n_symbols, n_actions = counts.shape[1], cell.shape[0] // counts.shape[0]
    gain, n_cells = 0.0, np.int64(0)
    for entry in touched:
        q, s = place(entry, n_symbols)
        by = change[q, s]
        if by == 0:
            continue
        change[q, s] = 0
        at = q * n_actions + action[s]
        n_cells = _mark(cells, n_cells, at)
        if ends[s]:
            cell[at, 1] += by
            continue
        was, now = counts[q, s], counts[q, s] + by
        gain += _term(table, now) - _term(table, was)
        cell[at, 0] += by
        cell[at, 2] += int(was == 0) - int(now == 0)
    return gain, n_cells


@leaf
def _cell_gain(words: Lexicon, draft: Draft, by: Integers, q: int, a: int) -> float:
    """Return the change of the other terms of a cell; (3,), changes of its numbers."""
    tries, endings = draft.tries[q, a] + by[0], draft.endings[q, a] + by[1]
    return cell_evidence(words, tries, endings, draft.support[q, a] + by[2]) - draft.worth[q, a]


@leaf
def _settle_cells(
    words: Lexicon, draft: Draft, cell: Integers, cells: Marks, row: Integers, n_cells: int
) -> float:
    """Return the change of the other terms of the cells; sum up the changes of their states."""
    n_actions, gain = draft.tries.shape[1], 0.0
    for at in cells.items[:n_cells]:
        q, a = place(at, n_actions)
        gain += _cell_gain(words, draft, cell[at], q, a)
        row[q, 0] += cell[at, 0] + cell[at, 1]
        row[q, 1] += cell[at, 2]
    return gain


@leaf
def _weigh_cells(words: Lexicon, draft: Draft, cell: Integers, cells: Marks, n_cells: int) -> float:
    """Return the change of the other terms of the cells; clear them."""
    n_actions, gain = draft.tries.shape[1], 0.0
    for at in cells.items[:n_cells]:
        gain += _cell_gain(words, draft, cell[at], *place(at, n_actions))
        cell[at] = 0
        cells.seen[at] = False
    return gain


@leaf
def _settle_rows(
    words: Lexicon, draft: Draft, cell: Integers, cells: Marks, row: Integers, n_cells: int
) -> tuple[int, float]:
    """Return the changes of the number of used states, and of what choices cost; clear all."""
    states, cost = 0, 0.0
    for at in cells.items[:n_cells]:
        q, _ = place(at, draft.tries.shape[1])
        cell[at] = 0
        cells.seen[at] = False
        if row[q, 0] == 0 and row[q, 1] == 0 and row[q, 2] == 0:
            continue
        states += int(draft.visits[q] == 0) - int(draft.visits[q] + row[q, 0] == 0)
        edges = edges_of(draft.support, q)
        cost += choice_cost(words, edges + row[q, 1], draft.groups[q] + row[q, 2])
        cost -= choice_cost(words, edges, draft.groups[q])
        row[q] = 0
    return states, cost


@leaf
def _glance(
    log: Log, words: Lexicon, draft: Draft, scratch: Scratch, n_block: int, target: int, most: int,
    copied: int,
) -> tuple[float, int]:  # fmt: skip
    """Return what F gains by few steps along the block, but for its structure, and the cost."""
    n_touched, walked = redirect(log, words, draft, scratch, n_block, target, most, copied)
    gain, n_cells = _settle_counts(
        words.action, words.ends, words.log_gamma, draft.counts, scratch.change,
        scratch.touched[:n_touched], scratch.cell, scratch.cells,
    )  # fmt: skip
    return gain + _weigh_cells(words, draft, scratch.cell, scratch.cells, n_cells), walked


@leaf
def _settle(
    log: Log, words: Lexicon, draft: Draft, scratch: Scratch, n_block: int, target: int, copied: int
) -> tuple[float, int]:
    """Return what F gains now that the block leads to `target`, and the steps walked.

    Let it lead back.
    """
    successor, counts, change = draft.successor, draft.counts, scratch.change
    block, groups, most = scratch.block[:n_block], scratch.groups, log.symbols.size
    n_touched, walked = redirect(log, words, draft, scratch, n_block, target, most, copied)
    touched = scratch.touched[:n_touched]
    n = _list_groups(words.leader, words.ends, counts, change, block, groups, np.int64(0), True)
    n = _list_groups(words.leader, words.ends, counts, change, touched, groups, n, False)
    listed = groups.items[:n]
    links, observed = _sum_links(words.twin, successor, counts, change, listed, scratch.row, 1)
    gain, n_cells = _settle_counts(
        words.action, words.ends, words.log_gamma, counts, change, touched, scratch.cell,
        scratch.cells,
    )  # fmt: skip
    gain += _settle_cells(words, draft, scratch.cell, scratch.cells, scratch.row, n_cells)
    point_back(successor, block, scratch.old)
    before = _sum_links(words.twin, successor, counts, change, listed, scratch.row, -1)
    for group in listed:
        groups.seen[group] = False
    states, cost = _settle_rows(words, draft, scratch.cell, scratch.cells, scratch.row, n_cells)
    used, n_links, n_groups = draft.sizes[USED], draft.sizes[LINKS], draft.sizes[GROUPS]
    cost -= structure_cost(words, used, n_links, n_groups)
    n_links, n_groups = n_links + links - before[0], n_groups + observed - before[1]
    cost += structure_cost(words, used + states, n_links, n_groups)
    return gain - cost, walked


@leaf
def try_move(
    log: Log, words: Lexicon, draft: Draft, scratch: Scratch, n_block: int, target: int, size: int,
    copied: int,
) -> tuple[float, int]:  # fmt: skip
    """Return what F would gain if the block led to `target`, and the steps walked to find out.

    size: how often the block is passed; copied: as in `redirect`. A move that fails clearly on
    few of these steps is not followed through all of them. How it does on few also says on how
    many it would fail clearly.
    """
    walked, few, expected = 0, FEW, -np.inf
    point(draft.successor, scratch.block[:n_block], scratch.old, target)
    for _ in range(STAGES):
        if size > 2 * few and expected < HOPELESS:
            expected, more = _glance(log, words, draft, scratch, n_block, target, few, copied)
            walked += more
            if expected < HOPELESS:
                point_back(draft.successor, scratch.block[:n_block], scratch.old)
                return expected * (MOST / few), walked  # about what it loses on so many
        few *= MORE
        expected *= MORE
    gain, more = _settle(log, words, draft, scratch, n_block, target, copied)
    return gain, walked + more


@leaf
def make_move(
    log: Log, words: Lexicon, draft: Draft, scratch: Scratch, n_block: int, target: int
) -> int:
    """Let the block lead to `target`; return how many states changed, in statistics or edges.

    They are listed in `scratch.rows`.
    """
    n_rows = np.int64(0)
    for edge in scratch.block[:n_block]:
        n_rows = _mark(scratch.rows, n_rows, edge // draft.successor.shape[1])
    trail, block, steps = scratch.trail, scratch.block[:n_block], log.symbols.size
    list_hits(log.episode, draft, trail, block, steps)
    point(draft.successor, block, scratch.old, target)
    episode, step = NOWHERE, 0
    for hit in trail.hits[: trail.size[0]]:
        if log.episode[hit] == episode and hit < step:
            continue  # it is another edge now
        episode, step, q = log.episode[hit], hit + 1, target
        while step < log.starts[episode + 1] and draft.state[step] != q:
            s, p = log.symbols[step], draft.state[step]
            uncount(words.action, words.ends, draft, p, s, step)
            count(words.action, words.ends, draft, q, s, step)
            draft.state[step] = q
            n_rows = _mark(scratch.rows, n_rows, p)
            n_rows = _mark(scratch.rows, n_rows, q)
            q = q if words.ends[s] else draft.successor[q, s]
            step += 1
    forget_hits(trail)
    for q in scratch.rows.items[:n_rows]:
        recount(words, draft, scratch.change, q)
        scratch.rows.seen[q] = False
    return n_rows
