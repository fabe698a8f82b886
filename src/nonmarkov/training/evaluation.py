"""The evaluation protocol, and the exact score beside the sampled one."""

from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from nonmarkov.core import Policy, RegularProcess, simulation
from nonmarkov.exact.score import expected_score

if TYPE_CHECKING:
    from nonmarkov.envs.crew import Crew


class Evaluation(NamedTuple):
    """One point of a learning curve."""

    episodes: int  # trained so far
    score: float  # of the greedy policy: exact, or in environments the mean of some episodes
    states: int  # safe states
    sampled_score: float  # mean score of the evaluation episodes, as in the paper's figures
    candidates: int
    safe_steps: float  # per training episode since the last point, with a safe state
    outside_steps: float  # per training episode since the last point, without
    seconds: float  # of training so far


class Evaluator(Protocol):
    """Evaluates policies."""

    def prepare(self, policy: Policy) -> None:
        """Take a policy to evaluate from now on."""

    def scores(self) -> tuple[float, float]:
        """Return the score, exact if it can be, and the mean score of some episodes."""


class ProcessEvaluator:
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


class EnvEvaluator:
    """Plays evaluation episodes in an environment: all that can be known of a score there."""

    def __init__(self, crew: "Crew", episodes: int, rng: np.random.Generator) -> None:
        self._crew, self._episodes, self._rng = crew, episodes, rng

    def prepare(self, policy: Policy) -> None:
        """Take a policy to evaluate from now on."""
        from nonmarkov.envs.env_policy import EnvPolicy, Performer

        assert isinstance(policy, EnvPolicy)
        self._performer = Performer(policy)

    def scores(self) -> tuple[float, float]:
        """Return the mean sum of rewards of some episodes, twice."""
        seeds = self._rng.integers(2**31, size=self._episodes).tolist()
        mean = float(np.mean(self._crew.perform(self._performer, seeds)))
        return mean, mean
