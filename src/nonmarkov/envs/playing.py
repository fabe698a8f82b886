"""Episodes of an environment, each a function of a plan and a seed, wherever it is played.

So it does not matter which process plays an episode, nor what that process played before.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from nonmarkov.envs.stage import Stage
from nonmarkov.errors import NonMarkovError
from nonmarkov.labels import Label


class Actor(Protocol):
    """Chooses the actions of an episode."""

    def begin(self, first: Label, rng: random.Random) -> None:
        """Begin an episode, with what is seen first."""

    def act(self) -> int:
        """Return the number of an action."""

    def see(self, action: int, observation: Label, reward: float) -> None:
        """Take note of what an action was answered with."""


class Chunk(NamedTuple):
    """Some episodes, laid end to end; every one begins with what was seen first."""

    labels: list[Label]  # of observations, in the order of their first appearance here
    actions: list[int]  # of all steps; the number of actions for the first of an episode
    observations: list[int]  # numbers of labels
    rewards: list[float]
    lengths: list[int]  # of the episodes
    cut: list[bool]  # whether an episode was cut off here, because it did not end by itself
    error: NonMarkovError | None = None  # what ended the last of them


@dataclass
class _Writer:
    """A chunk in the making."""

    numbers: dict[Label, int] = field(default_factory=dict)
    actions: list[int] = field(default_factory=list)
    observations: list[int] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    cut: list[bool] = field(default_factory=list)

    def write(self, action: int, label: Label, reward: float) -> None:
        self.actions.append(action)
        self.observations.append(self.numbers.setdefault(label, len(self.numbers)))
        self.rewards.append(reward)

    def close(self, begun: int, cut: bool) -> None:
        self.lengths.append(len(self.actions) - begun)
        self.cut.append(cut)

    def drop(self, begun: int) -> None:
        """Forget the steps of an episode that was not finished."""
        for column in (self.actions, self.observations, self.rewards):
            del column[begun:]

    def chunk(self, error: NonMarkovError | None) -> Chunk:
        columns = (self.actions, self.observations, self.rewards, self.lengths, self.cut)
        return Chunk(list(self.numbers), *columns, error)


def play_chunk(stage: Stage, actor: Actor, seeds: Sequence[int]) -> Chunk:
    """Play one episode for every seed; after an error, return those that were finished."""
    writer = _Writer()
    for seed in seeds:
        begun = len(writer.actions)
        try:
            writer.close(begun, _play_episode(stage, actor, seed, writer))
        except NonMarkovError as error:
            writer.drop(begun)
            return writer.chunk(error)
    return writer.chunk(None)


def _play_episode(stage: Stage, actor: Actor, seed: int, writer: _Writer) -> bool:
    """Play one episode; return whether it was cut off here."""
    first = stage.reset(seed)
    actor.begin(first, random.Random(seed))
    writer.write(len(stage.actions), first, 0.0)
    for _ in range(stage.max_steps):
        action = actor.act()
        label, reward, terminated, truncated = stage.step(action)
        writer.write(action, label, reward)
        if terminated or truncated:
            return False
        actor.see(action, label, reward)
    return True
