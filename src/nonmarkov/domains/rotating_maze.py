"""Rotating Maze: every k-th action turns the agent's compass by 90 degrees.

actions       "up", "left", "down", "right", turned by the hidden orientation
observation   the cell (x, y) of a 4x4 grid
reward        100 on reaching the goal (2, 3), else 0
hidden state  cell, orientation 0 .. 3, actions since the last turn; a move succeeds with 0.9 and
              goes the opposite way otherwise; walls keep the agent in place
episode       starts in (0, 0), ends at the goal, H = 15, stopped at random with 1/(H+1)
optimum       the shortest way, with the turns allowed for: 5 moves if none fails
source        Abadi and Brafman, "Learning and Solving Regular Decision Processes", 2020
"""

from dataclasses import dataclass

from nonmarkov.checks import check_integer, check_probability
from nonmarkov.core import RegularProcess
from nonmarkov.core.building import OutcomeList
from nonmarkov.core.scene import Board, Step
from nonmarkov.domains.domain import Domain, check_size
from nonmarkov.domains.grid import ACTIONS, Cell, cells, check_ends, grid_board, move


@dataclass(frozen=True)
class RotatingMaze(Domain):
    """Grid with a goal where every k-th action turns all directions by 90 degrees."""

    k: int = 1
    width: int = 4
    height: int = 4
    start: Cell = (0, 0)
    goal: Cell = (2, 3)
    success: float = 0.9
    reward: float = 100.0
    horizon: int = 15
    stop: float | None = None  # 1/(horizon + 1)

    def __post_init__(self) -> None:
        width = check_integer("width", self.width, at_least=1)
        height = check_integer("height", self.height, at_least=1)
        k = check_integer("k", self.k, at_least=1)
        check_size(4 * width * height * k, len(ACTIONS), k=k, width=width, height=height)
        self.settle(
            k=k,
            width=width,
            height=height,
            success=check_probability("success", self.success),
            **check_ends(self.start, self.goal, width=width, height=height),
        )

    def build(self) -> RegularProcess:
        """Return the process whose state is (cell, orientation, counter)."""
        seen = cells(self.width, self.height)
        return RegularProcess.from_outcomes(
            (self.start, 0, 0), ACTIONS, self.outcomes, observations=seen, **self.ends
        )

    def outcomes(self, state: tuple[Cell, int, int], action: str) -> OutcomeList:
        """Return the intended move and the opposite one, both turned by the orientation."""
        cell, orientation, counter = state
        turn, clock = divmod(counter + 1, self.k)
        heading = ACTIONS.index(action) + orientation
        for direction, chance in ((heading, self.success), (heading + 2, 1.0 - self.success)):
            target = move(cell, direction, self.width, self.height)
            if target == self.goal:
                yield chance, target, self.reward, None
            else:
                yield chance, target, 0.0, (target, (orientation + turn) % 4, clock)

    def board(self, step: Step) -> Board:
        """Return the grid with the agent in its cell."""
        return grid_board(self.width, self.height, self.goal, step, self.start)
