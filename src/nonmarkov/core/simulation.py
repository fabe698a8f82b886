"""Simulated episodes: checks and tables here, the loop in `kernels.rollout`."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nonmarkov.checks import check_integer
from nonmarkov.exact.tables import PADDING, Tables
from nonmarkov.kernels.shapes import World
from nonmarkov.records import frozen_array

ENDLESS = np.iinfo(np.int64).max


@dataclass(frozen=True)
class PlayStatistics:
    """What many episodes amounted to, none of them kept."""

    episodes: int
    steps: int  # actions taken, those answered by termination included
    mean: float  # of the return, or of the score in evaluation episodes
    error: float  # standard error of that mean


def sample(
    tables: Tables,
    policy: NDArray[np.float64],
    n_episodes: int,
    max_steps: int | None,
    rng: np.random.Generator,
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return symbols and starts of episodes under a policy on the states, (Q, A)."""
    from nonmarkov.kernels.rollout import sample_episodes

    starts = np.empty(n_episodes + 1, dtype=np.int64)
    symbols = sample_episodes(
        cumulative_choice(policy),
        cumulative_chance(tables.dynamics, tables.ending),
        tables.successor,
        symbol_table(tables),
        tables.start,
        max_steps or ENDLESS,
        starts,
        rng,
    )
    return symbols, starts


def play(
    tables: Tables,
    policy: NDArray[np.float64],
    n_episodes: int,
    evaluation: bool,
    rng: np.random.Generator,
) -> PlayStatistics:
    """Return statistics of training episodes, or of episodes of the evaluation protocol."""
    from nonmarkov.kernels.rollout import play_episodes

    if evaluation:
        chance = cumulative_chance(tables.probability, tables.termination)
        ended, max_steps = tables.ended, tables.horizon
    else:
        chance = cumulative_chance(tables.dynamics, tables.ending)
        # Frozen like `tables.ended`: to numba, a writable array would be another type.
        nowhere = np.zeros(tables.n_states, dtype=np.bool_)
        ended, max_steps = frozen_array("ended", nowhere, np.bool_), ENDLESS
    totals = play_episodes(
        cumulative_choice(policy),
        chance,
        tables.successor,
        tables.gain,
        ended,
        tables.start,
        max_steps,
        evaluation,
        n_episodes,
        rng,
    )
    mean = totals[1] / n_episodes
    variance = max(0.0, totals[2] / n_episodes - mean**2) * n_episodes / max(1, n_episodes - 1)
    return PlayStatistics(n_episodes, int(totals[0]), float(mean), math.sqrt(variance / n_episodes))


def world(tables: Tables) -> World:
    """Return a process as the training kernels play it."""
    chance = cumulative_chance(tables.dynamics, tables.ending)
    return World(chance, tables.successor, symbol_table(tables), tables.start)


def generator(seed: int | np.random.Generator) -> np.random.Generator:
    """Return a generator that is `seed`, or starts from it."""
    if isinstance(seed, np.random.Generator):
        return seed
    return np.random.default_rng(check_integer("seed", seed, at_least=0))


def cumulative_choice(policy: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return cumulative action probabilities that reach 1 exactly, rounding or not."""
    choice = policy.cumsum(axis=1)
    last = policy.shape[1] - 1 - (policy[:, ::-1] > 0.0).argmax(axis=1)
    choice[np.arange(policy.shape[1]) >= last[:, None]] = 1.0
    return choice


def cumulative_chance(
    probability: NDArray[np.float64], ending: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return cumulative outcome probabilities; rows that never end reach 1 exactly."""
    chance = probability.cumsum(axis=2)
    width = probability.shape[2]
    last = width - 1 - (probability[:, :, ::-1] > 0.0).argmax(axis=2)
    beyond = np.arange(width) >= last[:, :, None]
    chance[beyond & (ending <= 0.0)[:, :, None]] = 1.0
    return chance


def symbol_table(tables: Tables) -> NDArray[np.int32]:
    """Return the symbol of every outcome, and of termination last, (Q, A, B + 1)."""
    n_outcomes = tables.n_outcomes
    first = np.arange(tables.n_actions, dtype=np.int32)[None, :, None] * (n_outcomes + 1)
    termination = np.full((*tables.termination.shape, 1), n_outcomes, dtype=np.int32)
    outcome = np.where(tables.outcome == PADDING, 0, tables.outcome)
    return np.asarray(first + np.concatenate([outcome, termination], axis=2), dtype=np.int32)
