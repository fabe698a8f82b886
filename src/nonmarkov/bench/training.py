"""How fast training is, against the bare simulator and the published program, and its memory."""

import math
import re
import resource
import statistics
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from nonmarkov.bench.reference import REFERENCE
from nonmarkov.core import Policy, RegularProcess
from nonmarkov.domains import domain
from nonmarkov.training import PUBLISHED, Agent

# One configuration of every domain, each with a measured speed of the published program.
CONFIGURATIONS = (
    ("rotating_mab", 6),
    ("reset_rotating_mab", 8),
    ("malfunction_mab", 3),
    ("cheat_mab", 4),
    ("rotating_maze", 1),
    ("flickering_grid", 8),
    ("enemy_corridor", 32),
)
STRETCH = 60_000  # episodes of one call of `learn`, with an evaluation every 15,000 as published
SETTLED, IN_A_ROW = 0.95, 5  # share of the optimal score, at so many evaluations
REPEATS = 5


@dataclass(frozen=True)
class TrainingMeasurement:
    """Episodes per second of one training, evaluations included."""

    domain: str
    k: int
    learning_episodes: int  # until the score has settled
    learning: float
    settled: float
    whole: float  # over the published number of episodes, from the first one on
    simulator_uniform: float  # the bare simulator under the uniform policy
    simulator_policy: float  # and under the policy learned
    published: float  # of the published program, on a machine like the one it was measured on

    @property
    def learning_ratio(self) -> float:
        """Of the bare simulator, whose episodes are uniform, too."""
        return self.learning / self.simulator_uniform

    @property
    def settled_ratio(self) -> float:
        """Of the bare simulator under the same policy."""
        return self.settled / self.simulator_policy

    @property
    def whole_ratio(self) -> float:
        """Of the bare simulator, whose episodes are uniform."""
        return self.whole / self.simulator_uniform

    @property
    def speedup(self) -> float:
        """How many times faster learning is than the published program."""
        return self.learning / self.published


def measure_training(name: str, k: int, seconds: float) -> TrainingMeasurement:
    """Train as published until the score settles and beyond, and run the bare simulator."""
    process = domain(name, k=k)
    _prepare(process)
    agent = Agent(process, "paper")
    began = time.perf_counter()
    while agent.episodes < PUBLISHED[name, k].episodes and not _settled(agent):
        agent.learn(STRETCH, progress=False)
    learned, took = agent.episodes, time.perf_counter() - began
    learning = learned / took
    if (rest := PUBLISHED[name, k].episodes - learned) > 0:
        took += agent.learn(rest, progress=False).seconds
    whole = agent.episodes / took
    stretches = max(1, round(seconds * learning / STRETCH))
    settled, uniform, same = (
        statistics.median(rates)
        for rates in zip(
            *(
                (
                    _training_rate(agent, stretches * STRETCH),
                    _simulator_rate(process, None, seconds),
                    _simulator_rate(process, agent.policy, seconds),
                )
                for _ in range(REPEATS)
            ),
            strict=True,
        )
    )
    published = REFERENCE[name, k].episodes_per_second
    return TrainingMeasurement(name, k, learned, learning, settled, whole, uniform, same, published)


def _prepare(process: RegularProcess) -> None:
    """Let everything be compiled before the clock starts."""
    agent = Agent(process, "paper", mu=0.9, n=2, alpha_0=8, delta=0.9, m=10)
    agent.learn(5_000, progress=False)
    process.play(1, policy=agent.policy)


def _settled(agent: Agent) -> bool:
    last = agent.curve[-IN_A_ROW:]
    enough = SETTLED * agent.process.optimal_score
    return len(last) == IN_A_ROW and all(point.score >= enough for point in last)


def _training_rate(agent: Agent, episodes: int) -> float:
    return agent.learn(episodes, progress=False).episodes_per_second


def _simulator_rate(process: RegularProcess, policy: Policy | None, seconds: float) -> float:
    episodes = 10_000
    while True:
        began = time.perf_counter()
        process.play(episodes, policy=policy)
        took = time.perf_counter() - began
        if took >= seconds / 2.0:
            return episodes / took
        episodes *= 4


def mean_speedup(measurements: Sequence[TrainingMeasurement]) -> float:
    """Return the geometric mean of the speedups."""
    return math.exp(statistics.fmean(math.log(m.speedup) for m in measurements))


@dataclass(frozen=True)
class MemoryMeasurement:
    """Peak memory of one training in a process of its own, everything included."""

    domain: str
    k: int
    episodes: int
    peak_mb: float
    seconds: float


def measure_memory(
    configurations: Sequence[tuple[str, int]], episodes: int, jobs: int
) -> Iterator[MemoryMeasurement]:
    """Yield the peak memory of long trainings, in order."""
    context = get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context, max_tasks_per_child=1) as pool:
        futures = [pool.submit(_peak_memory, name, k, episodes) for name, k in configurations]
        for future in futures:
            yield future.result()


def _peak_memory(name: str, k: int, episodes: int) -> MemoryMeasurement:
    result = Agent(domain(name, k=k), "paper").learn(episodes, progress=False)
    return MemoryMeasurement(name, k, episodes, _peak_of_this_process(), result.seconds)


def _peak_of_this_process() -> float:
    """Return the peak memory in megabytes.

    Where there is /proc it is read there: `ru_maxrss` survives exec, so that a child begins with
    what its parent had.
    """
    status = Path("/proc/self/status")
    if status.exists() and (found := re.search(r"VmHWM:\s*(\d+) kB", status.read_text())):
        return int(found[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
