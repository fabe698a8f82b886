"""Cheat MAB: a secret sequence of pulls makes every later pull win.

actions       2 arms, 0 and 1
observation   the arm pulled
reward        100 for a win, 0 for a loss
hidden state  progress, 0 .. k, along the cheat 0, ..., 0, 1 (k-1 zeros, then one); a wrong pull
              resets it to 0, without keeping a partial match; k stays for ever
episode       H = 10, stopped at random with 1/(H+1)
optimum       play the cheat, then anything
source        Abadi and Brafman, "Learning and Solving Regular Decision Processes", 2020
"""

from dataclasses import dataclass

from nonmarkov.checks import (
    check_integer,
    check_probabilities,
    check_probability,
    check_sequence,
)
from nonmarkov.core import RegularProcess
from nonmarkov.core.building import OutcomeList
from nonmarkov.core.scene import Board, Step, lever_board
from nonmarkov.domains.domain import Domain, check_size, win_or_lose
from nonmarkov.errors import InvalidParameterError


@dataclass(frozen=True)
class CheatMab(Domain):
    """Bandit with two poor arms and a cheat of k pulls that makes everything win."""

    k: int = 3
    win_probabilities: tuple[float, float] = (0.2, 0.2)
    sequence: tuple[int, ...] | None = None  # (0, ..., 0, 1)
    cheat_win_probability: float = 1.0
    reward: float = 100.0
    horizon: int = 10
    stop: float | None = None  # 1/(horizon + 1)

    def __post_init__(self) -> None:
        k = check_integer("k", self.k, at_least=1)
        check_size(k + 1, 2, k=k)
        cheat = (0,) * (k - 1) + (1,) if self.sequence is None else self.sequence
        arms = check_sequence("sequence", cheat, length=k)
        if not all(isinstance(arm, int) and arm in (0, 1) for arm in arms):
            raise InvalidParameterError(f"sequence must consist of arms 0 and 1, got {arms}.")
        self.settle(
            k=k,
            sequence=arms,
            win_probabilities=check_probabilities(
                "win_probabilities", self.win_probabilities, length=2
            ),
            cheat_win_probability=check_probability(
                "cheat_win_probability", self.cheat_win_probability
            ),
        )

    def build(self) -> RegularProcess:
        """Return the process whose state is the progress along the cheat."""
        return RegularProcess.from_outcomes(
            0, (0, 1), self.outcomes, observations=(0, 1), **self.ends
        )

    def outcomes(self, progress: int, arm: int) -> OutcomeList:
        """Return win and loss: the arm matters for the progress, the win does not."""
        assert self.sequence is not None
        if progress == self.k:
            successor, chance = self.k, self.cheat_win_probability
        else:
            successor = progress + 1 if arm == self.sequence[progress] else 0
            chance = self.win_probabilities[arm]
        return win_or_lose(chance, self.reward, (arm, successor), (arm, successor))

    def board(self, step: Step) -> Board:
        """Return the arms, the last one pulled, and what it paid."""
        return lever_board((0, 1), step)
