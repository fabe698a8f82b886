"""Enemy Corridor: every column is guarded, and guards change sides when they are met.

actions       "top", "bottom": the row to take in the next column
observation   (next column, "enemy" or "clear")
reward        100 if no enemy was met, else 0
hidden state  column 0 .. k-1 and phase 0, 1. The enemy is met with e if the action's number
              equals the phase, else with 1-e; e = 0.2 where the next column is in the first half
              of the corridor, 0.9 in the second. Meeting one flips the phase. The corridor is a
              circle: after column k-1 comes column 0
episode       starts in column 0, phase 0; H = k rounded up to tens; stopped with 1/(H+1)
optimum       the side that the phase and the half of the corridor make the safer one
source        after Ronca and De Giacomo, "Efficient PAC Reinforcement Learning in Regular
              Decision Processes", 2021
"""

from dataclasses import dataclass

from nonmarkov.checks import check_integer, check_probabilities
from nonmarkov.core import RegularProcess
from nonmarkov.core.building import OutcomeList
from nonmarkov.core.scene import Board, Glyph, Step, Tile, Tone
from nonmarkov.domains.domain import Domain, check_size

ACTIONS = ("top", "bottom")
CLEAR, ENEMY = "clear", "enemy"
SHOWN_COLUMNS = 16


@dataclass(frozen=True)
class EnemyCorridor(Domain):
    """Corridor of k columns whose guards change sides when they are met."""

    k: int = 2
    enemy_probabilities: tuple[float, float] = (0.2, 0.9)  # first half, second half
    reward: float = 100.0
    horizon: int | None = None  # k rounded up to tens
    stop: float | None = None  # 1/(horizon + 1)

    def __post_init__(self) -> None:
        k = check_integer("k", self.k, at_least=2)
        check_size(2 * k, len(ACTIONS), k=k)
        self.settle(
            k=k,
            enemy_probabilities=check_probabilities(
                "enemy_probabilities", self.enemy_probabilities, length=2
            ),
            horizon=10 * -(-k // 10) if self.horizon is None else self.horizon,
        )

    def build(self) -> RegularProcess:
        """Return the process whose state is (column, phase)."""
        seen = tuple((column, what) for column in range(self.k) for what in (CLEAR, ENEMY))
        return RegularProcess.from_outcomes(
            (0, 0), ACTIONS, self.outcomes, observations=seen, **self.ends
        )

    def outcomes(self, state: tuple[int, int], action: str) -> OutcomeList:
        """Return the next column with its enemy met or avoided."""
        column, phase = (state[0] + 1) % self.k, state[1]
        chance = self.enemy_probabilities[2 * column >= self.k]
        if ACTIONS.index(action) != phase:
            chance = 1.0 - chance
        return [
            (chance, (column, ENEMY), 0.0, (column, 1 - phase)),
            (1.0 - chance, (column, CLEAR), self.reward, (column, phase)),
        ]

    def board(self, step: Step) -> Board:
        """Return the part of the corridor around the agent, and the enemy if it was met."""
        column, met = step.observation if isinstance(step.observation, tuple) else (0, CLEAR)
        assert isinstance(column, int)
        stopped = step.action is not None and step.observation is None
        shown = min(self.k, SHOWN_COLUMNS)
        first = min(column - column % shown, self.k - shown)

        def tile(row: str, at: int) -> Tile:
            if stopped or at != column or row != (step.action or ACTIONS[0]):
                return Tile(tone=Tone.FOG if stopped else Tone.PLAIN)
            if met == ENEMY:
                return Tile(Glyph.ENEMY, Tone.BAD)
            return Tile(Glyph.AGENT, Tone.CHOSEN if step.action is None else Tone.GOOD)

        return tuple(tuple(tile(row, at) for at in range(first, first + shown)) for row in ACTIONS)
