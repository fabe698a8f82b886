"""Snapshots of automata as the page takes them: every index checked, every number short."""

from functools import lru_cache
from typing import Any

from nonmarkov.errors import FileFormatError
from nonmarkov.files import UNREADABLE


def checked_snapshot(snapshot: dict[str, Any], source: str) -> dict[str, Any]:
    """Return the snapshot with short numbers, or say what is wrong with it."""
    try:
        states = [_state(state, len(snapshot["actions"])) for state in snapshot["states"]]
        limits = len(states), len(snapshot["actions"])
        return {
            "episodes": _integer(snapshot["episodes"]),
            "score": _short(snapshot["score"]),
            "start": _index(snapshot["start"], len(states)),
            "actions": list(snapshot["actions"]),
            "states": states,
            "edges": [_edge(edge, *limits) for edge in snapshot["edges"]],
        }
    except UNREADABLE as error:
        raise FileFormatError(f"{source} is no snapshot: {error}.") from None


def _state(state: dict[str, Any], n_actions: int) -> dict[str, Any]:
    visits = state.get("visits")
    return {
        "safe": bool(state["safe"]),
        "visits": None if visits is None else _integer(visits),
        "policy": [_index(action, n_actions) for action in state["policy"]],
    }


def _edge(edge: list[Any], n_states: int, n_actions: int) -> list[Any]:
    """Return an edge; written for speed, because folders have millions of them."""
    state, action, observation, reward, target, count, probability, decided = edge
    if not (type(state) is type(action) is type(target) is int):
        raise TypeError(f"{edge!r} should have integers for states and actions")
    if not (0 <= state < n_states and 0 <= action < n_actions and 0 <= target < n_states):
        raise ValueError(f"{edge!r} has a state or an action that is not there")
    if count is not None and type(count) is not int:
        raise TypeError(f"{count!r} should be a count")
    chance = None if probability is None else round(_number(probability), 4)
    return [state, action, observation, _short(reward), target, count, chance, int(bool(decided))]


def _integer(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{value!r} should be an integer")
    return value


def _number(value: object) -> float:
    if type(value) is float or type(value) is int:
        return value
    raise TypeError(f"{value!r} should be a number")


def _short(value: object) -> float:
    return _rounded(_number(value))


@lru_cache(maxsize=10_000)
def _rounded(value: float) -> float:
    return float(f"{value:.6g}")


def _index(value: object, length: int) -> int:
    number = _integer(value)
    if not 0 <= number < length:
        raise ValueError(f"{number} is not below {length}")
    return number
