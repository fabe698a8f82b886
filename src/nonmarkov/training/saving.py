"""Agents in files: what they consist of besides a training, as plain values and arrays."""

from collections.abc import Sequence
from dataclasses import asdict, fields
from typing import Any

import numpy as np

from nonmarkov.agents import MarkovAgent
from nonmarkov.core import RegularProcess, codec
from nonmarkov.core.building import Blueprint
from nonmarkov.errors import InvalidParameterError
from nonmarkov.stored import Stored, columns
from nonmarkov.training.evaluation import Evaluation
from nonmarkov.training.settings import Settings

KIND = "agent"
LARGEST_STATE = (1 << 128) - 1  # of a random generator


def process_state(process: RegularProcess) -> dict[str, Any]:
    """Return a process with its labels."""
    return codec.blueprint_parts(Blueprint(process.alphabet, process.states, process.tables))


def read_process(stored: Stored) -> RegularProcess:
    """Return a stored process; the records that it is made of check themselves."""
    parts = {name: stored.plain(name) for name in codec.PARTS}
    return RegularProcess(*codec.to_blueprint(parts))


def settings_state(settings: Settings) -> dict[str, Any]:
    """Return settings by name."""
    if isinstance(settings.planner, MarkovAgent):
        raise InvalidParameterError(
            f"An agent with a planner of your own, {type(settings.planner).__name__}, cannot be "
            f"saved: a file holds no code. Save agent.abstraction, or choose a planner by name."
        )
    return asdict(settings)


def read_settings(stored: Stored) -> Settings:
    """Return stored settings."""
    return Settings(**{field.name: stored.plain(field.name) for field in fields(Settings)})


def generator_state(rng: np.random.Generator) -> dict[str, Any]:
    """Return where a random generator is; those of agents are all PCG64."""
    state = rng.bit_generator.state
    return {
        "state": state["state"]["state"],
        "increment": state["state"]["inc"],
        "half": int(state["uinteger"]) if state["has_uint32"] else None,
    }


def set_generator(rng: np.random.Generator, stored: Stored) -> None:
    """Let a random generator go on where a stored one was."""
    increment = stored.integer("increment", 1, LARGEST_STATE)
    stored.require(increment % 2 == 1, "the increment of a generator is odd")
    half = stored.integer("half", 0, 2**32 - 1) if stored.has("half") else None
    rng.bit_generator.state = {
        "bit_generator": "PCG64",
        "state": {"state": stored.integer("state", 0, LARGEST_STATE), "inc": increment},
        "has_uint32": int(half is not None),
        "uinteger": half or 0,
    }


def curve_state(curve: Sequence[Evaluation]) -> dict[str, Any]:
    """Return a learning curve as arrays."""
    return columns(Evaluation, curve)


def read_curve(stored: Stored, name: str, episodes: int) -> list[Evaluation]:
    """Return a stored learning curve of at most so many episodes."""
    curve = stored.records(name, Evaluation)
    trained = [*(point.episodes for point in curve), episodes + 1]
    stored.require((np.diff(trained) > 0).all(), "evaluations are in order")
    return curve
