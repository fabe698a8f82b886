"""`learn_abstraction` beside Alergia of AALpy, on the same episodes in the same run."""

import gc
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, TypeVar

from nonmarkov.core import EpisodeBatch
from nonmarkov.domains import domain
from nonmarkov.errors import MissingExtraError
from nonmarkov.training.budgets import Configuration
from nonmarkov.training.logged import learn_abstraction

Result = TypeVar("Result")

# How many uniform random episodes there are to learn from.
EPISODES: dict[Configuration, int] = {
    ("malfunction_mab", 5): 5_000,
    ("rotating_mab", 4): 5_000,
    ("cheat_mab", 4): 1_000,
    ("enemy_corridor", 8): 1_000,
    ("rotating_maze", 1): 20_000,
}
ALERGIA_EPSILON = 0.05  # AALpy's default
COLUMNS = (
    *("domain", "k", "episodes", "minimal", "states", "exact", "seconds"),
    *("Alergia: states", "Alergia: seconds", "ours / Alergia"),
)


@dataclass(frozen=True)
class Comparison:
    """One configuration, over some seeds."""

    domain: str
    k: int
    episodes: int
    minimal: int
    states: tuple[int, ...]
    exact: tuple[bool, ...]  # minimal, and its decided part is sound
    seconds: tuple[float, ...]
    alergia_states: tuple[int, ...]
    alergia_seconds: tuple[float, ...]

    @property
    def ratio(self) -> float:
        """Our median time over Alergia's."""
        return statistics.median(self.seconds) / statistics.median(self.alergia_seconds)

    def to_content(self) -> dict[str, Any]:
        """Return the comparison as JSON data."""
        return asdict(self) | {"ratio": self.ratio}

    @property
    def cells(self) -> tuple[str, ...]:
        """The row of a table, as text."""
        return (
            self.domain,
            str(self.k),
            f"{self.episodes:,}",
            str(self.minimal),
            _range(self.states),
            f"{sum(self.exact)} of {len(self.exact)}",
            f"{statistics.median(self.seconds):.2f}",
            _range(self.alergia_states),
            f"{statistics.median(self.alergia_seconds):.2f}",
            f"{self.ratio:.1f}",
        )


def _range(numbers: tuple[int, ...]) -> str:
    low, high = min(numbers), max(numbers)
    return str(low) if low == high else f"{low} to {high}"


def compare(configurations: list[Configuration], seeds: int) -> Iterator[Comparison]:
    """Yield a comparison for every configuration, one after the other in this process."""
    learn_abstraction(domain("rotating_mab").sample(50, seed=0))  # compile
    for name, k in configurations:
        process, n = domain(name, k=k), EPISODES[name, k]
        minimal = process.minimal().n_states
        ours, theirs, exact = [], [], []
        for seed in range(seeds):
            batch = process.sample(n, seed=seed)
            found, seconds = _timed(partial(learn_abstraction, batch))
            ours.append((found.n_states, seconds))
            exact.append(found.n_states == minimal and found.is_sound(process))
            theirs.append(_alergia(batch))
        yield Comparison(
            *(name, k, n, minimal),
            tuple(states for states, _ in ours),
            tuple(exact),
            tuple(seconds for _, seconds in ours),
            tuple(states for states, _ in theirs),
            tuple(seconds for _, seconds in theirs),
        )


def _alergia(batch: EpisodeBatch) -> tuple[int, float]:
    """Return how many states Alergia finds, and its time without preparing the data."""
    try:
        from aalpy.learning_algs.stochastic_passive.Alergia import run_Alergia
    except ImportError:
        raise MissingExtraError(
            "Alergia is in AALpy, which is not installed: pip install 'nonmarkov[peers]'."
        ) from None

    width = batch.alphabet.n_outcomes + 1
    pairs = [(int(s // width), int(s % width)) for s in batch.symbols]
    bounds = zip(batch.starts[:-1], batch.starts[1:], strict=True)
    data = [pairs[first:last] for first, last in bounds]
    model, seconds = _timed(
        lambda: run_Alergia(data, automaton_type="smm", eps=ALERGIA_EPSILON, print_info=False)
    )
    return len(model.states), seconds


def _timed(work: Callable[[], Result]) -> tuple[Result, float]:
    """Return a result and its time; nobody has to look for garbage in what others have made."""
    gc.collect()
    gc.freeze()
    began = time.perf_counter()
    result = work()
    seconds = time.perf_counter() - began
    gc.unfreeze()
    return result, seconds
