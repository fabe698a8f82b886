"""How well `apart` does in environments of others, beside acting at random."""

import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np

from nonmarkov.labels import Label
from nonmarkov.training import Agent

COLUMNS = ("environment", "episodes", "score", "worst", "random", "best known", "states", "seconds")
TRIALS = 500  # episodes that a score is the mean of


@dataclass(frozen=True)
class Case:
    """One environment, for how long to train in it, and what is known about it."""

    make: Callable[[], Any]
    episodes: int
    best: str  # what a perfect agent gets
    max_steps: int | None = None


@dataclass(frozen=True)
class Row:
    """What came out in one environment: medians over seeds, and the worst score."""

    name: str
    episodes: int
    score: float
    worst: float
    random: float
    best: str
    states: int
    seconds: float

    @property
    def cells(self) -> tuple[Any, ...]:
        """The row of a table."""
        return (
            *(self.name, f"{self.episodes:,}", f"{self.score:.2f}", f"{self.worst:.2f}"),
            *(f"{self.random:.2f}", self.best, str(self.states), f"{self.seconds:.0f}"),
        )


def _gym(name: str, **parameters: Any) -> Callable[[], Any]:
    def make() -> Any:
        from nonmarkov.envs.stage import make_environment

        return make_environment(name, **parameters)

    return make


def _t_maze() -> Any:
    from nonmarkov.envs.examples import TMaze

    return TMaze(length=10)


def _tiger() -> Any:
    from nonmarkov.envs.examples import Tiger

    return Tiger()


def _memory() -> Any:
    from nonmarkov.envs.memory_grid import make_memory_grid

    return make_memory_grid(7)


CASES = {
    "FrozenLake, not slippery": Case(_gym("FrozenLake-v1", is_slippery=False), 500, "1.00"),
    "FrozenLake, slippery": Case(_gym("FrozenLake-v1"), 3000, "0.74"),
    "CliffWalking": Case(_gym("CliffWalking-v1"), 300, "-13", 500),
    "Taxi": Case(_gym("Taxi-v4"), 1000, "7.9"),
    "Blackjack": Case(_gym("Blackjack-v1"), 20_000, "-0.04"),
    "RepeatFirst, easy": Case(_gym("popgym:popgym-RepeatFirstEasy-v0"), 500, "1.00"),
    "RepeatPrevious, easy": Case(_gym("popgym:popgym-RepeatPreviousEasy-v0"), 4000, "1.00"),
    "CountRecall, easy": Case(_gym("popgym:popgym-CountRecallEasy-v0"), 1000, "1.00"),
    "CountRecall, easy, 8 cards": Case(_gym("popgym:popgym-CountRecallEasy-v0"), 5000, "0.16", 8),
    "MiniGrid-MemoryS7": Case(_memory, 8000, "1.00"),
    "T-maze of length 10": Case(_t_maze, 500, "1.50"),
    "Tiger": Case(_tiger, 5000, "5.16"),
    "Rotating MAB": Case(_gym("nonmarkov/RotatingMab-v0"), 500, "900"),
}


def measure(names: Sequence[str], seeds: int) -> Iterator[Row]:
    """Yield how agents do, one environment after the other."""
    for name in names:
        case = CASES[name]
        runs = [_run(case, seed) for seed in range(seeds)]
        scores, states, seconds = zip(*runs, strict=True)
        yield Row(
            name,
            case.episodes,
            median(scores),
            min(scores),
            _random_score(case),
            case.best,
            int(median(states)),
            median(seconds),
        )


def _run(case: Case, seed: int) -> tuple[float, int, float]:
    """Return score, states and seconds of one training."""
    began = time.perf_counter()
    agent = Agent(case.make(), seed=seed, max_steps=case.max_steps, evaluation_episodes=20)
    agent.learn(case.episodes)
    seconds = time.perf_counter() - began
    return agent.score(TRIALS, seed=seed), agent.n_states, seconds


class _Dice:
    """Acts at random."""

    def __init__(self, n_actions: int) -> None:
        self._n_actions = n_actions

    def begin(self, first: Label, rng: random.Random) -> None:
        """Take the dice."""
        del first
        self._rng = rng

    def act(self) -> int:
        """Return any action."""
        return self._rng.randrange(self._n_actions)

    def see(self, action: int, observation: Label, reward: float) -> None:
        """Take no notice."""


def _random_score(case: Case) -> float:
    from nonmarkov.envs.crew import Crew

    crew = Crew(case.make(), case.max_steps)
    dice = _Dice(len(crew.stage.actions))
    return float(np.mean(crew.perform(dice, list(range(TRIALS)))))
