"""How far apart two states are: the largest difference in the probability of a prefix."""

import numpy as np
from numpy.typing import NDArray

from nonmarkov.kernels.jit import jit

Floats = NDArray[np.float64]
Integers = NDArray[np.int32]


@jit
def _probability(
    row: Integers, chance: Floats, outcome: int, successor: Integers
) -> tuple[float, int]:
    """Return the probability of an outcome in one row, and where it leads."""
    for i in range(row.size):
        if row[i] == outcome:
            return chance[i], np.int64(successor[i])
    return 0.0, np.int64(-1)


@jit
def _likeliest_alone(row: Integers, chance: Floats, other: Integers) -> float:
    """Return the probability of the likeliest outcome of a row that the other does not have."""
    likeliest = 0.0
    for i in range(row.size):
        if row[i] >= 0 and chance[i] > likeliest and not (other == row[i]).any():
            likeliest = chance[i]
    return likeliest


@jit
def separation(
    dynamics: Floats,
    outcome: Integers,
    successor: Integers,
    ending: Floats,
    pair: tuple[int, int],
    depth: int,
    enough: float,
) -> float:
    """Return max |P(x from one) - P(x from the other)| over strings x of 1 .. depth symbols.

    Actions are uniform. dynamics, outcome, successor: (Q, A, B); ending: (Q, A). The search stops
    when the value reaches `enough`. A string is extended only while it is possible from both
    states, leads them to different ones, and is likelier from one of them than the value found:
    no extension of any other string can have a larger difference.
    """
    n_actions, width = outcome.shape[1], outcome.shape[2]
    states = np.empty((depth * n_actions * width + 1, 3), dtype=np.int64)
    chances = np.empty((states.shape[0], 2))
    states[0, 0], states[0, 1], states[0, 2] = pair[0], pair[1], 0
    chances[0, :] = 1.0
    size, largest = 1, 0.0
    while size > 0 and largest < enough:
        size -= 1
        one, two, length = states[size, 0], states[size, 1], states[size, 2]
        p_one, p_two = chances[size, 0] / n_actions, chances[size, 1] / n_actions
        for action in range(n_actions):
            row, other_row, rest = outcome[one, action], outcome[two, action], dynamics[two, action]
            over = abs(p_one * ending[one, action] - p_two * ending[two, action])
            largest = max(largest, over, p_two * _likeliest_alone(other_row, rest, row))
            for i in range(width):
                if row[i] < 0:
                    continue
                chance, other = _probability(other_row, rest, row[i], successor[two, action])
                mine, theirs = p_one * dynamics[one, action, i], p_two * chance
                largest = max(largest, abs(mine - theirs))
                following = np.int64(successor[one, action, i])
                goes_on = length + 1 < depth and theirs > 0.0 and following != other
                if goes_on and max(mine, theirs) > largest:
                    states[size, 0], states[size, 1], states[size, 2] = following, other, length + 1
                    chances[size, 0], chances[size, 1] = mine, theirs
                    size += 1
    return largest
