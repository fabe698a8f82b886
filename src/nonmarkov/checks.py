"""Checks of arguments: each names the argument, the legal range, and the value given."""

import math
from collections.abc import Sequence
from numbers import Integral, Real

import numpy as np

from nonmarkov.errors import InvalidParameterError

MOST = 10**15  # whatever is counted: no machine gets that far
LARGEST_REWARD = 1e100  # sums and squares of as many as there may be are still numbers
SMALLEST = 1e-9  # what no data could ever tell from zero


def check_integer(name: str, value: object, *, at_least: int, at_most: int | None = None) -> int:
    """Return `value` as an int that is at least `at_least`, and at most `at_most`."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise InvalidParameterError(f"{name} must be an integer, got {value!r}.")
    if value < at_least:
        raise InvalidParameterError(f"{name} must be at least {at_least}, got {value}.")
    if at_most is not None and int(value) > at_most:
        raise InvalidParameterError(f"{name} must be at most {at_most:,}, got {value}.")
    return int(value)


def check_real(name: str, value: object) -> float:
    """Return `value` as a finite float."""
    try:
        if not isinstance(value, bool) and isinstance(value, Real) and math.isfinite(value):
            return float(value)
    except OverflowError:
        pass  # an integer that no float can hold
    raise InvalidParameterError(f"{name} must be a finite number, got {value!r}.")


def check_reward(name: str, value: object) -> float:
    """Return `value` as a float of at most LARGEST_REWARD, whatever its sign."""
    number = check_real(name, value)
    if abs(number) > LARGEST_REWARD:
        raise InvalidParameterError(
            f"{name} must lie between {-LARGEST_REWARD:g} and {LARGEST_REWARD:g}, got {value}; "
            f"scale all rewards down."
        )
    return number


def check_callable(name: str, value: object) -> None:
    """Refuse what cannot be called."""
    if not callable(value):
        raise InvalidParameterError(f"{name} must be a function, got {value!r}.")


def check_positive(name: str, value: object) -> float:
    """Return `value` as a float that is at least SMALLEST."""
    number = check_real(name, value)
    if number < SMALLEST:
        raise InvalidParameterError(f"{name} must be positive, at least {SMALLEST:g}, got {value}.")
    return number


def check_fraction(name: str, value: object, *, one: bool = False) -> float:
    """Return `value` as a float in (0, 1), or in (0, 1] if `one` may be reached."""
    number = check_real(name, value)
    if not (0.0 < number < 1.0 or (one and number == 1.0)):
        raise InvalidParameterError(f"{name} must lie in (0, 1{']' if one else ')'}, got {value}.")
    return number


def check_probability(name: str, value: object) -> float:
    """Return `value` as a float in [0, 1]."""
    number = check_real(name, value)
    if not 0.0 <= number <= 1.0:
        raise InvalidParameterError(f"{name} must be a probability in [0, 1], got {value}.")
    return number


def check_probabilities(name: str, values: object, *, length: int) -> tuple[float, ...]:
    """Return `values` as a tuple of `length` floats in [0, 1]."""
    entries = check_sequence(name, values, length=length)
    return tuple(check_probability(f"{name}[{i}]", value) for i, value in enumerate(entries))


def check_sequence(name: str, values: object, *, length: int) -> tuple[object, ...]:
    """Return `values` as a tuple of `length` entries."""
    if isinstance(values, np.ndarray):
        values = values.tolist()
    if isinstance(values, str) or not isinstance(values, Sequence):
        raise InvalidParameterError(f"{name} must be a list of {length} entries, got {values!r}.")
    if len(values) != length:
        raise InvalidParameterError(
            f"{name} must have {length} entries, got {len(values)}: {tuple(values)}."
        )
    return tuple(values)


def check_choice(name: str, value: object, choices: Sequence[str]) -> str:
    """Return `value` if it is one of the given names."""
    if isinstance(value, str) and value in choices:
        return value
    raise InvalidParameterError(f"{name} must be one of {', '.join(choices)}, got {value!r}.")


def check_flag(name: str, value: object) -> bool:
    """Return `value` as a bool."""
    if not isinstance(value, (bool, np.bool_)):
        raise InvalidParameterError(f"{name} must be True or False, got {value!r}.")
    return bool(value)


def check_cell(name: str, value: object, *, width: int, height: int) -> tuple[int, int]:
    """Return `value` as a cell (x, y) of a grid of the given size."""
    x, y = (
        check_integer(f"{name}[{i}]", c, at_least=0)
        for i, c in enumerate(check_sequence(name, value, length=2))
    )
    if x >= width or y >= height:
        raise InvalidParameterError(
            f"{name} must be a cell of the {width}x{height} grid, got {(x, y)}; choose another, or "
            f"a larger grid."
        )
    return x, y
