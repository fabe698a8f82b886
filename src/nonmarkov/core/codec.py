"""Records of `core` to sealed JSON texts and back."""

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from nonmarkov.core.alphabet import Alphabet
from nonmarkov.core.building import Blueprint
from nonmarkov.errors import FileFormatError, NonMarkovError
from nonmarkov.exact.tables import Tables
from nonmarkov.files import UNREADABLE, seal, unseal
from nonmarkov.labels import label_from_json

Record = TypeVar("Record")

ARRAYS = ("probability", "outcome", "successor", "termination")
PARTS = ("alphabet", "states", "start", "stop", "horizon", *ARRAYS)  # of a process


def to_text(kind: str, content: dict[str, Any]) -> str:
    """Return the sealed text of a record of the given kind."""
    return seal(f"nonmarkov.{kind}", content)


def from_text(
    text: str | bytes, kind: str, build: Callable[[dict[str, Any]], Record], source: object
) -> Record:
    """Return the record that `build` makes of a sealed text; `source` is named in errors."""
    content = unseal(f"nonmarkov.{kind}", text, source)
    try:
        return build(content)
    except (*UNREADABLE, NonMarkovError) as error:
        raise FileFormatError(f"{source} does not hold a valid {kind}: {error}") from None


def from_blueprint(blueprint: Blueprint) -> dict[str, Any]:
    """Return a process as plain JSON data."""
    parts = blueprint_parts(blueprint)
    return parts | {name: parts[name].tolist() for name in ARRAYS}


def blueprint_parts(blueprint: Blueprint) -> dict[str, Any]:
    """Return a process as plain JSON data and arrays."""
    alphabet, states, tables = blueprint
    return {
        "alphabet": alphabet.to_content(),
        "states": list(states),
        "start": tables.start,
        "stop": tables.stop,
        "horizon": tables.horizon,
        **{name: getattr(tables, name) for name in ARRAYS},
    }


def to_blueprint(content: dict[str, Any]) -> Blueprint:
    """Return the process that `from_blueprint` or `blueprint_parts` wrote."""
    alphabet = Alphabet.from_content(content["alphabet"])
    tables = Tables(
        **{name: content[name] for name in ARRAYS},
        rewards=np.array(alphabet.rewards),
        n_observations=len(alphabet.observations),
        start=content["start"],
        stop=content["stop"],
        horizon=content["horizon"],
    )
    return Blueprint(alphabet, tuple(label_from_json(state) for state in content["states"]), tables)
