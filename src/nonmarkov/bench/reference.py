"""What the program published with the paper does, as measured once with its own definitions.

Seed 0, agent "RMax Abstraction", logging off, one process per core of a machine with two cores.
`converged` is the first evaluation from which the mean of five evaluations in a row is at least
95 % of the optimal score; evaluations come every 15,000 episodes. None: not within the run.
"""

from typing import NamedTuple


class Reference(NamedTuple):
    """One run of the published program."""

    episodes_per_second: int
    converged: int | None
    run_until: int
    states: int


REFERENCE: dict[tuple[str, int], Reference] = {
    ("cheat_mab", 3): Reference(3437, 240_000, 1_050_000, 4),
    ("cheat_mab", 4): Reference(5077, 1_545_000, 2_145_000, 5),
    ("enemy_corridor", 4): Reference(5440, 15_000, 495_000, 8),
    ("enemy_corridor", 8): Reference(4683, 45_000, 495_000, 16),
    ("enemy_corridor", 16): Reference(2205, 60_000, 495_000, 32),
    ("enemy_corridor", 32): Reference(513, 75_000, 225_000, 64),
    ("flickering_grid", 8): Reference(4661, 480_000, 990_000, 38),
    ("malfunction_mab", 3): Reference(5316, 120_000, 4_260_000, 4),
    ("rotating_mab", 2): Reference(4496, 15_000, 1_365_000, 2),
    ("rotating_mab", 3): Reference(3356, 30_000, 1_425_000, 3),
    ("rotating_mab", 4): Reference(5443, 45_000, 1_995_000, 4),
    ("rotating_mab", 5): Reference(4052, 90_000, 1_710_000, 5),
    ("rotating_mab", 6): Reference(4164, 240_000, 1_260_000, 6),
    ("reset_rotating_mab", 4): Reference(4704, 45_000, 1_995_000, 4),
    ("reset_rotating_mab", 8): Reference(5261, 1_080_000, 4_995_000, 8),
    ("rotating_maze", 1): Reference(1674, 735_000, 1_350_000, 61),
    ("rotating_maze", 2): Reference(2950, None, 3_540_000, 38),
}
