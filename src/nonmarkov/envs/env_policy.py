"""Policies for environments: the first observation is read, and unknown ones are lived with."""

import random
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nonmarkov.core import UNDEFINED, Policy
from nonmarkov.core.alphabet import END, ENDED, RESET, Termination
from nonmarkov.core.automaton import Automaton
from nonmarkov.labels import Label
from nonmarkov.records import frozen_array


@dataclass(frozen=True, eq=False)
class EnvPolicy(Policy):
    """A policy that takes actions and observations as an environment does.

    After an observation that was never seen in a state, it goes on where that usually leads, and
    after one that was never seen at all, as if nothing had happened.
    """

    usual: NDArray[np.int64]  # (n_observations,), a state, or UNDEFINED

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "usual", frozen_array("usual", self.usual, np.int64))

    @classmethod
    def ignorant(cls, automaton: Automaton) -> "EnvPolicy":
        """Return the policy that takes every action equally often."""
        alphabet = automaton.alphabet
        table = np.zeros((automaton.n_states, alphabet.n_actions))
        table[:, : alphabet.n_choices] = 1.0 / alphabet.n_choices
        return cls(automaton, table, np.full(len(alphabet.observations), UNDEFINED))

    def start(self, observation: Any = None) -> int:
        """Return the memory before the first action, given what `reset` returned."""
        return self.follow(self.automaton.start, RESET, _label(observation), 0.0)

    def act(self, memory: int, rng: np.random.Generator | None = None) -> Any:
        """Return an action for `env.step`; pass `rng` to make a random choice repeatable."""
        from nonmarkov.envs.spaces import as_action

        return as_action(super().act(memory, rng))

    def rows(self, memory: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return π(·|s) for every state of `memory`; nobody can choose RESET."""
        rows = super().rows(memory)
        rows[memory == UNDEFINED] = 0.0
        n_choices = self.automaton.alphabet.n_choices
        rows[memory == UNDEFINED, :n_choices] = 1.0 / n_choices
        return rows

    def update(
        self, memory: int, action: Any, observation: Any | Termination, reward: float
    ) -> int:
        """Return the memory after (action, observation, reward)."""
        if observation is END:
            return UNDEFINED
        return self.follow(memory, _label(action), _label(observation), float(reward))

    def follow(self, memory: int, action: Label, observation: Label, reward: float) -> int:
        """Return the memory after a symbol, by its labels."""
        alphabet = self.automaton.alphabet
        seen = alphabet.observation_index(observation)
        if seen is None or observation == ENDED:
            return memory
        known = alphabet.has_reward(reward) and memory != UNDEFINED
        if known:
            symbol = alphabet.symbol_index(action, observation, reward)
            following = self.automaton.successor(memory, symbol)
            if following != UNDEFINED:
                return following
        usual = int(self.usual[seen])
        return memory if usual == UNDEFINED else usual


class Performer:
    """Acts as a policy says."""

    def __init__(self, policy: EnvPolicy) -> None:
        self._policy, self._actions = policy, policy.automaton.alphabet.actions
        memories = np.arange(UNDEFINED, policy.automaton.n_states)  # UNDEFINED first
        self._choices = [row.nonzero()[0].tolist() for row in policy.rows(memories)]

    def begin(self, first: Label, rng: random.Random) -> None:
        """Begin an episode, with what is seen first."""
        self._rng = rng
        self._memory = self._policy.follow(self._policy.automaton.start, RESET, first, 0.0)

    def act(self) -> int:
        """Return the number of an action; those that are taken at all are equally likely."""
        choices: list[int] = self._choices[self._memory + 1]
        return choices[0] if len(choices) == 1 else self._rng.choice(choices)

    def see(self, action: int, observation: Label, reward: float) -> None:
        """Follow the automaton."""
        label = self._actions[action]
        self._memory = self._policy.follow(self._memory, label, observation, reward)


def _label(value: Any) -> Label:
    from nonmarkov.envs.spaces import plain_label

    return plain_label(value)
