"""Spaces of Gymnasium as labels: which actions there are, and what an observation is called.

Discrete        its integers
MultiDiscrete   tuples of integers, nested as the array is; MultiBinary the same
Text            strings
Tuple, Dict     tuples of the labels of their parts; for Dict, of pairs (key, label)

Everything else is refused: what is never seen twice cannot be learned from.
"""

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium import spaces

from nonmarkov.core.alphabet import ENDED
from nonmarkov.errors import InvalidParameterError, UnsuitableEnvironmentError
from nonmarkov.labels import Label

MOST_ACTIONS = 4096

Encoder = Callable[[Any], Label]


def enumerate_actions(space: spaces.Space[Any]) -> tuple[Label, ...]:
    """Return the labels of all actions of a space."""
    if isinstance(space, spaces.Discrete):
        _check_number(int(space.n))
        return tuple(range(int(space.start), int(space.start) + int(space.n)))
    if isinstance(space, spaces.MultiDiscrete):
        starts = np.asarray(space.start)
        _check_number(math.prod(map(int, space.nvec.ravel())))
        ranges = [range(int(n)) for n in space.nvec.ravel()]
        return tuple(
            _nested(np.reshape(choice, space.nvec.shape) + starts)
            for choice in itertools.product(*ranges)
        )
    if isinstance(space, spaces.MultiBinary):
        _check_number(2 ** math.prod(space.shape))
        choices = itertools.product((0, 1), repeat=math.prod(space.shape))
        return tuple(_nested(np.reshape(choice, space.shape)) for choice in choices)
    raise UnsuitableEnvironmentError(
        f"The actions must be Discrete, MultiDiscrete or MultiBinary, got {space}. Wrap the "
        f"environment in one with a few actions to choose from, as gymnasium.ActionWrapper does."
    )


def as_action(label: Label) -> Any:
    """Return an action in the form in which an environment takes it."""
    return np.array(label) if isinstance(label, tuple) else label


def _check_number(n: int) -> None:
    if n > MOST_ACTIONS:
        raise UnsuitableEnvironmentError(
            f"There are {n:,} actions; at most {MOST_ACTIONS:,} can be told apart. Wrap the "
            f"environment in one with fewer."
        )


def observation_encoder(space: spaces.Space[Any]) -> Encoder:
    """Return the function that names the observations of a space, and refuses all others."""
    if isinstance(space, spaces.Discrete):
        return _integer_encoder(space)
    if isinstance(space, (spaces.MultiDiscrete, spaces.MultiBinary)):
        return _array_encoder(space)
    if isinstance(space, spaces.Text):
        return _text_encoder(space)
    if isinstance(space, spaces.Tuple):
        return _tuple_encoder(space)
    if isinstance(space, spaces.Dict):
        return _dict_encoder(space)
    raise UnsuitableEnvironmentError(_advice(space))


def _advice(space: spaces.Space[Any]) -> str:
    if isinstance(space, spaces.Box):
        whole = np.issubdtype(space.dtype, np.integer) and space.is_bounded("both")
        if whole and math.prod(space.shape) > 1:
            return (
                f"Observations are arrays, {space}. Name what can be seen in a "
                f"gymnasium.ObservationWrapper, as a text or as MultiDiscrete numbers, or wrap the "
                f"environment in nm.Discretize(env)."
            )
        return (
            f"Observations are real numbers, {space}: none is ever seen twice. Wrap the "
            f"environment in nm.Discretize(env, bins=...)."
        )
    return (
        f"Observations must be Discrete, MultiDiscrete, MultiBinary, Text, or a Tuple or Dict of "
        f"these, got {space}. Wrap the environment in a gymnasium.ObservationWrapper."
    )


def plain_label(observation: Any) -> Label:
    """Return the label of an observation whose space is not at hand."""
    if isinstance(observation, np.ndarray):
        return _nested(observation)
    if isinstance(observation, np.generic):
        return observation.item()  # type: ignore[no-any-return]
    if isinstance(observation, dict):
        return tuple((str(key), plain_label(observation[key])) for key in sorted(observation))
    if isinstance(observation, (tuple, list)):
        return tuple(plain_label(part) for part in observation)
    if isinstance(observation, (str, int, float, bool)) or observation is None:
        return observation
    raise InvalidParameterError(
        f"An observation must be a number, a text, an array, or a tuple or dict of these, got "
        f"{observation!r}."
    )


def _nested(array: np.ndarray[Any, Any]) -> Label:
    """Return an array as tuples."""
    return _frozen(array.tolist())


def _frozen(value: Any) -> Label:
    return tuple(_frozen(entry) for entry in value) if isinstance(value, list) else value


def _stranger(observation: Any, space: spaces.Space[Any]) -> UnsuitableEnvironmentError:
    return UnsuitableEnvironmentError(
        f"An observation, {observation!r}, does not belong to the observation space {space}. "
        f"Correct the space, or the observation; gymnasium.utils.env_checker.check_env helps."
    )


def _integer_encoder(space: spaces.Discrete) -> Encoder:
    low, high = int(space.start), int(space.start) + int(space.n)

    def encode(observation: Any) -> Label:
        try:
            number = int(observation)
        except (TypeError, ValueError):
            raise _stranger(observation, space) from None
        if not low <= number < high or number != observation:
            raise _stranger(observation, space)
        return number

    return encode


def _array_encoder(space: spaces.MultiDiscrete | spaces.MultiBinary) -> Encoder:
    def encode(observation: Any) -> Label:
        if not space.contains(observation):
            raise _stranger(observation, space)
        return _nested(np.asarray(observation))

    return encode


def _text_encoder(space: spaces.Text) -> Encoder:
    def encode(observation: Any) -> Label:
        # The characters are not looked at: spaces seldom list them all, and any will do.
        if not isinstance(observation, str) or observation == ENDED:
            raise _stranger(observation, space)
        return observation

    return encode


def _tuple_encoder(space: spaces.Tuple[Any]) -> Encoder:
    parts = [observation_encoder(part) for part in space.spaces]

    def encode(observation: Any) -> Label:
        if not isinstance(observation, (tuple, list)) or len(observation) != len(parts):
            raise _stranger(observation, space)
        return tuple(part(value) for part, value in zip(parts, observation, strict=True))

    return encode


def _dict_encoder(space: spaces.Dict) -> Encoder:
    parts = {key: observation_encoder(space.spaces[key]) for key in sorted(space.spaces)}

    def encode(observation: Any) -> Label:
        if not isinstance(observation, dict) or observation.keys() != parts.keys():
            raise _stranger(observation, space)
        return tuple((str(key), part(observation[key])) for key, part in parts.items())

    return encode
