"""What a Markov RL algorithm has to provide to take the place of the second module."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nonmarkov.core.experience import Experience
from nonmarkov.core.policy import faulty_row
from nonmarkov.errors import InvalidParameterError
from nonmarkov.records import frozen_array
from nonmarkov.stored import Stored

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Plan:
    """How to act on the safe states, and until when.

    The plan stands until some pair of state and action has as many visits as its goal says, or
    the abstraction changes. Steps of pairs that have reached their goal are counted no more.
    """

    policy: Floats  # (S, A), action probabilities
    goals: NDArray[np.int64]  # (S, A)


@dataclass(frozen=True)
class Bounds:
    """Optimistic and pessimistic value of the start: the gap is what is still unknown."""

    optimistic: float
    pessimistic: float

    @property
    def gap(self) -> float:
        """The difference of the two."""
        return self.optimistic - self.pessimistic


class MarkovAgent(ABC):
    """A Markov RL algorithm on the states of a growing abstraction.

    It is asked for a plan when the abstraction has changed and when a pair has reached its goal.
    An algorithm that wants to look at every step sets all goals to one more than the visits.
    """

    @abstractmethod
    def plan(self, experience: Experience) -> Plan:
        """Return how to act while training."""

    @abstractmethod
    def exploit(self, experience: Experience) -> Floats:
        """Return the action probabilities, (S, A), with which to be evaluated."""

    def bounds(self, experience: Experience) -> Bounds:
        """Return what the start is worth at most and at least; by default, nothing is known."""
        del experience
        return Bounds(np.inf, -np.inf)

    def state(self) -> dict[str, Any]:
        """Return what it remembers from one plan to the next; nothing by default."""
        return {}

    def restore(self, stored: Stored) -> None:
        """Remember what was stored."""
        del stored


def checked_policy(name: str, policy: object, experience: Experience) -> Floats:
    """Return the action probabilities of an agent, or say what is wrong with them."""
    rows = frozen_array(name, policy, np.float64)  # type: ignore[arg-type]
    expected = (experience.n_states, experience.n_actions)
    if rows.shape != expected:
        raise InvalidParameterError(f"{name} must have shape {expected}, got {rows.shape}.")
    if (state := faulty_row(rows)) is not None:
        raise InvalidParameterError(
            f"{name} must be a distribution over the actions {experience.alphabet.actions} in "
            f"every state, got {rows[state].tolist()} in state {state}."
        )
    return rows


def checked_plan(plan: object, experience: Experience) -> Plan:
    """Return the plan of an agent, or say what is wrong with it."""
    if not isinstance(plan, Plan):
        raise InvalidParameterError(f"plan() must return a Plan, got {type(plan).__name__}.")
    goals = frozen_array("goals", plan.goals, np.int64)
    if goals.shape != experience.visits.shape:
        raise InvalidParameterError(
            f"goals must have shape {experience.visits.shape}, got {goals.shape}."
        )
    return Plan(checked_policy("policy", plan.policy, experience), goals)
