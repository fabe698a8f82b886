"""Episodes of a process under a policy on its states.

Shapes: Q states, A actions, B outcomes per (state, action).
    choice     float64[Q, A]     cumulative action probabilities, 1 from the last possible action on
    chance     float64[Q, A, B]  cumulative outcome probabilities; what is left to 1 terminates
    successor  int32[Q, A, B]
    ended      bool[Q]           an episode is over as soon as it gets here

Every step takes two uniform numbers from `rng`, first for the action, then for the outcome. The
number of cumulative probabilities below is the category drawn: counting them all needs no branch
that the processor could mispredict, and is faster than searching in rows as short as these.
"""

import numpy as np
from numpy.typing import NDArray

from nonmarkov.kernels.jit import jit

Floats = NDArray[np.float64]
Integers = NDArray[np.int32]


@jit
def _draw_action(choice: Floats, state: int, rng: np.random.Generator) -> int:
    u = rng.random()
    action = 0
    for i in range(choice.shape[1] - 1):
        action += choice[state, i] <= u
    return action


@jit
def _draw_outcome(chance: Floats, state: int, action: int, rng: np.random.Generator) -> int:
    """Return an entry of the row, or their number for termination."""
    u = rng.random()
    entry = 0
    for i in range(chance.shape[2]):
        entry += chance[state, action, i] <= u
    return entry


@jit
def sample_episodes(
    choice: Floats,
    chance: Floats,
    successor: Integers,
    symbol: Integers,
    start: int,
    max_steps: int,
    starts: NDArray[np.int64],
    rng: np.random.Generator,
) -> Integers:
    """Fill `starts`, int64[n + 1], and return the symbols of n episodes laid end to end.

    symbol: int32[Q, A, B + 1], what to write for an outcome; the last entry is for termination.
    """
    n_outcomes = chance.shape[2]
    symbols = np.empty(16 * starts.size, dtype=np.int32)
    total = 0
    for episode in range(starts.size - 1):
        starts[episode] = total
        state = start
        while total - starts[episode] < max_steps:
            if total == symbols.size:
                symbols = np.concatenate((symbols, np.empty_like(symbols)))
            action = _draw_action(choice, state, rng)
            entry = _draw_outcome(chance, state, action, rng)
            symbols[total] = symbol[state, action, entry]
            total += 1
            if entry == n_outcomes:
                break
            state = successor[state, action, entry]
    starts[starts.size - 1] = total
    return symbols[:total].copy()


@jit
def play_episodes(
    choice: Floats,
    chance: Floats,
    successor: Integers,
    gain: Floats,
    ended: NDArray[np.bool_],
    start: int,
    max_steps: int,
    per_step: bool,
    n_episodes: int,
    rng: np.random.Generator,
) -> Floats:
    """Play without keeping anything but totals, float64[3].

    gain: float64[Q, A, B], the reward of an outcome.
    Totals: actions taken; sum and sum of squares of what episodes earned, divided by their
    outcomes if `per_step`.
    """
    n_outcomes = chance.shape[2]
    totals = np.zeros(3)
    for _ in range(n_episodes):
        state = start
        earned = 0.0
        steps = 0
        while steps < max_steps and not ended[state]:
            action = _draw_action(choice, state, rng)
            entry = _draw_outcome(chance, state, action, rng)
            if entry == n_outcomes:
                totals[0] += 1
                break
            earned += gain[state, action, entry]
            state = successor[state, action, entry]
            steps += 1
        if per_step:
            earned /= max(1, steps)
        totals[0] += steps
        totals[1] += earned
        totals[2] += earned * earned
    return totals
