"""The settings with which the paper's figures were made, for its 22 configurations.

All share alpha = 2, alpha_0 = 128, epsilon = delta = 0.2, exact counts and string propagation: the
defaults. The published mu are larger than the true distinguishability of some domains, so
the premise of the guarantee fails there although runs usually succeed.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from nonmarkov.core import RegularProcess
from nonmarkov.domains import domain, make_domain


@dataclass(frozen=True)
class Publication:
    """How the paper's agent was run on one configuration."""

    mu: float
    n: int
    d: int
    m: int
    v_max: str  # "horizon": r_max / p, or "reward": r_max
    episodes: int

    @property
    def settings(self) -> dict[str, Any]:
        """Arguments for an agent."""
        return {"mu": self.mu, "n": self.n, "d": self.d, "m": self.m, "v_max": self.v_max}


def _mab(mu: float, d: int, m: int, episodes: int) -> Publication:
    return Publication(mu, 10, d, m, "horizon", episodes)


def _grid(mu: float, n: int, d: int, m: int, episodes: int) -> Publication:
    return Publication(mu, n, d, m, "reward", episodes)


PUBLISHED: dict[tuple[str, int], Publication] = {
    ("rotating_mab", 2): _mab(0.35, 1, 10_000, 2_000_000),
    ("rotating_mab", 3): _mab(0.23, 1, 10_000, 2_000_000),
    ("rotating_mab", 4): _mab(0.175, 1, 10_000, 2_000_000),
    ("rotating_mab", 5): _mab(0.14, 1, 10_000, 2_000_000),
    ("rotating_mab", 6): _mab(0.116, 1, 10_000, 2_000_000),
    ("reset_rotating_mab", 4): _mab(0.175, 1, 1_000, 2_000_000),
    ("reset_rotating_mab", 8): _mab(0.0874, 1, 1_000, 5_000_000),
    ("malfunction_mab", 3): _mab(0.079, 4, 10_000, 15_000_000),
    ("malfunction_mab", 5): _mab(0.0109, 6, 10_000, 15_000_000),
    ("cheat_mab", 3): _mab(0.049, 4, 10_000, 5_000_000),
    ("cheat_mab", 4): _mab(0.0254, 5, 10_000, 5_000_000),
    ("rotating_maze", 1): _grid(0.224, 100, 1, 5_000, 15_000_000),
    ("rotating_maze", 2): _grid(0.0506, 150, 2, 5_000, 15_000_000),
    ("rotating_maze", 3): _grid(0.01139, 200, 3, 5_000, 15_000_000),
    ("flickering_grid", 8): _grid(0.224, 70, 1, 10_000, 1_000_000),
} | {
    ("enemy_corridor", k): Publication(0.35, 2 * k, 1, 5_000, "horizon", 500_000)
    for k in (2, 4, 8, 16, 32, 64, 128)
}


@lru_cache(maxsize=64)
def published_for(process: RegularProcess) -> Publication | None:
    """Return how the paper ran this process, if it is one of its configurations."""
    for (name, k), publication in PUBLISHED.items():
        made = make_domain(name, k=k)
        if (made.horizon, made.stop) == (process.horizon, process.stop) and _built(
            name, k
        ) == process:
            return publication
    return None


@lru_cache(maxsize=64)
def _built(name: str, k: int) -> RegularProcess:
    return domain(name, k=k)
