"""Probabilistic deterministic finite automata: distributions over episodes."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from nonmarkov.core.alphabet import END, Symbol
from nonmarkov.core.automaton import UNDEFINED, Automaton
from nonmarkov.errors import ImpossibleHistoryError, InvalidParameterError
from nonmarkov.records import ArrayRecord, frozen_array


@dataclass(frozen=True, eq=False)
class Pdfa(ArrayRecord):
    """The probability function λ on top of an automaton τ.

    λ(aor|q) is given on the edges and is zero elsewhere; λ(aζ|q) for every state and action.
    """

    automaton: Automaton
    probability: NDArray[np.float64]  # (E,), aligned with `automaton.edges`
    termination: NDArray[np.float64]  # (n_states, A)

    def __post_init__(self) -> None:
        for name in ("probability", "termination"):
            object.__setattr__(self, name, frozen_array(name, getattr(self, name), np.float64))
        edges, n_states = self.automaton.edges, self.automaton.n_states
        if self.probability.shape != (len(edges),):
            raise InvalidParameterError(f"probability must have {len(edges)} entries, one an edge.")
        if self.termination.shape != (n_states, self.automaton.alphabet.n_actions):
            raise InvalidParameterError("termination must have shape (n_states, n_actions).")
        totals = self.termination.sum(axis=1)
        totals += np.bincount(edges[:, 0], self.probability, minlength=n_states)
        wrong = self.automaton.safe & ~(np.abs(totals - 1.0) <= 1e-9)
        if wrong.any():
            state = int(wrong.argmax())
            raise InvalidParameterError(f"λ(·|{state}) must sum to 1, got {totals[state]}.")
        if (self.probability < 0.0).any() or (self.termination < 0.0).any():
            raise InvalidParameterError("λ must not be negative.")

    @cached_property
    def _edge_probability(self) -> dict[tuple[int, int], float]:
        keys = map(tuple, self.automaton.edges[:, :2].tolist())
        return dict(zip(keys, self.probability.tolist(), strict=True))

    def probability_of(self, remainder: Sequence[Symbol], history: Sequence[Symbol] = ()) -> float:
        """Return the probability that the episode `history` continues as `remainder`."""
        alphabet = self.automaton.alphabet
        state = self.automaton.state_of(history)
        if state == UNDEFINED:
            raise ImpossibleHistoryError("The history leads to no state of the automaton.")
        result = 1.0
        for action, observation, reward in remainder:
            if observation is END:
                return result * float(self.termination[state, alphabet.action_index(action)])
            symbol = alphabet.symbol_index(action, observation, reward)
            result *= self._edge_probability.get((state, symbol), 0.0)
            if result == 0.0:
                return 0.0
            state = self.automaton.successor(state, symbol)
        return result
