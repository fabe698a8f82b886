"""A process as a Gymnasium environment.

action_space       Discrete(A); action i is `process.actions[i]`
observation_space  Discrete(O + 1); i < O is `process.observations[i]`, and O means that there is
                   nothing to see: before the first action, and with random stopping
reward             the process's reward, 0 with random stopping
terminated         the episode was stopped at random, or the goal was reached: Gymnasium shows the
                   last outcome and the end in one step, where the process needs one more action
truncated          only with `evaluation=True`: the horizon was reached
info               "state", the hidden state; nothing else tells it, pictures included
"""

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from nonmarkov.checks import check_integer
from nonmarkov.core import RegularProcess
from nonmarkov.core.scene import Board, Step, lever_board
from nonmarkov.core.simulation import cumulative_chance
from nonmarkov.envs.picture import draw_board
from nonmarkov.envs.text import write_board


class ProcessEnv(gymnasium.Env[np.int64, np.int64]):
    """One agent in one process, a step at a time."""

    metadata: dict[str, Any] = {  # noqa: RUF012 (as Gymnasium declares it)
        "render_modes": ["ansi", "rgb_array"],
        "render_fps": 4,
    }

    def __init__(
        self,
        process: RegularProcess,
        *,
        board: Callable[[Step], Board] | None = None,
        evaluation: bool = False,
        render_mode: str | None = None,
    ) -> None:
        """Play `process`; with `evaluation`, for `horizon` steps and without random stopping.

        `board` says what pictures show; unless given, one lever for every action.
        """
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise gymnasium.error.UnsupportedMode(
                f"render_mode must be one of {self.metadata['render_modes']}, got {render_mode!r}."
            )
        self.process = process
        self.render_mode = render_mode
        self.action_space = spaces.Discrete(len(process.actions))
        self.observation_space = spaces.Discrete(len(process.observations) + 1)
        self._board = board or (lambda step: lever_board(process.actions, step))
        self._evaluation = evaluation
        self._nothing = np.int64(len(process.observations))
        tables = process.tables
        self._chance = (
            cumulative_chance(tables.probability, tables.termination)
            if evaluation
            else cumulative_chance(tables.dynamics, tables.ending)
        )
        self._state: int | None = None
        self._last = Step()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.int64, dict[str, Any]]:
        """Begin an episode; there is nothing to see yet."""
        super().reset(seed=seed, options=options)
        self._state = self.process.tables.start
        self._steps = 0
        self._last = Step()
        return self._nothing, self._info(self._state)

    def step(self, action: np.int64 | int) -> tuple[np.int64, float, bool, bool, dict[str, Any]]:
        """Take an action and return what it is answered with."""
        if self._state is None:
            raise gymnasium.error.ResetNeeded("The episode is over: call reset() first.")
        action = check_integer("action", action, at_least=0)
        if action >= len(self.process.actions):
            raise gymnasium.error.InvalidAction(
                f"action must be below {len(self.process.actions)}, got {action}."
            )
        state, self._steps = self._state, self._steps + 1
        entry = self._draw(state, action)
        if entry is None:
            self._state = None
            self._last = Step(self.process.actions[action])
            return self._nothing, 0.0, True, False, self._info(state)
        tables = self.process.tables
        observation = int(tables.outcome[state, action, entry]) // len(self.process.rewards)
        reward = float(tables.gain[state, action, entry])
        successor = int(tables.successor[state, action, entry])
        self._last = Step(
            self.process.actions[action], self.process.observations[observation], reward
        )
        terminated = bool(tables.ended[successor])
        truncated = self._evaluation and not terminated and self._steps >= self.process.horizon
        self._state = None if terminated or truncated else successor
        return np.int64(observation), reward, terminated, truncated, self._info(successor)

    def _draw(self, state: int, action: int) -> int | None:
        """Return the entry of the outcome drawn, or None for termination."""
        chance = self._chance[state, action]
        entry = int(np.searchsorted(chance, self.np_random.random(), side="right"))
        return entry if entry < chance.size else None

    def _info(self, state: int) -> dict[str, Any]:
        return {"state": self.process.states[state]}

    def render(self) -> Any:
        """Return what the agent sees, as text or as an image (height, width, 3)."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() needs render_mode='ansi' or 'rgb_array' in make().")
            return None
        board = self._board(self._last)
        return write_board(board, self._last) if self.render_mode == "ansi" else draw_board(board)
