"""Deterministic automata over symbols: the transition structure of abstractions."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nonmarkov.checks import check_integer
from nonmarkov.core.alphabet import Alphabet, Symbol
from nonmarkov.errors import InvalidParameterError
from nonmarkov.labels import Label
from nonmarkov.records import ArrayRecord, frozen_array

UNDEFINED = -1  # the state of a history that the automaton does not cover


@dataclass(frozen=True, eq=False)
class Automaton(ArrayRecord):
    """States, a start, and at most one successor for every (state, symbol).

    Safe states belong to the abstraction; the others are candidates, the frontier of what has
    been learned, and have no edges of their own.
    """

    alphabet: Alphabet
    n_states: int
    edges: NDArray[np.int64]  # (E, 3), rows (state, symbol, successor), sorted
    start: int = 0
    candidates: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        edges = frozen_array("edges", self.edges, np.int64)
        edges = edges.reshape(0, 3) if edges.size == 0 else edges
        if edges.ndim != 2 or edges.shape[1] != 3:
            raise InvalidParameterError(f"edges must have shape (E, 3), got {edges.shape}.")
        order = np.lexsort((edges[:, 1], edges[:, 0]))
        object.__setattr__(self, "edges", frozen_array("edges", edges[order], np.int64))
        n_states = check_integer("n_states", self.n_states, at_least=1)
        object.__setattr__(self, "n_states", n_states)
        object.__setattr__(self, "start", _check_state("start", self.start, n_states))
        candidates = {_check_state("a candidate", state, n_states) for state in self.candidates}
        object.__setattr__(self, "candidates", tuple(sorted(candidates)))
        _check_edges(self)

    @cached_property
    def table(self) -> dict[tuple[int, int], int]:
        """Successor of every (state, symbol) that has one."""
        return {(state, symbol): successor for state, symbol, successor in self.edges.tolist()}

    @cached_property
    def safe(self) -> NDArray[np.bool_]:
        """Whether a state belongs to the abstraction, (n_states,)."""
        mask = np.ones(self.n_states, dtype=np.bool_)
        mask[list(self.candidates)] = False
        return frozen_array("safe", mask, np.bool_)

    def is_safe(self, state: int) -> bool:
        """Return whether a state, or UNDEFINED, belongs to the abstraction."""
        return state != UNDEFINED and bool(self.safe[state])

    def successor(self, state: int, symbol: int) -> int:
        """Return τ(state, symbol) by indices, or UNDEFINED."""
        return self.table.get((state, symbol), UNDEFINED)

    def successors(
        self, states: NDArray[np.int64], symbols: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return τ of many states, or UNDEFINED, and symbols, by indices."""
        if len(self.edges) == 0:
            return np.full(states.shape, UNDEFINED)
        keys = states * self.alphabet.n_symbols + symbols
        at = np.minimum(np.searchsorted(self._keys, keys), len(self.edges) - 1)
        return np.where(self._keys[at] == keys, self.edges[at, 2], UNDEFINED)

    @cached_property
    def _keys(self) -> NDArray[np.int64]:
        """One number for every edge's state and symbol, ascending."""
        keys: NDArray[np.int64] = self.edges[:, 0] * self.alphabet.n_symbols + self.edges[:, 1]
        return keys

    def step(self, state: int, action: Label, observation: Label, reward: float) -> int:
        """Return τ(state, (action, observation, reward)), or UNDEFINED."""
        return self.successor(state, self.alphabet.symbol_index(action, observation, reward))

    def state_of(self, history: Sequence[Symbol]) -> int:
        """Return τ*(history), or UNDEFINED."""
        state = self.start
        for symbol in self.alphabet.history_indices(history):
            state = self.successor(state, symbol)
        return state

    def over(self, alphabet: Alphabet) -> "Automaton":
        """Return the same automaton with its symbols indexed by another alphabet."""
        if alphabet == self.alphabet:
            return self
        edges = self.edges.copy()
        edges[:, 1] = [alphabet.symbol_index(*self.alphabet.symbol(s)) for s in self.edges[:, 1]]
        return replace(self, alphabet=alphabet, edges=edges)

    def to_content(self) -> dict[str, Any]:
        """Return the automaton as plain JSON data."""
        return {
            "alphabet": self.alphabet.to_content(),
            "n_states": self.n_states,
            "start": self.start,
            "candidates": list(self.candidates),
            "edges": self.edges.tolist(),
        }

    @classmethod
    def from_content(cls, content: Any) -> "Automaton":
        """Return the automaton that `to_content` wrote."""
        alphabet = Alphabet.from_content(content["alphabet"])
        fields = (content[name] for name in ("n_states", "edges", "start", "candidates"))
        return cls(alphabet, *fields)

    @classmethod
    def from_steps(
        cls,
        alphabet: Alphabet,
        n_states: int,
        steps: Iterable[tuple[int, Label, Label, float, int]],
    ) -> "Automaton":
        """Return the automaton with edges (state, action, observation, reward, successor)."""
        edges = [(q, alphabet.symbol_index(a, o, r), target) for q, a, o, r, target in steps]
        return cls(alphabet, n_states, np.array(edges, dtype=np.int64))


def _check_state(name: str, state: object, n_states: int) -> int:
    number = check_integer(name, state, at_least=0)
    if number >= n_states:
        raise InvalidParameterError(f"{name} must be a state below {n_states}, got {number}.")
    return number


def _check_edges(automaton: Automaton) -> None:
    edges, alphabet = automaton.edges, automaton.alphabet
    if edges.size == 0:
        return
    if edges.min() < 0 or edges[:, [0, 2]].max() >= automaton.n_states:
        raise InvalidParameterError(f"edges must join states below {automaton.n_states}.")
    if edges[:, 1].max() >= alphabet.n_symbols:
        raise InvalidParameterError(f"edges must use symbols below {alphabet.n_symbols}.")
    if (edges[:, 1] % (alphabet.n_outcomes + 1) == alphabet.n_outcomes).any():
        raise InvalidParameterError("Termination symbols lead nowhere and have no edge.")
    if (twice := np.flatnonzero((np.diff(edges[:, :2], axis=0) == 0).all(axis=1))).size:
        state, symbol, _ = edges[twice[0]].tolist()
        raise InvalidParameterError(f"state {state} has two edges for {alphabet.symbol(symbol)}.")
    if not automaton.safe[edges[:, 0]].all():
        raise InvalidParameterError("Candidate states have no edges of their own.")
