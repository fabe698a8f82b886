"""The model of the known pairs, and its solution with the unknown ones set to a given worth."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nonmarkov.core.automaton import UNDEFINED
from nonmarkov.core.experience import Experience

Floats = NDArray[np.float64]

# A sweep that changes nothing by more than this share of epsilon * p ends value iteration: the
# values are then off by less than that share of epsilon.
FINE = 1e-3


@dataclass(frozen=True)
class Worth:
    """Values of states and of pairs."""

    values: Floats  # (S,)
    pairs: Floats  # (S, A)


class EmpiricalModel:
    """Relative frequencies of the steps from known pairs."""

    def __init__(self, experience: Experience, known: NDArray[np.bool_]) -> None:
        from nonmarkov.kernels.bellman import OUTSIDE, OVER

        action = experience.action
        used = known[experience.state, action]
        pair = experience.state[used] * experience.n_actions + action[used]
        sizes = np.bincount(pair, minlength=known.size)
        self._first = np.concatenate([[0], np.cumsum(sizes)])
        visits = experience.visits[experience.state[used], action[used]]
        self._probability = experience.count[used] / visits
        self._gain = experience.reward[used]
        target = np.where(experience.successor == UNDEFINED, OUTSIDE, experience.successor)
        target = np.where(experience.terminated, OVER, target)
        self._successor = target[used].astype(np.int32)
        self._known = known

    def solve(
        self,
        beyond: float,
        ceiling: float,
        sweeps: int,
        tolerance: float,
        guess: Floats,
        escape: bool = False,
    ) -> Worth:
        """Return the values where unknown pairs and states outside are worth `beyond`.

        Nothing is worth more than `ceiling`. With `escape` rewards are left out: for beyond = 1,
        values are the highest probabilities of getting there.
        """
        from nonmarkov.kernels.bellman import sweep_values

        values, pairs = guess.copy(), np.empty(self._known.shape)
        gain = np.zeros_like(self._gain) if escape else self._gain
        sweep_values(
            self._first,
            self._probability,
            gain,
            self._successor,
            self._known,
            beyond,
            ceiling,
            values,
            pairs,
            sweeps,
            tolerance,
        )
        return Worth(values, pairs)


def enough_sweeps(epsilon: float, p: float) -> int:
    """Return the sweeps after which values are accurate up to epsilon: ⌈ln(8/(εp))/p⌉, and one.

    That is for values of at most 1; for others, epsilon is a share of the largest.
    """
    return math.ceil(max(0.0, math.log(8.0 / (epsilon * p))) / p) + 1


def greedy_rows(pairs: Floats, tie: float) -> Floats:
    """Return the policy, (S, A), that picks at random among the best actions, up to `tie`."""
    best = pairs >= pairs.max(axis=1, keepdims=True) - tie
    return np.asarray(best / best.sum(axis=1, keepdims=True))
