"""A process and an automaton side by side.

A policy with finite memory is a Markov policy on the pairs (process state, memory). Everything
that is exact for Markov policies is therefore exact for any policy that an automaton can follow.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from nonmarkov.core.automaton import UNDEFINED, Automaton
from nonmarkov.exact.tables import PADDING, Tables


@dataclass(frozen=True)
class Product:
    """The reachable pairs, numbered in breadth-first order: pair 0 is where it starts."""

    tables: Tables
    states: NDArray[np.int64]  # (N,), process state of every pair
    memory: NDArray[np.int64]  # (N,), automaton state of every pair, or UNDEFINED


def product(tables: Tables, automaton: Automaton, start: tuple[int, int] | None = None) -> Product:
    """Return the pairs reachable from `start`, by default from both beginnings.

    The automaton must read the symbols of the process: use `Automaton.over` first.
    """
    codes = automaton.n_states + 1  # of memories; UNDEFINED is 0
    state, memory = start or (tables.start, automaton.start)
    begin = state * codes + memory - UNDEFINED
    number, level = {begin: 0}, np.array([begin])
    moves = []
    while level.size > 0:
        after = _after(tables, automaton, level // codes, level % codes + UNDEFINED)
        padding = tables.outcome[level // codes] == PADDING
        numbers, level = _number(number, np.where(padding, begin, after))
        moves.append(numbers)
    pairs = np.array(list(number), dtype=np.int64)
    states, memories = pairs // codes, pairs % codes + UNDEFINED
    paired = replace(
        tables,
        probability=tables.probability[states],
        outcome=tables.outcome[states],
        successor=np.concatenate(moves).astype(np.int32),
        termination=tables.termination[states],
        start=0,
    )
    return Product(paired, states, memories)


def _after(
    tables: Tables, automaton: Automaton, states: NDArray[np.int64], memory: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the codes of the pairs that follow, (N, A, B)."""
    outcome = tables.outcome[states].astype(np.int64)
    symbols = np.arange(tables.n_actions)[:, None] * (automaton.alphabet.n_outcomes + 1) + outcome
    after = automaton.successors(np.broadcast_to(memory[:, None, None], symbols.shape), symbols)
    return tables.successor[states].astype(np.int64) * (automaton.n_states + 1) + after - UNDEFINED


def _number(
    number: dict[int, int], codes: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Give new codes numbers, in the order in which they turn up; return all numbers, and those."""
    distinct, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    new = [code for code in distinct[np.argsort(first)].tolist() if code not in number]
    number.update(zip(new, range(len(number), len(number) + len(new)), strict=True))
    numbers = np.array([number[code] for code in distinct.tolist()])
    return numbers[inverse].reshape(codes.shape), np.array(new, dtype=np.int64)
