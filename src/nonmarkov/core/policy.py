"""Policies with finite memory: an automaton that reads the history, and actions on its states."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nonmarkov.checks import check_integer, check_probability
from nonmarkov.core.alphabet import END, Alphabet, Termination
from nonmarkov.core.automaton import UNDEFINED, Automaton
from nonmarkov.errors import InvalidParameterError
from nonmarkov.labels import Label
from nonmarkov.records import ArrayRecord, frozen_array

ROW_SUM_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class Policy(ArrayRecord):
    """π(a|s) on the safe states s of an automaton; uniform wherever there is no safe state."""

    automaton: Automaton
    table: NDArray[np.float64]  # (n_states, A), rows sum to 1

    def __post_init__(self) -> None:
        table = np.array(frozen_array("table", self.table, np.float64))
        expected = (self.automaton.n_states, self.automaton.alphabet.n_actions)
        if table.shape != expected:
            raise InvalidParameterError(f"table must have shape {expected}, got {table.shape}.")
        if (state := faulty_row(table)) is not None:
            raise InvalidParameterError(
                f"table[{state}] must be a distribution over actions, got {table[state].tolist()}."
            )
        table[~self.automaton.safe] = 1.0 / expected[1]
        object.__setattr__(self, "table", frozen_array("table", table, np.float64))

    @classmethod
    def uniform(cls, automaton: Automaton) -> "Policy":
        """Return the policy that takes every action equally often."""
        shape = (automaton.n_states, automaton.alphabet.n_actions)
        return cls(automaton, np.full(shape, 1.0 / shape[1]))

    @classmethod
    def greedy(cls, automaton: Automaton, actions: ArrayLike, epsilon: float = 0.0) -> "Policy":
        """Return the policy that takes `actions[state]`, except a uniform one with `epsilon`."""
        check_probability("epsilon", epsilon)
        chosen = np.asarray(actions)
        n_actions = automaton.alphabet.n_actions
        if chosen.shape != (automaton.n_states,) or not np.issubdtype(chosen.dtype, np.integer):
            raise InvalidParameterError(
                f"actions must be {automaton.n_states} numbers of actions, one for each state; "
                f"RegularProcess.policy takes names."
            )
        if chosen.min() < 0 or chosen.max() >= n_actions:
            raise InvalidParameterError(
                f"actions must be indices below {n_actions}, got {chosen.min()}..{chosen.max()}."
            )
        return cls(automaton, (1.0 - epsilon) * np.eye(n_actions)[chosen] + epsilon / n_actions)

    def over(self, alphabet: Alphabet) -> "Policy":
        """Return the same policy with symbols and actions indexed by another alphabet."""
        if alphabet == self.automaton.alphabet:
            return self
        table = np.zeros((self.automaton.n_states, alphabet.n_actions))
        for old, action in enumerate(self.automaton.alphabet.actions):
            table[:, alphabet.action_index(action)] = self.table[:, old]
        return Policy(self.automaton.over(alphabet), table)

    def rows(self, memory: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return π(·|s) for every state of `memory`, uniform for UNDEFINED, (len(memory), A)."""
        n_actions = self.table.shape[1]
        return np.where(memory[:, None] == UNDEFINED, 1.0 / n_actions, self.table[memory])

    def start(self, observation: Label = None) -> int:
        """Return the memory before the first action."""
        del observation  # processes answer actions, so nothing is seen before the first one
        return self.automaton.start

    def act(self, memory: int, rng: np.random.Generator | None = None) -> Label:
        """Return an action drawn from π(·|memory); pass `rng` to make the draw repeatable."""
        if memory != UNDEFINED:
            memory = check_integer("memory", memory, at_least=0)
            if memory >= self.automaton.n_states:
                raise InvalidParameterError(
                    f"memory must be a state below {self.automaton.n_states}, got {memory}."
                )
        row = self.rows(np.array([memory]))[0]
        generator = rng or np.random.default_rng()
        choice = int(row.argmax()) if row.max() == 1.0 else int(generator.choice(row.size, p=row))
        return self.automaton.alphabet.actions[choice]

    def update(
        self, memory: int, action: Label, observation: Label | Termination, reward: float
    ) -> int:
        """Return the memory after (action, observation, reward)."""
        if memory == UNDEFINED or observation is END:
            return UNDEFINED
        symbol = self.automaton.alphabet.symbol_index(action, observation, reward)
        return self.automaton.successor(memory, symbol)


def faulty_row(table: NDArray[np.float64]) -> int | None:
    """Return the first row that is no distribution, or None."""
    faults = ~(np.abs(table.sum(axis=1) - 1.0) <= ROW_SUM_TOLERANCE) | (table < 0.0).any(axis=1)
    return int(faults.argmax()) if faults.any() else None
