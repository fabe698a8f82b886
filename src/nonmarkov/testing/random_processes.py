"""Random regular processes, to test on more than the domains one knows."""

import numpy as np

from nonmarkov.core import RegularProcess


def random_process(
    seed: int | np.random.Generator,
    *,
    n_states: int = 5,
    n_actions: int = 2,
    n_observations: int = 2,
    rewards: tuple[float, ...] = (0.0, 1.0),
    stop: float = 0.1,
    horizon: int | None = None,
    density: float = 0.6,
) -> RegularProcess:
    """Return a process with random outcomes, each possible with probability `density`.

    Some states may be out of reach, and some equivalent; `minimal()` tells how many count.
    """
    rng = np.random.default_rng(seed)
    shape = (n_states, n_actions, n_observations, len(rewards))
    possible = rng.random(shape) < density
    # Every action needs an answer: the first outcome steps in where none was possible.
    possible[~possible.any(axis=(2, 3)), 0, 0] = True
    weight = np.where(possible, rng.exponential(size=shape) + 0.05, 0.0)
    return RegularProcess.from_tables(
        weight / weight.sum(axis=(2, 3), keepdims=True),
        rng.integers(n_states, size=shape),
        actions=range(n_actions),
        observations=range(n_observations),
        rewards=rewards,
        stop=stop,
        horizon=horizon,
    )
