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
    width = automaton.alphabet.n_outcomes + 1
    first = start or (tables.start, automaton.start)
    index, pairs = {first: 0}, [first]
    moves: list[list[list[int]]] = []
    outcomes, successors = tables.outcome.tolist(), tables.successor.tolist()
    for state, memory in pairs:
        rows = []
        for action in range(tables.n_actions):
            row = []
            for outcome, successor in zip(
                outcomes[state][action], successors[state][action], strict=True
            ):
                if outcome == PADDING:
                    row.append(0)
                    continue
                pair = (
                    successor,
                    automaton.table.get((memory, action * width + outcome), UNDEFINED),
                )
                if pair not in index:
                    index[pair] = len(pairs)
                    pairs.append(pair)
                row.append(index[pair])
            rows.append(row)
        moves.append(rows)
    states, memories = np.array(pairs, dtype=np.int64).T
    paired = replace(
        tables,
        probability=tables.probability[states],
        outcome=tables.outcome[states],
        successor=np.array(moves, dtype=np.int32).reshape(len(pairs), *tables.outcome.shape[1:]),
        termination=tables.termination[states],
        start=0,
    )
    return Product(paired, states, memories)
