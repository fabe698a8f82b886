"""A growing alphabet: observations and rewards get numbers when they are first seen."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nonmarkov.core.alphabet import ENDED, RESET, Alphabet
from nonmarkov.envs.playing import Chunk
from nonmarkov.errors import UnsuitableEnvironmentError
from nonmarkov.labels import Label

MANY_REWARDS = 100  # different ones
MANY_OBSERVATIONS = 1_000  # different ones, from which on most must have been seen before


class SymbolTable:
    """Numbers for all that was seen so far; `alphabet` is rebuilt when it has grown."""

    def __init__(self, actions: Sequence[Label]) -> None:
        self.alphabet = Alphabet((*actions, RESET), (ENDED,), (0.0,))
        self._observations: dict[Label, int] = {ENDED: 0}
        self._rewards = {0.0: 0}
        self._steps = 0

    def adopt(self, alphabet: Alphabet, steps: int) -> None:
        """Go on with an alphabet that was stored, after so many steps."""
        self.alphabet, self._steps = alphabet, steps
        self._observations = {label: i for i, label in enumerate(alphabet.observations)}
        self._rewards = {reward: i for i, reward in enumerate(alphabet.rewards)}

    def read(self, chunks: Sequence[Chunk]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return the symbols of episodes, by numbers of `alphabet`, and where episodes start."""
        observations, rewards = self._observations, self._rewards
        columns: list[NDArray[np.int64]] = []
        for chunk in chunks:
            labels = [observations.setdefault(label, len(observations)) for label in chunk.labels]
            paid = [rewards.setdefault(reward, len(rewards)) for reward in chunk.rewards]
            seen = np.array(labels, dtype=np.int64)[np.array(chunk.observations, dtype=np.int64)]
            columns.append(np.array([chunk.actions, seen, paid], dtype=np.int64))
        lengths = [length for chunk in chunks for length in chunk.lengths]
        self._steps += sum(lengths)
        self._grow()
        action, observation, reward = np.concatenate([np.zeros((3, 0), np.int64), *columns], axis=1)
        width = self.alphabet.n_outcomes + 1
        symbols = action * width + observation * len(self.alphabet.rewards) + reward
        return symbols.astype(np.int32), np.cumsum([0, *lengths])

    def _grow(self) -> None:
        known = (len(self.alphabet.observations), len(self.alphabet.rewards))
        if known != (len(self._observations), len(self._rewards)):
            self._check_variety()
            self.alphabet = Alphabet(
                self.alphabet.actions, tuple(self._observations), tuple(self._rewards)
            )

    def _check_variety(self) -> None:
        """Refuse rewards and observations that are hardly ever seen twice."""
        n = len(self._rewards)
        if n > MANY_REWARDS:
            raise UnsuitableEnvironmentError(
                f"The environment has paid {n:,} different rewards so far. States are told apart "
                f"by what is seen exactly, so round rewards to a few values first, for example "
                f"with gymnasium.wrappers.TransformReward(env, round)."
            )
        n = len(self._observations)
        if n > max(MANY_OBSERVATIONS, self._steps // 2):
            raise UnsuitableEnvironmentError(
                f"The environment has shown {n:,} different observations in {self._steps:,} steps. "
                f"Nothing can be learned from what is seen once; group them in a "
                f"gymnasium.ObservationWrapper, or with nm.Discretize if they are numbers."
            )
