"""Any Markov algorithm on top of an abstraction: the observation is the abstract state.

observation_space   Discrete(n_states + 1); the last one means unknown: the abstraction does not
                    say where the history leads
"""

from typing import Any, Protocol

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs

from nonmarkov.core import UNDEFINED, Alphabet, Automaton, RegularProcess
from nonmarkov.core.alphabet import RESET
from nonmarkov.envs.spaces import plain_label
from nonmarkov.errors import InvalidParameterError
from nonmarkov.labels import Label


class Abstraction(Protocol):
    """What the wrapper needs of a MarkovAbstraction."""

    @property
    def automaton(self) -> Automaton:
        """The automaton that reads histories."""


class MarkovWrapper(gymnasium.Wrapper[np.int64, Any, Any, Any], RecordConstructorArgs):
    """An environment whose observation is the state of an abstraction of its histories.

    abstraction: `agent.abstraction` of an agent that learned in this environment; or, for the
    environments of this library, of one that learned in their process.
    """

    def __init__(self, env: "gymnasium.Env[Any, Any]", abstraction: Abstraction) -> None:
        RecordConstructorArgs.__init__(self, abstraction=abstraction)
        super().__init__(env)
        self._automaton = _automaton_of(abstraction)
        self._names = _Names(env, self._automaton.alphabet)
        self._state = UNDEFINED
        self.unknown = self._automaton.n_states
        self.observation_space = spaces.Discrete(self.unknown + 1)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.int64, dict[str, Any]]:
        """Begin an episode; the state is that of what is seen first."""
        observation, info = self.env.reset(seed=seed, options=options)
        self._state = self._automaton.start
        if self._automaton.alphabet.is_of_environment:
            self._follow(RESET, self._names.observation(observation), 0.0)
        return self._observation(), info

    def step(self, action: Any) -> tuple[np.int64, Any, bool, bool, dict[str, Any]]:
        """Take an action; the state is that of the longer history."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        if not terminated:
            names = self._names
            self._follow(names.action(action), names.observation(observation), float(reward))
        return self._observation(), reward, terminated, truncated, info

    def _follow(self, action: Label, observation: Label, reward: float) -> None:
        alphabet = self._automaton.alphabet
        known = alphabet.observation_index(observation) is not None and alphabet.has_reward(reward)
        if self._state != UNDEFINED and known:
            symbol = alphabet.symbol_index(action, observation, reward)
            self._state = self._automaton.successor(self._state, symbol)
        else:
            self._state = UNDEFINED

    def _observation(self) -> np.int64:
        return np.int64(self.unknown if self._state == UNDEFINED else self._state)


class _Names:
    """How an abstraction calls the actions and observations of an environment."""

    def __init__(self, env: "gymnasium.Env[Any, Any]", alphabet: Alphabet) -> None:
        process = getattr(env.unwrapped, "process", None)
        self._process = None
        if not alphabet.is_of_environment:
            if not isinstance(process, RegularProcess) or process.alphabet != alphabet:
                raise InvalidParameterError(
                    "abstraction was not learned in this environment: it has other actions, "
                    "observations or rewards. Learn one with nm.Agent(env).learn(...)."
                )
            self._process = process

    def action(self, action: Any) -> Label:
        return self._process.actions[int(action)] if self._process else plain_label(action)

    def observation(self, observation: Any) -> Label:
        if self._process is None:
            return plain_label(observation)
        seen = self._process.observations
        return seen[int(observation)] if int(observation) < len(seen) else None


def _automaton_of(abstraction: Abstraction) -> Automaton:
    automaton = getattr(abstraction, "automaton", None)
    if not isinstance(automaton, Automaton):
        raise InvalidParameterError(
            f"abstraction must be a MarkovAbstraction, such as agent.abstraction, got "
            f"{abstraction!r}."
        )
    return automaton
