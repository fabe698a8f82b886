"""The tables of a regular decision process, without any names.

Sizes, everywhere: Q states, A actions, B the largest number of outcomes of one (state, action).
An outcome is a pair of observation and reward, with index `observation * R + reward` for R rewards.

Random stopping is kept apart from the world's own endings. Every step is first answered by
termination with probability `stop`; the other tables say what happens otherwise. Evaluation
switches random stopping off, and for that it must be possible to tell the two apart.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from nonmarkov.checks import check_integer, check_real
from nonmarkov.errors import InvalidProcessError
from nonmarkov.records import ArrayRecord, frozen_array

PADDING = -1  # in `outcome`: this entry is unused and has probability zero

Floats = NDArray[np.float64]
Integers = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Tables(ArrayRecord):
    """Outcomes of every (state, action) as short lists, sorted by outcome."""

    probability: Floats  # (Q, A, B), given that the step is not stopped at random
    outcome: Integers  # (Q, A, B), or PADDING
    successor: Integers  # (Q, A, B), 0 on padding
    termination: Floats  # (Q, A), given that the step is not stopped at random
    rewards: Floats  # (R,)
    n_observations: int
    start: int
    stop: float
    horizon: int

    def __post_init__(self) -> None:
        for name, dtype in _DTYPES.items():
            object.__setattr__(self, name, frozen_array(name, getattr(self, name), dtype))
        object.__setattr__(self, "start", check_integer("start", self.start, at_least=0))
        object.__setattr__(self, "stop", check_real("stop", self.stop))
        object.__setattr__(self, "horizon", check_integer("horizon", self.horizon, at_least=1))
        shape = self.probability.shape
        if len(shape) != 3 or shape[0] == 0 or shape[1] == 0:
            raise InvalidProcessError(f"probability must have shape (Q, A, B), got {shape}.")
        if not self.outcome.shape == self.successor.shape == shape:
            raise InvalidProcessError("probability, outcome and successor must have one shape.")
        if self.termination.shape != shape[:2] or self.rewards.ndim != 1:
            raise InvalidProcessError("termination must have shape (Q, A) and rewards (R,).")
        if self.start >= shape[0]:
            raise InvalidProcessError(f"start must be a state below {shape[0]}, got {self.start}.")

    @property
    def n_states(self) -> int:
        """Number of states, Q."""
        return int(self.probability.shape[0])

    @property
    def n_actions(self) -> int:
        """Number of actions, A."""
        return int(self.probability.shape[1])

    @property
    def n_outcomes(self) -> int:
        """Number of pairs (observation, reward), possible here or not."""
        return self.n_observations * self.rewards.size

    @cached_property
    def gain(self) -> Floats:
        """Reward of every outcome entry, (Q, A, B); 0 on padding."""
        paid = self.rewards[self.outcome % self.rewards.size]
        return frozen_array("gain", np.where(self.outcome == PADDING, 0.0, paid), np.float64)

    @cached_property
    def dynamics(self) -> Floats:
        """D(or|q,a) with random stopping, (Q, A, B)."""
        return frozen_array("dynamics", (1.0 - self.stop) * self.probability, np.float64)

    @cached_property
    def ending(self) -> Floats:
        """D(ζ|q,a) with random stopping, (Q, A)."""
        ending = self.stop + (1.0 - self.stop) * self.termination
        return frozen_array("ending", ending, np.float64)

    @cached_property
    def ended(self) -> NDArray[np.bool_]:
        """States where every action is answered by termination for sure, (Q,)."""
        return frozen_array("ended", (self.termination >= 1.0).all(axis=1), np.bool_)

    def reachable(self) -> NDArray[np.int64]:
        """States that some policy reaches, in breadth-first order from the start."""
        order, seen = [self.start], {self.start}
        for state in order:
            used = self.outcome[state] != PADDING
            for successor in self.successor[state][used].tolist():
                if successor not in seen:
                    seen.add(successor)
                    order.append(successor)
        return np.array(order, dtype=np.int64)


_DTYPES = {
    "probability": np.float64,
    "outcome": np.int32,
    "successor": np.int32,
    "termination": np.float64,
    "rewards": np.float64,
}


def endless_states(tables: Tables) -> NDArray[np.int64]:
    """Return the states from which some policy could avoid termination for ever.

    This is the largest set X such that every state of X has an action that never terminates and
    whose outcomes all stay in X; episodes end with probability one under every policy exactly
    when no reachable state is in it.
    """
    if tables.stop > 0.0:
        return np.array([], dtype=np.int64)
    never_terminates = tables.termination <= 0.0
    inside = np.ones(tables.n_states, dtype=np.bool_)
    while True:
        stays = inside[tables.successor] | (tables.outcome == PADDING)
        smaller = inside & (never_terminates & stays.all(axis=2)).any(axis=1)
        if (smaller == inside).all():
            return np.flatnonzero(inside)
        inside = smaller
