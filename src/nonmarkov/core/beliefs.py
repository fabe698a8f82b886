"""POMDPs with finitely many reachable beliefs, as regular processes.

Theorem 1 of the paper: the map from histories to beliefs is then a Markov abstraction, so the
beliefs are the states of a process with the same dynamics.

A belief is a distribution over hidden states. With P(o, r, x' | x, a) the joint chance of what
is seen and where the world goes next,

    D(or|b,a) = Σ_x b(x) Σ_{x'} P(o, r, x'|x, a)
    b'(x')    = Σ_x b(x) P(o, r, x'|x, a) / D(or|b,a)

Two beliefs are one state if they have the same support and their probabilities agree up to a
relative tolerance. Relative, because Bayes' rule never moves two beliefs apart on that scale
(Hilbert's metric; Birkhoff, "Extensions of Jentzsch's theorem", 1957), while an absolute one
would take a strong suspicion for a certainty, from which no evidence leads back.
"""

import math
from bisect import bisect_left, insort
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from nonmarkov.checks import check_callable, check_integer, check_probability, check_real
from nonmarkov.core.building import (
    NO_START,
    SUM_TOLERANCE,
    Draft,
    OutcomeList,
    Row,
    check_world,
    read_outcomes,
)
from nonmarkov.errors import InvalidParameterError, InvalidProcessError, TooManyBeliefsError
from nonmarkov.labels import Label, as_label

FINEST_TOLERANCE = 1e-11  # below, rounding would tell apart what is the same
SMALLEST_CHANCE = 1e-200  # a belief that got there will go on, and floating point will not

Belief = dict[Label, float]  # hidden state -> probability; None is "the episode is over"


def joint_outcomes(
    transition: Callable[[Any, Label], Mapping[Any, float]],
    observation: Callable[[Any, Label], Mapping[Label, float]],
    reward: Callable[[Any, Label, Label], Mapping[float, float]],
) -> Callable[[Any, Label], OutcomeList]:
    """Return the outcome function of a POMDP given by the paper's three functions.

    What is observed and where the world goes depend on the hidden state and the action only.
    """
    check_callable("transition", transition)
    check_callable("observation", observation)
    check_callable("reward", reward)

    def outcomes(hidden: Any, action: Label) -> OutcomeList:
        for successor, p_successor in transition(hidden, action).items():
            for seen, p_seen in observation(hidden, action).items():
                for paid, p_paid in reward(hidden, action, seen).items():
                    yield p_successor * p_seen * p_paid, seen, paid, successor

    return outcomes


def explore_beliefs(
    start: Hashable | Mapping[Any, float],
    actions: Sequence[Label],
    outcomes: Callable[[Any, Label], OutcomeList],
    *,
    tolerance: float,
    limit: int,
) -> Draft:
    """Return the reachable beliefs as states, numbered in breadth-first order."""
    check_integer("limit", limit, at_least=1)
    check_world(actions, outcomes)
    if not FINEST_TOLERANCE <= check_real("tolerance", tolerance) < 1.0:
        raise InvalidParameterError(
            f"tolerance must lie in [{FINEST_TOLERANCE}, 1), got {tolerance}."
        )
    known = _BeliefTable(tolerance)
    known.index(_first_belief(start))
    draft = Draft()
    for here, belief in enumerate(known.beliefs):
        for a, action in enumerate(actions):
            row: Row = {}
            for pair, successor in _successors(belief, action, outcomes).items():
                total = sum(successor.values())
                target = known.index({x: mass / total for x, mass in successor.items()})
                row[pair] = (total, target)
            draft.outcomes[here, a] = row
            draft.terminations[here, a] = belief.get(None, 0.0)
        if len(known.beliefs) > limit:
            raise TooManyBeliefsError(
                f"More than {limit} beliefs are reachable; there may be infinitely many, and then "
                f"no finite Markov abstraction exists. Raise `limit` if you know better."
            )
        if min(belief.values()) < SMALLEST_CHANCE:
            raise TooManyBeliefsError(
                f"After {len(known.beliefs)} beliefs a hidden state has a chance below "
                f"{SMALLEST_CHANCE}: beliefs approach a certainty without ever reaching it. There "
                f"are infinitely many, and no finite Markov abstraction exists."
            )
    draft.states = [_label(belief) for belief in known.beliefs]
    return draft


def _first_belief(start: Hashable | Mapping[Any, float]) -> Belief:
    given = start if isinstance(start, Mapping) else {start: 1.0}
    belief = {as_label(x): check_probability("a chance in `start`", p) for x, p in given.items()}
    if abs(sum(belief.values()) - 1.0) > SUM_TOLERANCE:
        raise InvalidProcessError(f"The first belief must sum to 1, got {belief}.")
    possible = {hidden: chance for hidden, chance in belief.items() if chance > 0.0}
    if list(possible) == [None]:
        raise InvalidProcessError(NO_START)
    return possible


def _successors(
    belief: Belief, action: Label, outcomes: Callable[[Any, Label], OutcomeList]
) -> dict[tuple[Label, float], Belief]:
    """Return, for every outcome of an action, the joint chance of it and the next hidden state."""
    result: dict[tuple[Label, float], Belief] = {}
    for hidden, weight in belief.items():
        if hidden is None:
            continue
        place = f"hidden state {hidden!r}, action {action!r}"
        for chance, observation, reward, successor in read_outcomes(
            place, outcomes(hidden, action)
        ):
            mass = result.setdefault((observation, reward), {})
            mass[successor] = mass.get(successor, 0.0) + weight * chance
    return result


class _BeliefTable:
    """Beliefs found so far; those with one support are sorted by a key that close ones share."""

    def __init__(self, tolerance: float) -> None:
        self.beliefs: list[Belief] = []
        self._tolerance = tolerance
        # support -> (order of its hidden states, sorted (key, number of belief))
        self._by_support: dict[frozenset[Label], tuple[list[Label], list[tuple[float, int]]]] = {}

    def index(self, belief: Belief) -> int:
        """Return the number of the belief, a new one if it was never met."""
        order, keys = self._by_support.setdefault(frozenset(belief), (list(belief), []))
        key = sum((i + 1) * math.log(belief[hidden]) for i, hidden in enumerate(order))
        # Relative differences up to the tolerance move a logarithm by hardly more than that.
        reach = 1.01 * self._tolerance * sum(range(1, len(order) + 1)) + 1e-12 * abs(key)
        first, last = bisect_left(keys, (key - reach,)), bisect_left(keys, (key + reach,))
        for _, number in keys[first:last]:
            known = self.beliefs[number]
            if all(abs(known[x] / belief[x] - 1.0) <= self._tolerance for x in order):
                return number
        insort(keys, (key, len(self.beliefs)))
        self.beliefs.append(belief)
        return len(self.beliefs) - 1


def _label(belief: Belief) -> Label:
    """Return a readable label: the hidden state itself when it is certain."""
    if len(belief) == 1:
        return next(iter(belief))
    return tuple((hidden, float(f"{chance:.12g}")) for hidden, chance in belief.items())
