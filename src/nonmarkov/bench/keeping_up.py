"""Whether learning keeps up with environments, once it has settled."""

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from nonmarkov.bench.environments import CASES, Case
from nonmarkov.training import Agent

COLUMNS = ("environment", "alone", "with learning", "learning alone")
NAMES = ("FrozenLake, slippery", "Rotating MAB")
EPISODES = 3_000  # to settle in, and again to be measured


@dataclass(frozen=True)
class Pace:
    """Steps per second of processor time."""

    name: str
    alone: float  # of a loop that only steps the environment, at random
    with_learning: float

    @property
    def learning(self) -> float:
        """Of everything but the environment."""
        return 1.0 / max(1e-9, 1.0 / self.with_learning - 1.0 / self.alone)

    @property
    def cells(self) -> tuple[Any, ...]:
        """The row of a table."""
        return (self.name, *(f"{v:,.0f}" for v in (self.alone, self.with_learning, self.learning)))


def measure() -> Iterator[Pace]:
    """Yield how fast environments are alone, and while somebody learns in them."""
    for name in NAMES:
        yield Pace(name, _alone(CASES[name]), _with_learning(CASES[name]))


def _alone(case: Case) -> float:
    env, rng, steps = case.make(), random.Random(0), 0
    began = time.process_time()
    for episode in range(EPISODES):
        env.reset(seed=episode)
        done = False
        while not done:
            *_, terminated, truncated, _ = env.step(rng.randrange(int(env.action_space.n)))
            done, steps = terminated or truncated, steps + 1
    return steps / (time.process_time() - began)


def _with_learning(case: Case) -> float:
    agent = Agent(case.make(), seed=0, evaluate_every=EPISODES, evaluation_episodes=1)
    agent.learn(EPISODES)
    began = time.process_time()
    agent.learn(EPISODES)
    return EPISODES * agent.curve[-1].safe_steps / (time.process_time() - began)
