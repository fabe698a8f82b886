"""Ways to write a process down: outcome functions, tables, MDPs, POMDPs.

All of them end in `assemble`, which turns lists of outcomes into tables.
"""

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from nonmarkov.checks import check_callable, check_integer, check_real, check_reward
from nonmarkov.core.alphabet import Alphabet
from nonmarkov.errors import AlphabetError, InvalidParameterError, InvalidProcessError
from nonmarkov.exact.tables import PADDING, Tables
from nonmarkov.labels import Label, as_label

# (probability, observation, reward, next state); a next state of None ends the episode for sure
OutcomeList = Iterable[tuple[float, Label, float, Any]]

SUM_TOLERANCE = 1e-9  # what users' rows may miss to 1; it is spread over the row
DUST = 1e-15  # what rounding leaves of a probability of zero, as in 1 - 0.7 - 0.3
SMALLEST_STOP = 1e-9
LONGEST_HORIZON = 1_000_000

NO_START = "start must be a hidden state, got None, which means that the episode is over."

Row = dict[tuple[Label, float], tuple[float, int]]  # (o, r) -> (probability, next state)


@dataclass
class Draft:
    """Outcomes while a process is being put together, by number of state and action."""

    states: list[Any] = field(default_factory=list)
    outcomes: dict[tuple[int, int], Row] = field(default_factory=dict)
    terminations: dict[tuple[int, int], float] = field(default_factory=dict)


class Blueprint(NamedTuple):
    """Everything a process is made of."""

    alphabet: Alphabet
    states: tuple[Label, ...]
    tables: Tables


def stopping(stop: float, horizon: int | None) -> tuple[float, int]:
    """Return random stopping and horizon, where p = 1/(H+1) gives one from the other."""
    stop = check_real("stop", stop)
    if not (stop == 0.0 or SMALLEST_STOP <= stop < 1.0):
        raise InvalidParameterError(
            f"stop must be 0, or a probability from {SMALLEST_STOP} to below 1, got {stop}."
        )
    if horizon is None and stop == 0.0:
        raise InvalidParameterError(
            "horizon is missing: without random stopping (stop=0), say how many steps an "
            "evaluation episode may have."
        )
    steps = max(1, round(1.0 / stop) - 1) if horizon is None else horizon
    steps = check_integer("horizon", steps, at_least=1)
    if steps > LONGEST_HORIZON:
        raise InvalidParameterError(f"horizon must be at most {LONGEST_HORIZON}, got {steps}.")
    return stop, steps


def check_world(actions: object, outcomes: object) -> None:
    """Refuse actions that are no list, and outcomes that are no function."""
    if not isinstance(actions, Iterable):
        raise InvalidParameterError(f"actions must be a list of labels, got {actions!r}.")
    check_callable("outcomes", outcomes)


def explore(
    start: Hashable,
    actions: Sequence[Label],
    outcomes: Callable[[Any, Any], OutcomeList],
    limit: int,
) -> Draft:
    """Return all that is reachable from `start`, states numbered in breadth-first order."""
    check_integer("limit", limit, at_least=1)
    check_world(actions, outcomes)
    if (first := as_label(start)) is None:
        raise InvalidProcessError(NO_START)
    draft = Draft(states=[first])
    index: dict[Label, int] = {first: 0}
    for here, state in enumerate(draft.states):
        for a, action in enumerate(actions):
            if state is None:
                draft.terminations[here, a] = 1.0
                continue
            place = f"state {state!r}, action {action!r}"
            row: Row = {}
            for chance, observation, reward, successor in read_outcomes(
                place, outcomes(state, action)
            ):
                target = index.setdefault(successor, len(draft.states))
                if target == len(draft.states):
                    draft.states.append(successor)
                _add_outcome(place, row, (observation, reward), chance, target)
            draft.outcomes[here, a] = row
        if len(draft.states) > limit:
            raise InvalidProcessError(
                f"More than {limit} states are reachable; there may be infinitely many. Raise "
                f"`limit` if you know better."
            )
    return draft


def _add_outcome(
    place: str, row: Row, pair: tuple[Label, float], probability: float, target: int
) -> None:
    """Add an outcome to a row; the next state must follow from what is seen."""
    sofar, known = row.get(pair, (0.0, target))
    if known != target:
        raise InvalidProcessError(
            f"{place}: outcome {pair} leads to two different states; the next state must follow "
            f"from the outcome. If it is hidden, use RegularProcess.from_pomdp."
        )
    row[pair] = (sofar + probability, target)


def read_outcomes(place: str, entries: Any) -> list[tuple[float, Label, float, Label]]:
    """Return the possible ones of a user's outcomes; `place` is named in errors."""
    if not isinstance(entries, Iterable):
        raise InvalidProcessError(
            f"{place}: expected a list of (probability, observation, reward, next_state), got "
            f"{entries!r}."
        )
    rows = [_read_outcome(place, entry) for entry in entries]
    total = math.fsum(row[0] for row in rows)
    if abs(total - 1.0) > SUM_TOLERANCE:
        raise InvalidProcessError(f"{place}: probabilities sum to {total:.12g}, not to 1.")
    return [row for row in rows if row[0] > DUST]


def _read_outcome(place: str, entry: Any) -> tuple[float, Label, float, Label]:
    try:
        probability, observation, reward, successor = entry
    except (TypeError, ValueError):
        raise InvalidProcessError(
            f"{place}: expected (probability, observation, reward, next_state), got {entry!r}."
        ) from None
    probability = check_real(f"{place}: a probability", probability)
    if probability < -DUST:
        raise InvalidProcessError(f"{place}: probability {probability} is negative.")
    reward = check_reward(f"{place}: a reward", reward)
    return probability, as_label(observation), reward, as_label(successor)


def assemble(
    draft: Draft,
    actions: Sequence[Label],
    observations: Sequence[Label] | None = None,
    rewards: Sequence[float] | None = None,
    *,
    stop: float,
    horizon: int | None,
    start: int = 0,
) -> Blueprint:
    """Return alphabet, states and tables of a draft.

    Observations default to those that occur, in order of appearance; rewards likewise, sorted.
    """
    stop, horizon = stopping(stop, horizon)
    pairs = [pair for row in draft.outcomes.values() for pair in row]
    alphabet = Alphabet(
        tuple(actions),
        tuple(dict.fromkeys(o for o, _ in pairs) if observations is None else observations),
        tuple(sorted({r for _, r in pairs}) if rewards is None else rewards),
    )
    tables = _fill_tables(draft, alphabet, start=start, stop=stop, horizon=horizon)
    return Blueprint(alphabet, tuple(as_label(state) for state in draft.states), tables)


def _fill_tables(draft: Draft, alphabet: Alphabet, **ends: Any) -> Tables:
    """Return the tables of a draft, outcomes sorted and padded to the longest row."""
    width = max([1, *map(len, draft.outcomes.values())])
    shape = (len(draft.states), alphabet.n_actions, width)
    probability, successor = np.zeros(shape), np.zeros(shape, dtype=np.int32)
    outcome = np.full(shape, PADDING, dtype=np.int32)
    termination = np.zeros(shape[:2])
    for place, row in draft.outcomes.items():
        entries = sorted(
            (_outcome_index(alphabet, draft, place, pair), chance, target)
            for pair, (chance, target) in row.items()
        )
        for i, (index, chance, target) in enumerate(entries):
            outcome[*place, i], probability[*place, i], successor[*place, i] = index, chance, target
    for place, chance in draft.terminations.items():
        termination[place] = chance
    totals = probability.sum(axis=2) + termination
    spread = np.where(np.abs(totals - 1.0) <= SUM_TOLERANCE, totals, 1.0)
    spread[np.abs(totals - 1.0) <= 1e-13] = 1.0  # nothing but rounding: leave it alone
    probability /= spread[:, :, None]
    termination /= spread
    return Tables(
        probability=probability,
        outcome=outcome,
        successor=successor,
        termination=termination,
        rewards=np.array(alphabet.rewards),
        n_observations=len(alphabet.observations),
        **ends,
    )


def _outcome_index(
    alphabet: Alphabet, draft: Draft, place: tuple[int, int], pair: tuple[Label, float]
) -> int:
    try:
        return alphabet.outcome_index(*pair)
    except AlphabetError as error:
        state, action = draft.states[place[0]], alphabet.actions[place[1]]
        raise AlphabetError(f"state {state!r}, action {action!r}: {error}") from None


def from_tau_theta(
    tau: Callable[[Any, Any, Any, float], Any],
    theta: Callable[[Any, Any], Mapping[tuple[Any, float], float]],
) -> Callable[[Any, Any], OutcomeList]:
    """Return the outcome function of a transducer given by its two functions."""
    check_callable("tau", tau)
    check_callable("theta", theta)

    def outcomes(state: Any, action: Any) -> OutcomeList:
        chances = theta(state, action)
        if not isinstance(chances, Mapping):
            raise InvalidProcessError(
                f"state {state!r}, action {action!r}: theta must return a mapping of (observation, "
                f"reward) to probability, got {chances!r}."
            )
        for (observation, reward), probability in chances.items():
            yield probability, observation, reward, tau(state, action, observation, reward)

    return outcomes
