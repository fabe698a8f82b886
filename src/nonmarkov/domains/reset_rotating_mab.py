"""Reset-Rotating MAB: as Rotating MAB, but a loss undoes all the progress.

actions       k arms, 0 .. k-1
observation   "win" or "lose"
reward        100 for a win, 0 for a loss
hidden state  the rotation, 0 .. k-1; a win adds one, a loss resets it to 0
episode       H = 10, stopped at random with 1/(H+1)
optimum       the best arm is the number of wins since the last loss, modulo k
why           random exploration hardly ever gets far from the start
source        Ronca, Licks and De Giacomo, IJCAI 2022
"""

from dataclasses import dataclass

from nonmarkov.domains.rotating_mab import RotatingMab


@dataclass(frozen=True)
class ResetRotatingMab(RotatingMab):
    """Rotating bandit with k arms that starts again after every loss."""

    k: int = 4

    def after_loss(self, rotation: int) -> int:
        """Return the rotation after a loss: the first one."""
        return 0
