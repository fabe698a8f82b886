"""Rotating MAB: every win moves the odds on by one arm.

actions       k arms, 0 .. k-1
observation   "win" or "lose"
reward        100 for a win, 0 for a loss
hidden state  the rotation, 0 .. k-1: arm a wins with win_probabilities[(a - rotation) mod k]
episode       H = 10, stopped at random with 1/(H+1)
optimum       follow the rotation: the best arm is the number of wins modulo k
source        Abadi and Brafman, "Learning and Solving Regular Decision Processes", 2020
"""

from dataclasses import dataclass

from nonmarkov.checks import check_integer, check_probabilities
from nonmarkov.core import RegularProcess
from nonmarkov.core.building import OutcomeList
from nonmarkov.core.scene import Board, Step, lever_board
from nonmarkov.domains.domain import Domain, check_size, win_or_lose

BEST, OTHER = 0.9, 0.2


@dataclass(frozen=True)
class RotatingMab(Domain):
    """Bandit with k arms whose odds move on by one arm after every win."""

    k: int = 2
    win_probabilities: tuple[float, ...] | None = None  # (0.9, 0.2, ..., 0.2)
    reward: float = 100.0
    horizon: int = 10
    stop: float | None = None  # 1/(horizon + 1)

    def __post_init__(self) -> None:
        k = check_integer("k", self.k, at_least=2)
        check_size(k, k, k=k)
        odds = self.win_probabilities
        if odds is None:
            odds = (BEST,) + (OTHER,) * (k - 1)
        self.settle(k=k, win_probabilities=check_probabilities("win_probabilities", odds, length=k))

    def build(self) -> RegularProcess:
        """Return the process whose state is the rotation."""
        arms = range(self.k)
        return RegularProcess.from_outcomes(
            0, arms, self.outcomes, observations=("lose", "win"), **self.ends
        )

    def outcomes(self, rotation: int, arm: int) -> OutcomeList:
        """Return win and loss: only a win turns the odds."""
        assert self.win_probabilities is not None
        chance = self.win_probabilities[(arm - rotation) % self.k]
        won = ("win", (rotation + 1) % self.k)
        return win_or_lose(chance, self.reward, won, ("lose", self.after_loss(rotation)))

    def after_loss(self, rotation: int) -> int:
        """Return the rotation after a loss: it stays."""
        return rotation

    def board(self, step: Step) -> Board:
        """Return the arms, the last one pulled, and what it paid."""
        return lever_board(range(self.k), step)
