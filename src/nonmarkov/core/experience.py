"""What a Markov agent has seen on the states of an abstraction."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nonmarkov.core.alphabet import Alphabet


@dataclass(frozen=True)
class Experience:
    """Observed steps from the safe states, each distinct one with its count.

    All that the two modules of the paper's agent tell each other is in here: the abstraction, by
    its states and where their steps lead, and the statistics on it.
    """

    alphabet: Alphabet
    start: int  # state of the empty history, or UNDEFINED
    visits: NDArray[np.int64]  # (S, A)
    state: NDArray[np.int64]  # (E,), sorted by state, then symbol
    symbol: NDArray[np.int64]  # (E,), termination included
    count: NDArray[np.int64]  # (E,)
    successor: NDArray[np.int64]  # (E,), a state; UNDEFINED outside and after termination

    @property
    def n_states(self) -> int:
        """Number of safe states, S."""
        return len(self.visits)

    @property
    def n_actions(self) -> int:
        """Number of actions, A."""
        return int(self.visits.shape[1])

    @property
    def action(self) -> NDArray[np.int64]:
        """Action of every step, (E,)."""
        return self.symbol // (self.alphabet.n_outcomes + 1)

    @property
    def terminated(self) -> NDArray[np.bool_]:
        """Whether a step was answered by termination, (E,)."""
        width = self.alphabet.n_outcomes + 1
        return np.asarray(self.symbol % width == width - 1)

    @property
    def reward(self) -> NDArray[np.float64]:
        """Reward of every step, (E,); 0 for termination."""
        outcome = self.symbol % (self.alphabet.n_outcomes + 1)
        rewards = np.array(self.alphabet.rewards)
        return np.where(self.terminated, 0.0, rewards[outcome % rewards.size])
