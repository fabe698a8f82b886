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

NOWHERE = -1
UNIFORM_SHARE = 0.1  # of episodes that begin without looking
TAIL_SHARE = 0.3  # of passages along an unclear edge, after which nothing is looked at for a while
SPELL = 16  # steps without looking, on average
REPEAT_SHARE = 0.3  # of these spells, that repeat one action
SLIP = 0.03  # of those repetitions, another action
TIE = 1e-9  # relative difference at which actions are equally good

Step = tuple[int, Label, float]  # action, observation, reward


class Actor(Protocol):
    """Chooses the actions of an episode."""

    def begin(self, first: Label, rng: random.Random) -> None:
        """Begin an episode, with what is seen first."""

    def act(self) -> int:
        """Return the number of an action."""

    def see(self, action: int, observation: Label, reward: float) -> None:
        """Take note of what an action was answered with."""


class Guide(NamedTuple):
    """How to act in order to learn, in plain lists: Q states, E edges, A actions."""

    n_actions: int
    steps: list[dict[Step, tuple[int, int]]]  # by state: symbol to successor and number of edge
    usual: dict[Label, int]  # the state that an observation leads to most often
    worth: list[list[float]]  # (Q, A)
    edge_worth: dict[int, list[float]]  # of edges after which this counts, (A,)
    untried: dict[int, list[bool]]  # of the same edges, (A,)
    unclear: set[int]  # edges whose target is in doubt


def best_actions(worth: Sequence[float]) -> list[int]:
    """Return the actions that are worth most."""
    best = max(worth)
    return [a for a, w in enumerate(worth) if w >= best - TIE * abs(best)]


class Scout:
    """Acts to find out more and to earn at the same time.

    In half of the episodes an action that is untried after an open edge counts as in the state
    that the edge leads to: not all episodes of a plan need try the same.
    """

    def __init__(self, guide: Guide) -> None:
        self._guide = guide
        self._target = {edge: target for row in guide.steps for target, edge in row.values()}
        self._best = [best_actions(row) for row in guide.worth]
        self._after_edge = [
            {edge: best_actions(row) for edge, row in guide.edge_worth.items()},
            {edge: best_actions(self._sober(edge)) for edge in guide.edge_worth},
        ]

    def _sober(self, edge: int) -> list[float]:
        """Return the worth of actions after an edge, without hopes for untried ones."""
        guide, target = self._guide, self._target[edge]
        rows = zip(guide.edge_worth[edge], guide.untried[edge], guide.worth[target], strict=True)
        return [ordinary if untried else own for own, untried, ordinary in rows]

    def begin(self, first: Label, rng: random.Random) -> None:
        """Begin an episode, with what is seen first."""
        self._rng = rng
        self._state = 0 if self._guide.worth else NOWHERE
        self._edge = NOWHERE
        self._edges = self._after_edge[rng.random() < 0.5]
        self._repeated = NOWHERE
        self._looking = self._state >= 0
        if not self._looking or rng.random() < UNIFORM_SHARE:
            self._look_away()
        self.see(self._guide.n_actions, first, 0.0)

    def _look_away(self) -> None:
        rng, self._looking = self._rng, False
        repeats = rng.random() < REPEAT_SHARE
        self._repeated = rng.randrange(self._guide.n_actions) if repeats else NOWHERE

    def act(self) -> int:
        """Return the number of an action."""
        rng = self._rng
        if self._looking:
            best = self._edges.get(self._edge) or self._best[self._state]
            return best[0] if len(best) == 1 else best[int(rng.random() * len(best))]
        if self._repeated < 0 or rng.random() < SLIP:
            return int(rng.random() * self._guide.n_actions)
        return self._repeated

    def see(self, action: int, observation: Label, reward: float) -> None:
        """Follow the automaton; beyond what was seen, go on where the observation usually leads."""
        state = self._state
        found = self._guide.steps[state].get((action, observation, reward)) if state >= 0 else None
        if found is None:
            self._state, self._edge = self._guide.usual.get(observation, NOWHERE), NOWHERE
            doubtful = True
        else:
            self._state, self._edge = found
            doubtful = self._edge in self._guide.unclear
        if self._looking:
            if self._state < 0 or (doubtful and self._rng.random() < TAIL_SHARE):
                self._look_away()
        elif self._rng.random() * SPELL < 1.0:
            self._look_again()

    def _look_again(self) -> None:
        if self._state >= 0:
            self._looking = True
        else:
            self._look_away()  # with another action to repeat


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
