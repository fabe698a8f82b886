"""How many episodes `apart` needs, beside an oracle and the paper's agent."""

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from typing import Any

import numpy as np

from nonmarkov.abstraction import MarkovAbstraction
from nonmarkov.core import RegularProcess
from nonmarkov.domains import domain
from nonmarkov.learning.given import GivenAutomaton
from nonmarkov.results.summary import share_of, sustained
from nonmarkov.training import PUBLISHED, Agent
from nonmarkov.training.budgets import EXPECTED, LENGTH, Configuration
from nonmarkov.training.explorer import Explorer
from nonmarkov.training.worlds import ProcessWorld

PAPER_EVERY = 3000
COLUMNS = (
    *("domain", "k", "95 %", "worst", "99 %", "worst", "expected", "oracle", "x oracle"),
    *("paper", "paper / ours", "states", "minimal", "right", "seconds"),
)


@dataclass(frozen=True)
class Run:
    """One training."""

    seed: int
    n95: int | None  # episodes from which on the exact score stays at 95 % of the optimum
    n99: int | None
    states: int
    right: bool  # the abstraction is Markov where it is decided
    score: float  # share of the optimum, at the end
    seconds: float


@dataclass(frozen=True)
class Row:
    """One configuration."""

    domain: str
    k: int
    expected: int
    minimal: int
    apart: tuple[Run, ...]
    oracle: tuple[Run, ...]
    paper: Run

    @property
    def target(self) -> str:
        """The share of the optimum that `expected` is about."""
        return "n99" if self.domain == "malfunction_mab" else "n95"

    def median(self, runs: Sequence[Run], name: str) -> float | None:
        """Return the median over seeds, or None if that run did not get there."""
        found = statistics.median(_times(runs, name))
        return None if found == np.inf else found

    def worst(self, name: str) -> float | None:
        """Return the largest over seeds, or None if some run did not get there."""
        found = max(_times(self.apart, name))
        return None if found == np.inf else found

    @property
    def kept(self) -> bool:
        """Whether the median is as expected, and no seed three times beyond it."""
        median, worst = self.median(self.apart, self.target), self.worst(self.target)
        if median is None or worst is None:
            return False
        return median <= self.expected and worst <= LENGTH * self.expected

    def ratio(self, other: Sequence[Run], inverse: bool = False) -> float | None:
        """Return our median over that of others, or the other way round."""
        ours = self.median(self.apart, self.target)
        theirs = self.median(other, self.target)
        if ours is None or theirs is None:
            return None
        return theirs / ours if inverse else ours / theirs

    def to_content(self) -> dict[str, Any]:
        """Return the row as JSON data."""
        computed = {
            "target": self.target,
            "kept": self.kept,
            "median_95": self.median(self.apart, "n95"),
            "median_99": self.median(self.apart, "n99"),
            "worst_95": self.worst("n95"),
            "worst_99": self.worst("n99"),
            "times_oracle": self.ratio(self.oracle),
            "times_fewer_than_paper": self.ratio((self.paper,), inverse=True),
        }
        return asdict(self) | computed

    @property
    def cells(self) -> tuple[str, ...]:
        """The row of a table, as text."""
        states = sorted({run.states for run in self.apart})
        right = sum(run.right and run.states == self.minimal for run in self.apart)
        paper = self.median((self.paper,), self.target)
        fewer = self.ratio((self.paper,), inverse=True)
        beside = self.ratio(self.oracle)
        return (
            self.domain,
            str(self.k),
            _episodes(self.median(self.apart, "n95")),
            _episodes(self.worst("n95")),
            _episodes(self.median(self.apart, "n99")),
            _episodes(self.worst("n99")),
            f"{self.expected:,}{'' if self.kept else ' !'}",
            _episodes(self.median(self.oracle, self.target)),
            "-" if beside is None else f"{beside:.1f}",
            _episodes(paper),
            "-" if fewer is None else f"{fewer:,.0f}",
            str(states[0]) if len(states) == 1 else f"{states[0]} to {states[-1]}",
            str(self.minimal),
            f"{right} of {len(self.apart)}",
            f"{statistics.median(run.seconds for run in self.apart):.1f}",
        )


def _times(runs: Sequence[Run], name: str) -> list[float]:
    values = (getattr(run, name) for run in runs)
    return [np.inf if value is None else float(value) for value in values]


def _episodes(number: float | None) -> str:
    return "-" if number is None else f"{number:,.0f}"


def _schedule(episodes: int) -> Iterator[int]:
    """Yield when to look at the score: after every tenth more episodes."""
    due = 20
    while due < episodes:
        yield due
        due = max(due + 1, due * 11 // 10)
    yield episodes


def _has_lasted(curve: Sequence[tuple[int, float]]) -> bool:
    """Return whether the score has been at 99 % for two thirds of the episodes so far."""
    reached = sustained(curve, 0.99)
    return reached is not None and LENGTH * reached <= curve[-1][0]


def train_apart(configuration: Configuration, seed: int, oracle: bool) -> Run:
    """Train `apart`, or the same with the true automaton given."""
    process = _process(configuration)
    rng = np.random.default_rng(seed)
    truth = process.minimal().automaton.over(process.alphabet)
    training = Explorer(
        ProcessWorld(process), 0.2, 0.2, rng, GivenAutomaton(truth, rng) if oracle else None
    )
    curve, seconds, expected = [], 0.0, EXPECTED[configuration]
    for episodes in _schedule(LENGTH * expected):
        began = time.perf_counter()
        while training.episodes < episodes:
            training.run(episodes)
        seconds += time.perf_counter() - began
        curve.append((episodes, process.score(training.policy()) / process.optimal_score))
        if episodes >= expected and _has_lasted(curve):
            break
    return Run(
        seed,
        sustained(curve, share_of(1.0, 0.95)),
        sustained(curve, share_of(1.0, 0.99)),
        training.n_states,
        MarkovAbstraction(training.automaton).matches(process),
        curve[-1][1],
        seconds,
    )


def train_paper(configuration: Configuration, seed: int) -> Run:
    """Train the paper's agent as published."""
    process = _process(configuration)
    agent = Agent(process, "paper", seed=seed, evaluate_every=PAPER_EVERY)
    result = agent.learn(PUBLISHED[configuration].episodes, progress=False)
    curve = [(point.episodes, point.score / process.optimal_score) for point in result.curve]
    return Run(
        seed,
        sustained(curve, share_of(1.0, 0.95)),
        sustained(curve, share_of(1.0, 0.99)),
        result.n_states,
        agent.abstraction.matches(process),
        curve[-1][1],
        result.seconds,
    )


def _process(configuration: Configuration) -> RegularProcess:
    name, k = configuration
    return domain(name, k=k)


def measure(configurations: Sequence[Configuration], seeds: int, jobs: int) -> Iterator[Row]:
    """Yield the rows of the table from a pool of `jobs` processes.

    The last comes first: those at the end take longest, and so none is waited for alone.
    """
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:

        def submit(train: Callable[..., Run], *arguments: Any) -> list[Future[Run]]:
            return [pool.submit(train, c, seed, *arguments) for seed in range(seeds)]

        futures = []
        for c in reversed(configurations):
            paper = pool.submit(train_paper, c, 0)
            futures.append((c, submit(train_apart, False), submit(train_apart, True), paper))
        for c, apart, oracle, paper in futures:
            yield Row(
                *c,
                EXPECTED[c],
                _process(c).minimal().n_states,
                tuple(future.result() for future in apart),
                tuple(future.result() for future in oracle),
                paper.result(),
            )
