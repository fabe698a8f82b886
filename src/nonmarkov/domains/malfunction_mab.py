"""Malfunction MAB: the good arm breaks for one turn after every k pulls.

actions       2 arms, 0 and 1
observation   the arm pulled
reward        100 for a win, 0 for a loss
hidden state  the counter, 0 .. k: pulls of arm 0 since it last broke; at k arm 0 never wins and
              any pull resets the counter
episode       H = 10, stopped at random with 1/(H+1)
optimum       pull arm 0 k times, then arm 1 once
source        Abadi and Brafman, "Learning and Solving Regular Decision Processes", 2020
"""

from dataclasses import dataclass

from nonmarkov.checks import check_integer, check_probabilities, check_probability
from nonmarkov.core import RegularProcess
from nonmarkov.core.building import OutcomeList
from nonmarkov.core.scene import Board, Step, lever_board
from nonmarkov.domains.domain import Domain, check_size, win_or_lose


@dataclass(frozen=True)
class MalfunctionMab(Domain):
    """Bandit with two arms whose good arm fails once after every k pulls."""

    k: int = 3
    win_probabilities: tuple[float, float] = (0.8, 0.2)
    broken_win_probability: float = 0.0
    reward: float = 100.0
    horizon: int = 10
    stop: float | None = None  # 1/(horizon + 1)

    def __post_init__(self) -> None:
        k = check_integer("k", self.k, at_least=1)
        check_size(k + 1, 2, k=k)
        self.settle(
            k=k,
            win_probabilities=check_probabilities(
                "win_probabilities", self.win_probabilities, length=2
            ),
            broken_win_probability=check_probability(
                "broken_win_probability", self.broken_win_probability
            ),
        )

    def build(self) -> RegularProcess:
        """Return the process whose state is the counter."""
        return RegularProcess.from_outcomes(
            0, (0, 1), self.outcomes, observations=(0, 1), **self.ends
        )

    def outcomes(self, counter: int, arm: int) -> OutcomeList:
        """Return win and loss; at the end of the count arm 0 is broken for one turn."""
        broken = counter == self.k
        successor = 0 if broken else counter + (arm == 0)
        chance = self.win_probabilities[arm]
        if broken and arm == 0:
            chance = self.broken_win_probability
        return win_or_lose(chance, self.reward, (arm, successor), (arm, successor))

    def board(self, step: Step) -> Board:
        """Return the arms, the last one pulled, and what it paid."""
        return lever_board((0, 1), step)
