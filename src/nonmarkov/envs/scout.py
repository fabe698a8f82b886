"""Acting in an environment to find out more and to earn at the same time.

A plan is made for several episodes, and these can be long. So within an episode what is tried
counts at once: an action that was hoped for, and brought nothing, is not tried for ever.
"""

import random
from collections.abc import Sequence
from typing import NamedTuple

from nonmarkov.labels import Label

NOWHERE = -1
UNIFORM_SHARE = 0.1  # of episodes that begin without looking
TAIL_SHARE = 0.3  # of passages along an unclear edge, after which nothing is looked at for a while
SPELL = 16  # steps without looking, on average
REPEAT_SHARE = 0.3  # of these spells, that repeat one action
SLIP = 0.03  # of those repetitions, another action
TIE = 1e-9  # relative difference at which actions are equally good
FAMILIAR = 100  # tries, after which one more changes nothing

Step = tuple[int, Label, float]  # action, observation, reward
Row = Sequence[float]  # (A,)


class Guide(NamedTuple):
    """How to act in order to learn, in plain lists: Q states, E edges, A actions."""

    n_actions: int
    steps: list[dict[Step, tuple[int, int]]]  # by state: symbol to successor and number of edge
    near: list[dict[Label, int]]  # by state: a state that an observation leads to from there
    usual: dict[Label, int]  # the state that an observation leads to most often
    worth: list[Row]  # (Q, A)
    weight: list[Row]  # (Q, A), the number of tries that a worth is the mean of
    edge_worth: dict[int, Row]  # of edges after which this counts, (A,)
    edge_weight: dict[int, Row]  # of the same edges, (A,); 0 for untried actions
    unclear: set[int]  # edges whose target is in doubt
    keep: float  # chance that a step is not the last
    highest: float  # what nothing is worth more than


def best_actions(worth: Row) -> list[int]:
    """Return the actions that are worth most."""
    best = max(worth)
    return [a for a, w in enumerate(worth) if w >= best - TIE * abs(best)]


class _Place:
    """What actions are worth in a state, or after an open edge."""

    __slots__ = ("best", "value", "weight", "worth")

    def __init__(self, worth: Row, weight: Row) -> None:
        self.worth, self.weight = worth, weight
        self.best, self.value = best_actions(worth), max(worth)

    def after(self, action: int, gain: float) -> "_Place":
        """Return the same place after one more try of an action."""
        worth, weight = list(self.worth), list(self.weight)
        weight[action] += 1.0
        worth[action] += (gain - worth[action]) / weight[action]
        return _Place(worth, weight)


class Scout:
    """Acts to find out more and to earn at the same time.

    In half of the episodes an action that is untried after an open edge counts as in the state
    that the edge leads to: not all episodes of a plan need try the same.
    """

    def __init__(self, guide: Guide) -> None:
        self._guide = guide
        target = {edge: target for row in guide.steps for target, edge in row.values()}
        self._states = [
            _Place(worth, weight) for worth, weight in zip(guide.worth, guide.weight, strict=True)
        ]
        hopeful = {
            edge: _Place(worth, guide.edge_weight[edge]) for edge, worth in guide.edge_worth.items()
        }
        sober = {edge: _sober(place, self._states[target[edge]]) for edge, place in hopeful.items()}
        self._after_edge = [hopeful, sober]

    def begin(self, first: Label, rng: random.Random) -> None:
        """Begin an episode, with what is seen first."""
        self._rng = rng
        self._state = 0 if self._guide.worth else NOWHERE
        self._edge = NOWHERE
        self._edges = self._after_edge[rng.random() < 0.5]
        self._changed: dict[int, _Place] = {}  # in this episode, by edge or ~state
        self._repeated = NOWHERE
        self._looking = self._state >= 0
        if not self._looking or rng.random() < UNIFORM_SHARE:
            self._look_away()
        self._follow(self._guide.n_actions, first, 0.0)

    def act(self) -> int:
        """Return the number of an action."""
        rng = self._rng
        if self._looking:
            best = self._place().best
            return best[0] if len(best) == 1 else best[int(rng.random() * len(best))]
        if self._repeated < 0 or rng.random() < SLIP:
            return int(rng.random() * self._guide.n_actions)
        return self._repeated

    def see(self, action: int, observation: Label, reward: float) -> None:
        """Take note of what an action was answered with."""
        if self._state < 0:
            self._follow(action, observation, reward)
            return
        name, place = self._name(), self._place()
        self._follow(action, observation, reward)
        if place.weight[action] < FAMILIAR:
            guide = self._guide
            further = self._place().value if self._state >= 0 else guide.highest
            gain = min(guide.highest, guide.keep * (reward + further))
            self._changed[name] = place.after(action, gain)

    def _name(self) -> int:
        return self._edge if self._edge in self._edges else ~self._state

    def _place(self) -> _Place:
        place = self._changed.get(self._name()) or self._edges.get(self._edge)
        return place or self._states[self._state]

    def _follow(self, action: int, observation: Label, reward: float) -> None:
        """Follow the automaton; beyond what was seen, go on where the observation usually leads."""
        state, guide = self._state, self._guide
        found = guide.steps[state].get((action, observation, reward)) if state >= 0 else None
        if found is None:
            near = guide.near[state].get(observation) if state >= 0 else None
            self._state = guide.usual.get(observation, NOWHERE) if near is None else near
            self._edge, doubtful = NOWHERE, True
        else:
            self._state, self._edge = found
            doubtful = self._edge in guide.unclear
        if self._looking:
            if self._state < 0 or (doubtful and self._rng.random() < TAIL_SHARE):
                self._look_away()
        elif self._rng.random() * SPELL < 1.0:
            self._look_again()

    def _look_away(self) -> None:
        rng, self._looking = self._rng, False
        repeats = rng.random() < REPEAT_SHARE
        self._repeated = rng.randrange(self._guide.n_actions) if repeats else NOWHERE

    def _look_again(self) -> None:
        if self._state >= 0:
            self._looking = True
        else:
            self._look_away()  # with another action to repeat


def _sober(edge: _Place, target: _Place) -> _Place:
    """Return what actions are worth after an edge, without hopes for untried ones."""
    untried = [weight == 0.0 for weight in edge.weight]
    worth = zip(untried, target.worth, edge.worth, strict=True)
    weight = zip(untried, target.weight, edge.weight, strict=True)
    return _Place(
        [there if unknown else own for unknown, there, own in worth],
        [there if unknown else own for unknown, there, own in weight],
    )
