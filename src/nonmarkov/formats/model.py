"""A model as a list of steps: what the writers of other languages ask for.

Processes have it exactly, abstractions beside their process too, and agents by what they counted.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from nonmarkov.core import Alphabet, Experience, RegularProcess
from nonmarkov.core.automaton import UNDEFINED
from nonmarkov.exact.tables import PADDING, Tables
from nonmarkov.labels import Label

UNKNOWN = "unknown"  # the state of which an agent knows nothing


class Step(NamedTuple):
    """One possible answer to an action, by indices, given that nothing stops at random."""

    state: int
    action: int
    observation: int
    reward: int
    probability: float
    successor: int


@dataclass(frozen=True)
class Model:
    """States and steps; what the probabilities of a state and an action miss to 1 is an ending."""

    alphabet: Alphabet
    states: tuple[Label, ...]
    start: int
    stop: float  # probability that a step is answered by termination at random
    steps: tuple[Step, ...]  # sorted by state, then action

    @cached_property
    def rows(self) -> dict[tuple[int, int], list[Step]]:
        """The steps of every (state, action), also where there are none."""
        rows: dict[tuple[int, int], list[Step]] = {
            (state, action): []
            for state in range(len(self.states))
            for action in range(self.alphabet.n_actions)
        }
        for step in self.steps:
            rows[step.state, step.action].append(step)
        return rows

    def ending(self, state: int, action: int) -> float:
        """Return the probability that an action ends the episode, random stopping aside."""
        rest = 1.0 - sum(step.probability for step in self.rows[state, action])
        return 0.0 if rest < 1e-12 else rest

    def is_over(self, state: int) -> bool:
        """Return whether every action ends the episode for sure."""
        return all(not self.rows[state, action] for action in range(self.alphabet.n_actions))


def model_of_process(process: RegularProcess) -> Model:
    """Return the states and steps of a process."""
    return model_of_tables(process.alphabet, process.states, process.tables)


def model_of_tables(alphabet: Alphabet, states: tuple[Label, ...], tables: Tables) -> Model:
    """Return the states and steps that tables say."""
    steps = []
    for state, action, entry in np.argwhere(tables.outcome != PADDING).tolist():
        place = (state, action, entry)
        observation, reward = divmod(int(tables.outcome[place]), len(alphabet.rewards))
        chance, target = float(tables.probability[place]), int(tables.successor[place])
        if chance > 0.0:
            steps.append(Step(state, action, observation, reward, chance, target))
    return Model(alphabet, states, tables.start, tables.stop, tuple(steps))


def model_of_experience(experience: Experience) -> Model:
    """Return what was counted, as frequencies; where nothing was tried, the episode ends.

    Endings are counted too, so random stopping is among them.
    """
    alphabet, n_states = experience.alphabet, experience.n_states
    steps = []
    unknown = n_states  # steps whose target is not decided lead there
    rows = zip(
        experience.state.tolist(),
        experience.symbol.tolist(),
        experience.count.tolist(),
        experience.successor.tolist(),
        strict=True,
    )
    for state, symbol, count, successor in rows:
        action, outcome = divmod(symbol, alphabet.n_outcomes + 1)
        if outcome != alphabet.n_outcomes:
            chance = count / int(experience.visits[state, action])
            target = unknown if successor == UNDEFINED else successor
            seen, paid = divmod(outcome, len(alphabet.rewards))
            steps.append(Step(state, action, seen, paid, chance, target))
    start = unknown if experience.start == UNDEFINED else experience.start
    needed = start == unknown or any(step.successor == unknown for step in steps)
    names: tuple[Label, ...] = (*range(n_states), *([UNKNOWN] if needed else []))
    return Model(alphabet, names, start, 0.0, tuple(steps))
