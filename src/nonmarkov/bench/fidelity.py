"""Our runs of the paper's agent beside those of the published program."""

import statistics
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from typing import Any

from nonmarkov.bench.reference import REFERENCE, Reference
from nonmarkov.domains import domain
from nonmarkov.training import PUBLISHED, Agent, Evaluation
from nonmarkov.training.budgets import Configuration

SHARE, IN_A_ROW, APART = 0.95, 5, 15_000  # mean of five evaluations, 15,000 episodes apart
# The published program is evaluated every 15,000 episodes, so its numbers are rounded up to a
# multiple of that. Ours are rounded up to this:
EVALUATE_EVERY = 3_000
COLUMNS = (
    "domain",
    "k",
    "published",
    "ours",
    "ratio",
    "range of ours",
    "states",
    "score",
    "Markov",
)

PLAIN: Mapping[str, Any] = {}  # as published


@dataclass(frozen=True)
class Run:
    """One training of ours, with the published settings and number of episodes."""

    seed: int
    converged: int | None
    states: int
    candidates: int
    score: float  # exact, at the end
    seconds: float
    matches: bool  # the abstraction is Markov where it is defined


@dataclass(frozen=True)
class Row:
    """One configuration: the published program's run, and ours."""

    domain: str
    k: int
    episodes: int
    optimal_score: float
    reference: Reference | None
    runs: tuple[Run, ...]

    @property
    def converged(self) -> float | None:
        """Median over the seeds, None if that seed did not converge."""
        times = sorted(float("inf") if r.converged is None else r.converged for r in self.runs)
        median = statistics.median(times)
        return None if median == float("inf") else median

    @property
    def ratio(self) -> float | None:
        """Our median over the reference, where both converge.

        A reference of r says that it happened after r - 15,000 episodes and by r. The ratio is to
        the nearer end of that interval, and 1 within.
        """
        if self.reference is None or not self.reference.converged or self.converged is None:
            return None
        latest = self.reference.converged
        if latest - APART <= self.converged <= latest:
            return 1.0
        return self.converged / (latest if self.converged > latest else latest - APART)

    def to_content(self) -> dict[str, Any]:
        """Return the row as JSON data."""
        reference = self.reference._asdict() if self.reference else None
        computed = {"reference": reference, "converged": self.converged, "ratio": self.ratio}
        return asdict(self) | computed

    @property
    def cells(self) -> tuple[str, ...]:
        """The row of a table, as text."""
        reference = "-"
        if self.reference is not None:
            converged, until = self.reference.converged, self.reference.run_until
            reference = f"{converged:,}" if converged else f"not in {until:,}"
        runs = [r.converged for r in self.runs]
        times = [run for run in runs if run is not None]
        spread = f"{min(times):,} to {max(times):,}" if times else ""
        if len(times) < len(runs):
            spread += f" ({len(times)} of {len(runs)})"
        states = sorted({run.states for run in self.runs})
        scores = [run.score for run in self.runs]
        return (
            self.domain,
            str(self.k),
            reference,
            f"not in {self.episodes:,}" if self.converged is None else f"{self.converged:,.0f}",
            "-" if self.ratio is None else f"{self.ratio:.2f}",
            spread.strip(),
            str(states[0]) if len(states) == 1 else f"{states[0]} to {states[-1]}",
            f"{statistics.median(scores):.2f} of {self.optimal_score:.2f}",
            f"{sum(run.matches for run in self.runs)} of {len(self.runs)}",
        )


def converged_at(curve: Sequence[Evaluation], optimum: float) -> int | None:
    """Return the first evaluation from which five in a row have 95 % of the optimum on average."""
    sampled = {point.episodes: point.sampled_score for point in curve}
    for first in sampled:
        five = [sampled.get(first + i * APART) for i in range(IN_A_ROW)]
        scores = [score for score in five if score is not None]
        if len(scores) == IN_A_ROW and statistics.fmean(scores) >= SHARE * optimum:
            return first
    return None


def train(configuration: Configuration, seed: int, settings: Mapping[str, Any] = PLAIN) -> Run:
    """Train the paper's agent as published, but for the given settings."""
    name, k = configuration
    process = domain(name, k=k)
    agent = Agent(process, "paper", seed=seed, **{"evaluate_every": EVALUATE_EVERY, **settings})
    result = agent.learn(PUBLISHED[configuration].episodes, progress=False)
    return Run(
        seed,
        converged_at(result.curve, process.optimal_score),
        result.n_states,
        result.curve[-1].candidates,
        result.score,
        result.seconds,
        agent.abstraction.matches(process),
    )


def compare(
    configurations: Sequence[Configuration],
    seeds: int,
    jobs: int,
    settings: Mapping[str, Any] = PLAIN,
) -> Iterator[Row]:
    """Yield the rows of the table, in order, from a pool of `jobs` processes."""
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        # Largest first would balance better, but rows are wanted in order.
        futures = {
            configuration: [
                pool.submit(train, configuration, seed, settings) for seed in range(seeds)
            ]
            for configuration in configurations
        }
        for (name, k), runs in futures.items():
            yield Row(
                name,
                k,
                PUBLISHED[name, k].episodes,
                domain(name, k=k).optimal_score,
                REFERENCE.get((name, k)),
                tuple(future.result() for future in runs),
            )


def to_markdown(rows: Sequence[Row]) -> str:
    """Return the table of docs/fidelity.md."""
    return to_table(COLUMNS, [row.cells for row in rows])


def to_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    lines = [columns, ("---", *(["--:"] * (len(columns) - 1))), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def with_table(document: str, table: str) -> str:
    """Return a document with its first table replaced, or with a table at its end."""
    lines = document.splitlines(keepends=True)
    first = next((i for i, line in enumerate(lines) if line.startswith("| ")), len(lines))
    after = next((i for i in range(first, len(lines)) if not lines[i].startswith("|")), len(lines))
    return "".join([*lines[:first], table, *lines[after:]])
