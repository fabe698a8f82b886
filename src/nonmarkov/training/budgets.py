"""For how many episodes to train on the paper's configurations."""

from nonmarkov.training.methods import METHODS
from nonmarkov.training.published import PUBLISHED

Configuration = tuple[str, int]  # name of the domain, k

# What is expected at most, in episodes to 95 % of the optimal score; 99 % for Malfunction MAB,
# where a memoryless policy already gets 97 %. Runs are three times as long.
EXPECTED: dict[Configuration, int] = {
    **{("rotating_mab", k): n for k, n in ((2, 100), (3, 200), (4, 300), (5, 600), (6, 1000))},
    ("reset_rotating_mab", 4): 400,
    ("reset_rotating_mab", 8): 8000,
    ("malfunction_mab", 3): 150,
    ("malfunction_mab", 5): 400,
    ("cheat_mab", 3): 150,
    ("cheat_mab", 4): 500,
    ("rotating_maze", 1): 1500,
    ("rotating_maze", 2): 5000,
    ("rotating_maze", 3): 10_000,
    ("flickering_grid", 8): 600,
    **{("enemy_corridor", k): 500 for k in (2, 4, 8)},
    ("enemy_corridor", 16): 1000,
    ("enemy_corridor", 32): 1500,
    ("enemy_corridor", 64): 2000,
    ("enemy_corridor", 128): 5000,
}
LENGTH = 3  # times what is expected


def budget(configuration: Configuration, method: str) -> int | None:
    """Return the published budget of the paper's agents, or what `apart` should need; else None."""
    if configuration not in PUBLISHED:
        return None
    if METHODS[method].learner is None:
        return LENGTH * EXPECTED[configuration]
    return PUBLISHED[configuration].episodes
