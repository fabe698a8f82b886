"""Processes written down as dense tables."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nonmarkov.core.alphabet import Alphabet
from nonmarkov.core.building import Draft, Row
from nonmarkov.errors import InvalidProcessError
from nonmarkov.labels import Label
from nonmarkov.records import frozen_array


def read_tables(
    probability: ArrayLike,
    successor: ArrayLike,
    termination: ArrayLike | None,
    alphabet: Alphabet,
    states: Sequence[Label] | None,
) -> Draft:
    """Return the draft of tables of shape (Q, A, O, R) and termination (Q, A)."""
    chances = frozen_array("probability", probability, np.float64)
    targets = frozen_array("successor", successor, np.int64)
    observations, rewards = alphabet.observations, alphabet.rewards
    size = (alphabet.n_actions, len(observations), len(rewards))
    if chances.ndim != 4 or chances.shape[1:] != size or targets.shape != chances.shape:
        raise InvalidProcessError(
            f"probability and successor must have shape (Q, {', '.join(map(str, size))}) for "
            f"these actions, observations and rewards; got {chances.shape} and {targets.shape}."
        )
    wrong = (chances != 0.0) & ((targets < 0) | (targets >= len(chances)))
    if wrong.any():
        state, action = np.argwhere(wrong)[0][:2].tolist()
        raise InvalidProcessError(
            f"state {state if states is None else states[state]!r}, action "
            f"{alphabet.actions[action]!r}: a successor is no state below {len(chances)}."
        )
    draft = _empty_draft(chances, termination, states)
    for place in np.ndindex(chances.shape[:2]):
        row: Row = {}
        for o, r in np.argwhere(chances[place] != 0.0).tolist():
            target = int(targets[*place, o, r])
            row[observations[o], float(rewards[r])] = (float(chances[*place, o, r]), target)
        draft.outcomes[place] = row
    return draft


def read_mdp(
    transition: ArrayLike,
    reward: ArrayLike,
    termination: ArrayLike | None,
    actions: Sequence[Label] | None,
    states: Sequence[Label] | None,
) -> tuple[Draft, Sequence[Label]]:
    """Return draft and actions of an MDP: transition (S, A, S), reward (S, A) or (S, A, S)."""
    chances = frozen_array("transition", transition, np.float64)
    if chances.ndim != 3 or chances.shape[0] != chances.shape[2]:
        raise InvalidProcessError(f"transition must have shape (S, A, S), got {chances.shape}.")
    names = range(chances.shape[1]) if actions is None else actions
    if len(names) != chances.shape[1]:
        raise InvalidProcessError(
            f"transition has {chances.shape[1]} actions, but actions names {len(names)}."
        )
    income = frozen_array("reward", reward, np.float64)
    if income.shape not in (chances.shape, chances.shape[:2]):
        raise InvalidProcessError(
            f"reward must have shape {chances.shape[:2]} or {chances.shape}, got {income.shape}."
        )
    income = np.broadcast_to(income.reshape(*chances.shape[:2], -1), chances.shape)
    draft = _empty_draft(chances, termination, states)
    for place in np.ndindex(chances.shape[:2]):
        draft.outcomes[place] = {
            (draft.states[target], float(income[*place, target])): (
                float(chances[*place, target]),
                target,
            )
            for target in np.flatnonzero(chances[place]).tolist()
        }
    return draft, names


def _empty_draft(
    chances: NDArray[np.float64], termination: ArrayLike | None, states: Sequence[Label] | None
) -> Draft:
    """Return a draft with states and terminations, outcomes still to be filled in."""
    n_states, n_actions = chances.shape[:2]
    names = list(range(n_states)) if states is None else list(states)
    if len(names) != n_states:
        raise InvalidProcessError(f"states must name all {n_states} states, got {len(names)}.")
    ends = (
        np.zeros((n_states, n_actions))
        if termination is None
        else frozen_array("termination", termination, np.float64)
    )
    if ends.shape != (n_states, n_actions):
        raise InvalidProcessError(
            f"termination must have shape {(n_states, n_actions)}, got {ends.shape}."
        )
    terminations = {place: float(ends[place]) for place in np.ndindex(n_states, n_actions)}
    return Draft(states=names, terminations=terminations)
