"""Snapshots of automata as the page takes them: every index checked, every number short."""

from typing import Any

from nonmarkov.errors import FileFormatError
from nonmarkov.files import UNREADABLE

EDGE_LENGTH = 8


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
    if len(edge) != EDGE_LENGTH:
        raise ValueError(f"an edge has {EDGE_LENGTH} entries, got {edge!r}")
    state, action, observation, reward, target, count, probability, decided = edge
    return [
        _index(state, n_states),
        _index(action, n_actions),
        observation,
        _short(reward),
        _index(target, n_states),
        None if count is None else _integer(count),
        None if probability is None else round(_number(probability), 4),
        int(bool(decided)),
    ]


def _integer(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{value!r} should be an integer")
    return value


def _number(value: object) -> float:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise TypeError(f"{value!r} should be a number")
    return value


def _short(value: object) -> float:
    return float(f"{_number(value):.6g}")


def _index(value: object, length: int) -> int:
    number = _integer(value)
    if not 0 <= number < length:
        raise ValueError(f"{number} is not below {length}")
    return number
