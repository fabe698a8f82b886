"""Real numbers as numbers of bins, so that what is seen is seen more than once.

Every coordinate of a Box is cut into bins of equal width between its bounds. Where a bound is
infinite the edges must come from data: `from_data` plays at random and puts the same number of
samples into every bin.
"""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs
from numpy.typing import ArrayLike, NDArray

from nonmarkov.checks import check_integer
from nonmarkov.errors import InvalidParameterError

MOST_BINS = 1000  # of a coordinate
HUGE = 1e30  # a bound beyond this is none


class Discretize(gymnasium.ObservationWrapper[Any, Any, Any], RecordConstructorArgs):
    """An environment whose observations are numbers of bins, one for each coordinate.

    bins: how many, for all coordinates or for each.
    edges: the inner edges of the bins of each coordinate, in order; instead of `bins`.
    """

    def __init__(
        self,
        env: "gymnasium.Env[Any, Any]",
        bins: int | Sequence[int] = 8,
        *,
        edges: Sequence[ArrayLike] | None = None,
    ) -> None:
        RecordConstructorArgs.__init__(self, bins=bins, edges=edges)
        super().__init__(env)
        space = _box(env)
        size = int(np.prod(space.shape))
        cuts = _even_edges(space, _bin_numbers(bins, size)) if edges is None else edges
        self.edges = _check_edges(cuts, size)
        counts = [len(cut) + 1 for cut in self.edges]
        if len(counts) == 1:
            self.observation_space = spaces.Discrete(counts[0])
        else:
            self.observation_space = spaces.MultiDiscrete(counts)

    def observation(self, observation: Any) -> Any:
        """Return the bin of every coordinate; beyond the outermost edges are the outermost bins."""
        values = np.asarray(observation, dtype=np.float64).ravel()
        pairs = zip(self.edges, values, strict=True)
        numbers = [int(np.searchsorted(edges, value, "right")) for edges, value in pairs]
        return np.int64(numbers[0]) if len(numbers) == 1 else np.array(numbers)

    @classmethod
    def from_data(
        cls,
        env: "gymnasium.Env[Any, Any]",
        bins: int | Sequence[int] = 8,
        *,
        steps: int = 1000,
        seed: int = 0,
    ) -> "Discretize":
        """Return the environment with bins that are equally full when it is played at random.

        steps: how many observations to go by. Values that are seen very often make bins of their
        own, so there may be fewer bins than asked for.
        """
        check_integer("steps", steps, at_least=1)
        numbers = _bin_numbers(bins, int(np.prod(_box(env).shape)))
        seen = _random_observations(env, steps, check_integer("seed", seed, at_least=0))
        edges = [_quantiles(column, n) for column, n in zip(seen.T, numbers, strict=True)]
        return cls(env, edges=edges)


def _box(env: "gymnasium.Env[Any, Any]") -> spaces.Box:
    space = env.observation_space
    if not isinstance(space, spaces.Box):
        raise InvalidParameterError(
            f"Discretize is for observations in a Box, got {space}. What is discrete already can "
            f"be learned from as it is."
        )
    return space


def _bin_numbers(bins: int | Sequence[int], size: int) -> list[int]:
    """Return the number of bins of every coordinate."""
    if isinstance(bins, (int, np.integer)):
        return [check_integer("bins", bins, at_least=1, at_most=MOST_BINS)] * size
    if not isinstance(bins, Sequence):
        raise InvalidParameterError(f"bins must be one number or a list of numbers, got {bins!r}.")
    numbers = [check_integer("bins", n, at_least=1, at_most=MOST_BINS) for n in bins]
    if len(numbers) != size:
        raise InvalidParameterError(
            f"bins must be one number, or one for each of {size} coordinates, got {len(numbers)}."
        )
    return numbers


def _even_edges(space: spaces.Box, numbers: Sequence[int]) -> list[NDArray[np.float64]]:
    low, high = (np.asarray(b, dtype=np.float64).ravel() for b in (space.low, space.high))
    endless = np.flatnonzero(~((low > -HUGE) & (high < HUGE)))
    if endless.size:
        i = int(endless[0])
        raise InvalidParameterError(
            f"Coordinate {i} of the observations has the bounds {low[i]:g} and {high[i]:g}, so "
            f"there are no bins of equal width. Use nm.Discretize.from_data(env, bins=...), or "
            f"give edges=..."
        )
    bounds = zip(low, high, numbers, strict=True)
    return [np.linspace(a, b, n + 1)[1:-1] for a, b, n in bounds]


def _check_edges(edges: Sequence[Any], size: int) -> list[NDArray[np.float64]]:
    cuts = [np.asarray(cut, dtype=np.float64) for cut in edges]
    if len(cuts) != size:
        raise InvalidParameterError(
            f"edges must be one list for each of {size} coordinates, got {len(cuts)}."
        )
    for i, cut in enumerate(cuts):
        if cut.ndim != 1 or not np.isfinite(cut).all() or (np.diff(cut) <= 0).any():
            raise InvalidParameterError(
                f"edges[{i}] must be finite numbers in increasing order, got {cut.tolist()}."
            )
    return cuts


def _random_observations(
    env: "gymnasium.Env[Any, Any]", steps: int, seed: int
) -> NDArray[np.float64]:
    """Return so many observations, (steps, coordinates), of episodes with random actions."""
    env.action_space.seed(seed)
    observation, _ = env.reset(seed=seed)
    seen: list[NDArray[np.float64]] = []
    while len(seen) < steps:
        seen.append(np.asarray(observation, dtype=np.float64).ravel())
        observation, _, terminated, truncated, _ = env.step(env.action_space.sample())
        if terminated or truncated:
            observation, _ = env.reset()
    return np.array(seen)


def _quantiles(values: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    """Return the inner edges of n bins with the same number of values each."""
    edges = np.unique(np.quantile(values, np.linspace(0.0, 1.0, n + 1)[1:-1]))
    return np.asarray(edges[edges > values.min()])
