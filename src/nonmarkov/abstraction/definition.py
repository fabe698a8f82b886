"""The definition of a Markov abstraction, checked exactly.

Definition 1 of the paper: α is a Markov abstraction if α(h1) = α(h2) implies
D(·|h1,a) = D(·|h2,a) for every action a. The histories are infinitely many, but D depends only
on the hidden state, so it is enough to look at the pairs (hidden state, automaton state) that
some history reaches. A partial abstraction is checked on the histories it has safe states for.
"""

from dataclasses import dataclass

import numpy as np

from nonmarkov.core import Automaton, RegularProcess
from nonmarkov.core.alphabet import Outcome, Symbol
from nonmarkov.core.histories import dynamics
from nonmarkov.core.product import Product
from nonmarkov.errors import AlphabetError, InvalidParameterError, NotMarkovError
from nonmarkov.exact.minimisation import outcome_rows
from nonmarkov.exact.tables import PADDING
from nonmarkov.labels import Label, listing


@dataclass(frozen=True)
class Violation:
    """Two histories with one abstract state after which an action behaves differently."""

    state: int
    histories: tuple[tuple[Symbol, ...], tuple[Symbol, ...]]
    action: Label
    dynamics: tuple[dict[Outcome, float], dict[Outcome, float]]

    def __str__(self) -> str:
        first, second = (list(history) for history in self.histories)
        return (
            f"histories {first} and {second} share state {self.state}, but action {self.action!r} "
            f"answers with {self.dynamics[0]} after the first and {self.dynamics[1]} after the "
            f"second"
        )


def check_same_labels(automaton: Automaton, process: RegularProcess) -> None:
    """Refuse a process that speaks of other things than the automaton.

    Labels may be in another order, and the process may have more of them: the automaton is partial
    then. With an action that the process lacks, or no outcome in common, nothing would be compared.
    """
    if not isinstance(process, RegularProcess):
        raise InvalidParameterError(f"process must be a RegularProcess, got {process!r}.")
    mine, theirs = automaton.alphabet, process.alphabet
    for kind in ("actions", "observations", "rewards"):
        known, given = getattr(theirs, kind), getattr(mine, kind)
        shared = set(given) & set(known)
        if not shared or (kind == "actions" and len(shared) < len(given)):
            raise AlphabetError(
                f"The abstraction belongs to another process: its {kind} are {listing(given)}, "
                f"those of this process {listing(known)}."
            )


def find_violation(automaton: Automaton, process: RegularProcess) -> Violation | None:
    """Return two histories that break the definition, or None if it holds."""
    check_same_labels(automaton, process)
    return _find_violation(automaton, process, process.paired_with(automaton))


def markov_pairs(automaton: Automaton, process: RegularProcess) -> Product:
    """Return process and automaton side by side, or raise NotMarkovError with the violation."""
    check_same_labels(automaton, process)
    pairs = process.paired_with(automaton)
    if (violation := _find_violation(automaton, process, pairs)) is not None:
        raise NotMarkovError(f"The automaton is no Markov abstraction: {violation}.")
    return pairs


def _find_violation(
    automaton: Automaton, process: RegularProcess, pairs: Product
) -> Violation | None:
    rows = outcome_rows(pairs.tables)
    representative: dict[int, int] = {}
    for pair, state in enumerate(pairs.memory.tolist()):
        if not automaton.is_safe(state):
            continue
        first = representative.setdefault(state, pair)
        differs = (rows[first] != rows[pair]).any(axis=1)
        if differs.any():
            action = process.actions[int(differs.argmax())]
            left = _shortest_history(process, pairs, first)
            right = _shortest_history(process, pairs, pair)
            answers = dynamics(process, left, action), dynamics(process, right, action)
            return Violation(state, (left, right), action, answers)
    return None


def _shortest_history(process: RegularProcess, pairs: Product, target: int) -> tuple[Symbol, ...]:
    """Return a shortest history that leads to a pair."""
    tables, alphabet = pairs.tables, process.alphabet
    came_from: dict[int, tuple[int, Symbol]] = {}
    for pair in tables.reachable().tolist():
        for action, entry in np.argwhere(tables.outcome[pair] != PADDING).tolist():
            outcome = alphabet.outcome(int(tables.outcome[pair, action, entry]))
            assert isinstance(outcome, tuple)
            successor = int(tables.successor[pair, action, entry])
            if successor != tables.start:
                came_from.setdefault(successor, (pair, (alphabet.actions[action], *outcome)))
    history: list[Symbol] = []
    while target != tables.start:
        target, symbol = came_from[target]
        history.append(symbol)
    return tuple(reversed(history))
