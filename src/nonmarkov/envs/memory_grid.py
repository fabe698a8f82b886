"""MiniGrid's memory task, with what is in view as a text, to learn from as it is."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Text
from gymnasium.wrappers import TransformObservation, TransformReward

from nonmarkov.envs.stage import make_environment


def make_memory_grid(size: int = 7) -> "gymnasium.Env[Any, Any]":
    """Return the task of a size, with a view of 3 x 3 cells and 1 for the right object."""
    env = make_environment(f"minigrid:MiniGrid-MemoryS{size}-v0", agent_view_size=3)
    seen: gymnasium.Env[Any, Any] = TransformObservation(env, _view_as_text, Text(20))
    return TransformReward(seen, lambda reward: float(float(reward) > 0.0))


def _view_as_text(observation: dict[str, Any]) -> str:
    """Return the kinds of the cells in view, row by row, and the direction."""
    cells = np.asarray(observation["image"])[:, :, 0].T
    rows = ["".join(f"{cell:x}" for cell in row) for row in cells]
    return "/".join([*rows, str(int(observation["direction"]))])
