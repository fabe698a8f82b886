"""How fast the simulator is, against a loop that does nothing but draw random categories."""

import resource
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from nonmarkov.core import Policy, RegularProcess
from nonmarkov.domains import domain

CONFIGURATIONS = (
    ("rotating_mab", 6),
    ("reset_rotating_mab", 8),
    ("malfunction_mab", 5),
    ("cheat_mab", 4),
    ("rotating_maze", 3),
    ("flickering_grid", 8),
    ("enemy_corridor", 64),
)
REPEATS = 5
EPSILON = 0.1


@dataclass(frozen=True)
class Measurement:
    """Speed of one domain under one policy."""

    domain: str
    k: int
    policy: str
    episodes_per_second: float
    steps_per_second: float
    draws_per_second: float  # of the bare loop, on rows as wide as the domain's
    ratio: float  # steps per draw, median over paired runs
    memory_growth_mb: float  # peak memory gained while playing


def measure(name: str, k: int, seconds: float) -> Iterator[Measurement]:
    """Yield the speed under a uniform, a tabular and an epsilon-greedy policy."""
    process = domain(name, k=k)
    draw = _bare_loop(process)
    greedy = process.solution.actions
    policies = {
        "uniform": None,
        "tabular": process.optimal_policy,
        "epsilon-greedy": Policy.greedy(process.automaton, greedy, EPSILON),
    }
    for label, policy in policies.items():

        def play(episodes: int, policy: Policy | None = policy) -> int:
            return process.play(episodes, policy=policy).steps

        yield _compare(name, k, label, play, draw, seconds)


def _compare(
    name: str,
    k: int,
    label: str,
    play: Callable[[int], int],
    draw: Callable[[int], int],
    seconds: float,
) -> Measurement:
    episodes = _enough(play, seconds)
    draws = _enough(draw, seconds)
    before = _peak_memory()
    runs = [(_rate(play, episodes), _rate(draw, draws)) for _ in range(REPEATS)]
    steps = statistics.median(run[0] for run in runs)
    per_episode = play(1000) / 1000
    return Measurement(
        domain=name,
        k=k,
        policy=label,
        episodes_per_second=steps / per_episode,
        steps_per_second=steps,
        draws_per_second=statistics.median(run[1] for run in runs),
        ratio=statistics.median(mine / bare for mine, bare in runs),
        memory_growth_mb=_peak_memory() - before,
    )


def _enough(work: Callable[[int], int], seconds: float) -> int:
    """Return how much work takes about that long; the first call also compiles."""
    work(1)
    amount = 1000
    while True:
        began = time.perf_counter()
        work(amount)
        took = time.perf_counter() - began
        if took > seconds / 20:
            return max(1, int(amount * seconds / took))
        amount *= 4


def _rate(work: Callable[[int], int], amount: int) -> float:
    """Return units done per second; `work` says how many units its amount was."""
    began = time.perf_counter()
    done = work(amount)
    return done / (time.perf_counter() - began)


def _bare_loop(process: RegularProcess) -> Callable[[int], int]:
    """Return a loop over categorical rows as wide as those of the process."""
    from nonmarkov.kernels.bare_draws import draw_categories

    tables = process.tables
    rows = np.concatenate([tables.dynamics, tables.ending[..., None]], axis=2).cumsum(axis=2)
    rows[..., -1] = 1.0
    chance = rows.reshape(-1, rows.shape[2])
    rng = np.random.default_rng(0)

    def draw(n_draws: int) -> int:
        draw_categories(chance, n_draws, rng)
        return n_draws

    return draw


def _peak_memory() -> float:
    """Return the peak memory of this process so far, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
