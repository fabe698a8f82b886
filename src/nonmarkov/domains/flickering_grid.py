"""Flickering Grid: a plain grid whose agent sometimes sees nothing.

actions       "up", "left", "down", "right", always successful
observation   the cell (x, y) of a k x k grid, or "blank" with probability 0.2
reward        100 on reaching the goal (3, 4), else 0; seen even when the cell is not
hidden state  the cell: a history tells it, blank or not, because moves are deterministic
episode       starts in (0, 0), ends at the goal, H = 10, stopped at random with 1/(H+1)
optimum       the shortest way, 7 moves
source        Ronca, Licks and De Giacomo, IJCAI 2022
"""

from dataclasses import dataclass

from nonmarkov.checks import check_integer, check_probability
from nonmarkov.core import RegularProcess
from nonmarkov.core.beliefs import joint_outcomes
from nonmarkov.core.building import OutcomeList
from nonmarkov.core.scene import Board, Step
from nonmarkov.domains.domain import Domain, check_size
from nonmarkov.domains.grid import ACTIONS, Cell, cells, check_ends, grid_board, move
from nonmarkov.labels import Label

BLANK = "blank"


@dataclass(frozen=True)
class FlickeringGrid(Domain):
    """Grid of k x k cells where the position is sometimes not shown."""

    k: int = 8
    start: Cell = (0, 0)
    goal: Cell = (3, 4)
    flicker: float = 0.2
    reward: float = 100.0
    horizon: int = 10
    stop: float | None = None  # 1/(horizon + 1)

    def __post_init__(self) -> None:
        k = check_integer("k", self.k, at_least=2)
        check_size(k * k, len(ACTIONS), k=k)
        self.settle(
            k=k,
            flicker=check_probability("flicker", self.flicker),
            **check_ends(self.start, self.goal, width=k, height=k),
        )

    def build(self) -> RegularProcess:
        """Return the process whose state is the cell."""
        seen: tuple[Label, ...] = (*cells(self.k, self.k), BLANK)
        return RegularProcess.from_outcomes(
            self.start, ACTIONS, self.outcomes, observations=seen, **self.ends
        )

    def outcomes(self, cell: Cell, action: Label) -> OutcomeList:
        """Return the move with its cell shown, and with it hidden."""
        target = self.target(cell, action)
        successor, paid = (None, self.reward) if target == self.goal else (target, 0.0)
        return [
            (1.0 - self.flicker, target, paid, successor),
            (self.flicker, BLANK, paid, successor),
        ]

    def target(self, cell: Cell, action: Label) -> Cell:
        """Return the cell that a move leads to."""
        return move(cell, ACTIONS.index(str(action)), self.k, self.k)

    def pomdp(self) -> RegularProcess:
        """Return the belief process of the same world written as a POMDP.

        The hidden state is the cell, and the paper's three functions say how it moves, what is
        seen of it and what it pays. Beliefs turn out to be certain, so it equals `build()`.
        """

        def transition(cell: Cell, action: Label) -> dict[Cell | None, float]:
            target = self.target(cell, action)
            return {None if target == self.goal else target: 1.0}

        def observation(cell: Cell, action: Label) -> dict[Label, float]:
            return {self.target(cell, action): 1.0 - self.flicker, BLANK: self.flicker}

        def reward(cell: Cell, action: Label, _: Label) -> dict[float, float]:
            return {self.reward if self.target(cell, action) == self.goal else 0.0: 1.0}

        outcomes = joint_outcomes(transition, observation, reward)
        return RegularProcess.from_pomdp(self.start, ACTIONS, outcomes, **self.ends)

    def board(self, step: Step) -> Board:
        """Return the grid with the agent in its cell, or in fog."""
        return grid_board(self.k, self.k, self.goal, step, self.start)
