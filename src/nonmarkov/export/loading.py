"""Models from files, whatever they hold: the content says what it is."""

import json
import os

from nonmarkov.abstraction import MarkovAbstraction
from nonmarkov.core import RegularProcess
from nonmarkov.errors import FileFormatError
from nonmarkov.files import UNREADABLE, read_bytes
from nonmarkov.formats.pomdp import Pomdp, read_pomdp
from nonmarkov.stored import is_packed
from nonmarkov.training import Agent


def load_model(
    path: str | os.PathLike[str],
) -> Agent | MarkovAbstraction | RegularProcess | Pomdp:
    """Return the agent, abstraction, process or POMDP in a file."""
    data = read_bytes(path)
    if is_packed(data):
        return Agent.load(path)
    if os.fspath(path).lower().endswith(".pomdp"):
        return read_pomdp(path)
    kind = _kind(data)
    if kind == "nonmarkov.process":
        return RegularProcess.load(path)
    if kind == "nonmarkov.automaton":
        return MarkovAbstraction.load(path)
    raise FileFormatError(
        f"{path} holds no model; expected a saved agent, abstraction or process, or a file whose "
        f"name ends in .pomdp."
    )


def _kind(data: bytes) -> object:
    """Return the format that a JSON text says it has, or None."""
    try:
        envelope = json.loads(data)
    except UNREADABLE:
        return None
    return envelope.get("format") if isinstance(envelope, dict) else None
