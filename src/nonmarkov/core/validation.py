"""What must hold before tables are called a decision process; errors name state and action."""

import numpy as np

from nonmarkov.core.building import Blueprint, stopping
from nonmarkov.errors import AlphabetError, EndlessProcessError, InvalidProcessError
from nonmarkov.exact.tables import PADDING, Tables, endless_states

ROUNDING = 1e-12


def check_blueprint(blueprint: Blueprint) -> None:
    """Raise unless every row is a distribution, every index exists, and every episode ends."""
    _check_sizes(blueprint)
    _check_indices(blueprint)
    _check_rows(blueprint)
    _check_episodes_end(blueprint)


def _check_sizes(blueprint: Blueprint) -> None:
    alphabet, states, tables = blueprint
    if len(states) != tables.n_states or len(set(states)) != len(states):
        raise InvalidProcessError(
            f"states must be {tables.n_states} different names, got {len(set(states))}."
        )
    if tables.n_actions != alphabet.n_actions or tables.n_observations != len(
        alphabet.observations
    ):
        raise AlphabetError(
            f"The alphabet does not fit the tables: {alphabet.n_actions} actions and "
            f"{len(alphabet.observations)} observations for tables of {tables.n_actions} and "
            f"{tables.n_observations}."
        )
    if tables.rewards.tolist() != list(alphabet.rewards):
        raise AlphabetError("The alphabet does not fit the tables: their rewards differ.")
    stopping(tables.stop, tables.horizon)


def _check_indices(blueprint: Blueprint) -> None:
    tables = blueprint.tables
    used = tables.outcome != PADDING
    wrong = used & (
        (tables.successor < 0)
        | (tables.successor >= tables.n_states)
        | (tables.outcome < 0)
        | (tables.outcome >= tables.n_outcomes)
    )
    if wrong.any():
        state, action, entry = np.argwhere(wrong)[0].tolist()
        raise InvalidProcessError(
            f"{_place(blueprint, state, action)}: outcome {tables.outcome[state, action, entry]} "
            f"with successor {tables.successor[state, action, entry]} does not exist."
        )
    if (tables.probability[~used] != 0.0).any() or (tables.successor[~used] != 0).any():
        raise InvalidProcessError("Unused entries of the tables must be zero.")
    _check_sorted(blueprint, tables)


def _check_sorted(blueprint: Blueprint, tables: Tables) -> None:
    """Outcomes of a row are sorted, so each has one entry, hence one successor."""
    left, right = tables.outcome[:, :, :-1], tables.outcome[:, :, 1:]
    wrong = (right != PADDING) & (right <= left)
    wrong |= (right != PADDING) & (left == PADDING)
    if wrong.any():
        state, action, _ = np.argwhere(wrong)[0].tolist()
        raise InvalidProcessError(
            f"{_place(blueprint, state, action)}: outcomes must be sorted, each listed once."
        )


def _check_rows(blueprint: Blueprint) -> None:
    tables = blueprint.tables
    negative = (tables.probability < 0.0).any(axis=2) | (tables.termination < 0.0)
    totals = tables.probability.sum(axis=2) + tables.termination
    wrong = negative | ~(np.abs(totals - 1.0) <= ROUNDING)
    if wrong.any():
        state, action = np.argwhere(wrong)[0].tolist()
        what = (
            "include a negative one"
            if negative[state, action]
            else (f"sum to {totals[state, action]:.12g}, not to 1")
        )
        raise InvalidProcessError(f"{_place(blueprint, state, action)}: probabilities {what}.")


def _check_episodes_end(blueprint: Blueprint) -> None:
    tables = blueprint.tables
    # Also in states out of reach: values are defined, and computed, for all of them.
    endless = endless_states(tables)
    if endless.size:
        raise EndlessProcessError(
            f"From state {blueprint.states[endless[0]]!r} some policy avoids termination for ever. "
            f"Give random stopping, stop > 0, or an outcome with next state None."
        )


def _place(blueprint: Blueprint, state: int, action: int) -> str:
    return f"state {blueprint.states[state]!r}, action {blueprint.alphabet.actions[action]!r}"
