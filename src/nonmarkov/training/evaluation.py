"""The evaluation protocol, and the exact score beside the sampled one."""

from typing import NamedTuple

import numpy as np

from nonmarkov.core import Policy, RegularProcess, simulation
from nonmarkov.exact.score import expected_score


class Evaluation(NamedTuple):
    """One point of a learning curve."""

    episodes: int  # trained so far
    score: float  # exact expected score of the greedy policy
    states: int  # safe states
    sampled_score: float  # mean score of the evaluation episodes, as in the paper's figures
    candidates: int
    safe_steps: float  # per training episode since the last point, with a safe state
    outside_steps: float  # per training episode since the last point, without
    seconds: float  # of training so far


class Evaluator:
    """Plays evaluation episodes; a policy that has not changed is not prepared again."""

    def __init__(self, process: RegularProcess, episodes: int, rng: np.random.Generator) -> None:
        self._process, self._episodes, self._rng = process, episodes, rng
        self._exact = 0.0

    def prepare(self, policy: Policy) -> None:
        """Take a policy to evaluate from now on."""
        pairs = self._process.paired_with(policy.automaton)
        self._tables, self._rows = pairs.tables, policy.rows(pairs.memory)
        self._exact = expected_score(self._tables, self._rows)

    def scores(self) -> tuple[float, float]:
        """Return the exact score and the mean score of some episodes."""
        played = simulation.play(self._tables, self._rows, self._episodes, True, self._rng)
        return self._exact, played.mean
