"""The yardstick for speed: nothing but drawing from categorical distributions."""

import numpy as np
from numpy.typing import NDArray

from nonmarkov.kernels.jit import jit


@jit
def draw_categories(chance: NDArray[np.float64], n_draws: int, rng: np.random.Generator) -> int:
    """Draw `n_draws` times from the rows of `chance`, in turn; return the sum of what came.

    chance: float64[n_rows, n_categories], cumulative, the last entry of a row is 1.
    """
    n_rows = chance.shape[0]
    row = 0
    total = 0
    for _ in range(n_draws):
        u = rng.random()
        category = 0
        while chance[row, category] <= u:
            category += 1
        total += category
        row += 1
        if row == n_rows:
            row = 0
    return total
