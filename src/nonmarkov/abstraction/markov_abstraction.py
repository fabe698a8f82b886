"""An automaton in the role of a Markov abstraction."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nonmarkov.abstraction.definition import Violation, find_violation
from nonmarkov.abstraction.embedding import embedding
from nonmarkov.abstraction.induced_mdp import induced_mdp
from nonmarkov.core import Automaton, Policy, RegularProcess, codec
from nonmarkov.core.alphabet import Symbol
from nonmarkov.files import read_bytes, write_atomically
from nonmarkov.labels import Label


@dataclass(frozen=True)
class MarkovAbstraction:
    """A map from histories to states, kept as an automaton; partial if it has candidates."""

    automaton: Automaton

    @property
    def n_states(self) -> int:
        """Number of states, candidates included."""
        return self.automaton.n_states

    @property
    def start(self) -> int:
        """The state of the empty history."""
        return self.automaton.start

    def step(self, state: int, action: Label, observation: Label, reward: float) -> int:
        """Return the state after one more (action, observation, reward), or UNDEFINED."""
        return self.automaton.step(state, action, observation, reward)

    def state_of(self, history: Sequence[Symbol]) -> int:
        """Return α(history), or UNDEFINED."""
        return self.automaton.state_of(history)

    def matches(self, process: RegularProcess) -> bool:
        """Return whether this is a Markov abstraction of the process where it has safe states."""
        return self.violation(process) is None

    def is_sound(self, process: RegularProcess) -> bool:
        """Return whether the safe part is a part of the process's minimal automaton.

        That is more than `matches` asks for: no two safe states may stand for the same.
        """
        return embedding(self.automaton, process) is not None

    def violation(self, process: RegularProcess) -> Violation | None:
        """Return two histories that show that this is no Markov abstraction, or None."""
        return find_violation(self.automaton, process)

    def induced_mdp(self, process: RegularProcess) -> RegularProcess:
        """Return the MDP over the states of this abstraction."""
        return induced_mdp(self.automaton, process)

    def optimal_policy(self, process: RegularProcess) -> Policy:
        """Return an optimal policy of the induced MDP, composed with this abstraction."""
        mdp = self.induced_mdp(process)
        actions = np.zeros(self.n_states, dtype=np.int64)
        for state, action in zip(mdp.states, mdp.solution.actions.tolist(), strict=True):
            if isinstance(state, int) and self.automaton.is_safe(state):
                actions[state] = action
        return Policy.greedy(self.automaton.over(process.alphabet), actions)

    def to_dot(self) -> str:
        """Return the automaton in the language of Graphviz."""
        from nonmarkov.formats.dot import automaton_to_dot

        return automaton_to_dot(self.automaton)

    def to_aalpy(self, process: RegularProcess | None = None) -> Any:
        """Return an Onfsm of AALpy, or with a process its StochasticMealyMachine on these states.

        Inputs are actions, outputs (observation, reward), and "END" where an episode ends.
        """
        from nonmarkov.abstraction.dynamics import abstract_model
        from nonmarkov.formats import aalpy_machines

        if process is None:
            return aalpy_machines.to_onfsm(self.automaton)
        return aalpy_machines.to_stochastic_mealy(abstract_model(self.automaton, process))

    def to_json(self) -> str:
        """Return the automaton as JSON text; `from_json` reads it."""
        return codec.to_text("automaton", self.automaton.to_content())

    @classmethod
    def from_json(cls, text: str) -> "MarkovAbstraction":
        """Return the abstraction that `to_json` wrote."""
        return cls(codec.from_text(text, "automaton", Automaton.from_content, "The text"))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the abstraction to one JSON file, the text of `to_json`."""
        write_atomically(path, self.to_json().encode())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "MarkovAbstraction":
        """Return the abstraction stored in a file that `save` wrote."""
        data = read_bytes(path)
        return cls(codec.from_text(data, "automaton", Automaton.from_content, path))
