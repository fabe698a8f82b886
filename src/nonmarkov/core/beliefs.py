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

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nonmarkov.core.building import Draft, OutcomeList, check_outcome
from nonmarkov.errors import InvalidParameterError, InvalidProcessError, TooManyBeliefsError
from nonmarkov.labels import Label

FINEST_TOLERANCE = 1e-11  # below, rounding would tell apart what is the same
SUM_TOLERANCE = 1e-9

Belief = dict[Any, float]  # hidden state -> probability; None is "the episode is over"


def joint_outcomes(
    transition: Callable[[Any, Label], Mapping[Any, float]],
    observation: Callable[[Any, Label], Mapping[Label, float]],
    reward: Callable[[Any, Label, Label], Mapping[float, float]],
) -> Callable[[Any, Label], OutcomeList]:
    """Return the outcome function of a POMDP given by the paper's three functions.

    What is observed and where the world goes depend on the hidden state and the action only.
    """

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
    if not FINEST_TOLERANCE <= tolerance < 1.0:
        raise InvalidParameterError(
            f"tolerance must lie in [{FINEST_TOLERANCE}, 1), got {tolerance}."
        )
    known = _BeliefTable(tolerance)
    first = dict(start) if isinstance(start, Mapping) else {start: 1.0}
    if abs(sum(first.values()) - 1.0) > SUM_TOLERANCE or min(first.values()) < 0.0:
        raise InvalidProcessError(f"The first belief must sum to 1, got {first}.")
    known.index({hidden: chance for hidden, chance in first.items() if chance > 0.0})
    draft = Draft()
    for here, belief in enumerate(known.beliefs):
        for a, action in enumerate(actions):
            row: dict[tuple[Label, float], tuple[float, int]] = {}
            for pair, successor in _successors(belief, action, outcomes).items():
                total = sum(successor.values())
                target = known.index({x: mass / total for x, mass in successor.items()})
                row[pair] = (total, target)
            if len(known.beliefs) > limit:
                raise TooManyBeliefsError(
                    f"More than {limit} beliefs are reachable (tolerance {tolerance}); there may "
                    f"be infinitely many, and then no finite Markov abstraction exists. Raise "
                    f"`limit` or `tolerance` if you know better."
                )
            draft.outcomes[here, a] = row
            draft.terminations[here, a] = belief.get(None, 0.0)
    draft.states = [_label(belief) for belief in known.beliefs]
    return draft


def _successors(
    belief: Belief, action: Label, outcomes: Callable[[Any, Label], OutcomeList]
) -> dict[tuple[Label, float], Belief]:
    """Return, for every outcome of an action, the joint chance of it and the next hidden state."""
    result: dict[tuple[Label, float], Belief] = {}
    for hidden, weight in belief.items():
        if hidden is None:
            continue
        place = f"hidden state {hidden!r}, action {action!r}"
        total = 0.0
        for entry in outcomes(hidden, action):
            probability, observation, reward, successor = check_outcome(place, entry)
            total += probability
            if probability > 0.0:
                mass = result.setdefault((observation, reward), {})
                mass[successor] = mass.get(successor, 0.0) + weight * probability
        if abs(total - 1.0) > SUM_TOLERANCE:
            raise InvalidProcessError(f"{place}: probabilities sum to {total}, not to 1.")
    return result


class _BeliefTable:
    """Beliefs found so far, looked up by support and then by distance."""

    def __init__(self, tolerance: float) -> None:
        self.beliefs: list[Belief] = []
        self._tolerance = tolerance
        self._by_support: dict[frozenset[Any], tuple[list[Any], list[int], list[list[float]]]] = {}

    def index(self, belief: Belief) -> int:
        """Return the number of the belief, a new one if it was never met."""
        order, numbers, rows = self._by_support.setdefault(
            frozenset(belief), (list(belief), [], [])
        )
        row = [belief[hidden] for hidden in order]
        if rows:
            gaps: NDArray[np.float64] = np.abs(np.array(rows) / row - 1.0).max(axis=1)
            if gaps.min() <= self._tolerance:
                return numbers[int(gaps.argmin())]
        numbers.append(len(self.beliefs))
        rows.append(row)
        self.beliefs.append(belief)
        return numbers[-1]


def _label(belief: Belief) -> Label:
    """Return a readable label: the hidden state itself when it is certain."""
    if len(belief) == 1:
        return next(iter(belief))  # type: ignore[no-any-return]
    return tuple((hidden, float(f"{chance:.12g}")) for hidden, chance in belief.items())
