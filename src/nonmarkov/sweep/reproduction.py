"""The paper's experiments: all agents on all domains, in short and in full."""

from collections.abc import Iterator

from nonmarkov.results.specification import RunSpec
from nonmarkov.training import METHODS, PUBLISHED
from nonmarkov.training.budgets import Configuration, budget

FULL_SEEDS, QUICK_SEEDS = 5, 3
# In short, the paper's agents are trained for so many episodes at most, and evaluated more often.
QUICK_EPISODES, QUICK_EVERY = 1_000_000, 5_000


def quick_grid() -> tuple[RunSpec, ...]:
    """Return the smallest configuration of every domain, three seeds each."""
    smallest: dict[str, Configuration] = {}
    for name, k in PUBLISHED:
        smallest.setdefault(name, (name, k))
    return tuple(_runs(tuple(smallest.values()), QUICK_SEEDS, quick=True))


def full_grid() -> tuple[RunSpec, ...]:
    """Return all published configurations as they were published, five seeds each."""
    return tuple(_runs(tuple(PUBLISHED), FULL_SEEDS, quick=False))


def _runs(configurations: tuple[Configuration, ...], seeds: int, quick: bool) -> Iterator[RunSpec]:
    for name, k in configurations:
        for method, kind in METHODS.items():
            episodes, settings = budget((name, k), method), {}
            assert episodes is not None
            if quick and kind.learner is not None:
                episodes, settings = min(episodes, QUICK_EPISODES), {"evaluate_every": QUICK_EVERY}
            for seed in range(seeds):
                yield RunSpec(name, {"k": k}, method, seed, episodes, settings)
