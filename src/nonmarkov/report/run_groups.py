"""The runs of a folder, sorted into configurations and methods: what every figure begins with."""

import json
import os
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from nonmarkov.domains import make_domain
from nonmarkov.errors import FileFormatError
from nonmarkov.files import canonical_json
from nonmarkov.results.reading import RUNS, RunRecord, read_run
from nonmarkov.results.specification import RunSpec

# In the order of the paper's figure.
TITLES = {
    "reset_rotating_mab": "Reset-Rotating MAB",
    "enemy_corridor": "Enemy Corridor",
    "flickering_grid": "Flickering Grid",
    "rotating_mab": "Rotating MAB",
    "malfunction_mab": "Malfunction MAB",
    "cheat_mab": "Cheat MAB",
    "rotating_maze": "Rotating Maze",
}


@dataclass(frozen=True)
class Configuration:
    """A domain with all its parameters."""

    domain: str
    content: str  # the parameters, as canonical JSON

    @classmethod
    def of(cls, spec: RunSpec) -> "Configuration":
        """Return the configuration of a run."""
        return cls(spec.domain, canonical_json(dict(spec.parameters)))

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """The parameters by name."""
        found: dict[str, Any] = json.loads(self.content)
        return found

    @property
    def k(self) -> int:
        """The parameter that the paper varies; 0 for a domain that has none."""
        k = self.parameters.get("k", 0)
        return k if isinstance(k, int) else 0

    @property
    def title(self) -> str:
        """The name of the domain, as the paper writes it."""
        return TITLES.get(self.domain, self.domain.replace("_", " ").title())

    @cached_property
    def details(self) -> str:
        """The value of k, and parameters that are not what they usually are."""
        given = {"k": self.k} if self.k else {}
        usual = json.loads(canonical_json(make_domain(self.domain, **given).parameters))
        other = {n: v for n, v in self.parameters.items() if n != "k" and v != usual.get(n)}
        return ", ".join(f"{name} = {value}" for name, value in (given | other).items())

    @property
    def label(self) -> str:
        """Title and details in one line."""
        return f"{self.title}, {self.details}" if self.details else self.title

    @property
    def order(self) -> tuple[int, str, int, str]:
        """What configurations are sorted by: domain as in the paper, then k."""
        names = list(TITLES)
        place = names.index(self.domain) if self.domain in TITLES else len(names)
        return place, self.domain, self.k, self.content


Runs = tuple[RunRecord, ...]


class RunGroups:
    """Runs by configuration and method; those of one group differ in nothing but the seed.

    If a method was run on a configuration with several settings or lengths, the group is that with
    the most complete runs, of equal ones the longest; `left_out` counts the others.
    """

    def __init__(self, records: Iterable[RunRecord]) -> None:
        variants: dict[Configuration, dict[str, dict[tuple[str, int], list[RunRecord]]]]
        variants = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
        for record in records:
            spec = record.spec
            variant = (canonical_json(dict(spec.settings)), spec.episodes)
            variants[Configuration.of(spec)][spec.method][variant].append(record)
        self._groups = {
            configuration: {method: _largest(found) for method, found in methods.items()}
            for configuration, methods in variants.items()
        }
        everything = sum(
            len(runs)
            for methods in variants.values()
            for found in methods.values()
            for runs in found.values()
        )
        kept = sum(len(runs) for methods in self._groups.values() for runs in methods.values())
        self.left_out = everything - kept

    def configurations(self, domain: str | None = None) -> list[Configuration]:
        """Return the configurations that were run, in order; those of one domain if given."""
        found = (c for c in self._groups if domain in (None, c.domain))
        return sorted(found, key=lambda configuration: configuration.order)

    @property
    def methods(self) -> set[str]:
        """All methods that were run anywhere."""
        return {method for methods in self._groups.values() for method in methods}

    def runs(self, configuration: Configuration, method: str) -> Runs:
        """Return the runs of a method, by seed, complete or not."""
        return self._groups.get(configuration, {}).get(method, ())

    def complete(self, configuration: Configuration, method: str) -> Runs:
        """Return the runs of a method that came to their end."""
        return tuple(run for run in self.runs(configuration, method) if run.complete)

    def optimum(self, configuration: Configuration) -> float | None:
        """Return the optimal score, which every complete run tells."""
        for runs in self._groups.get(configuration, {}).values():
            for run in runs:
                if run.result is not None:
                    return float(run.result["optimal_score"])
        return None


def _largest(variants: Mapping[tuple[str, int], list[RunRecord]]) -> Runs:
    def rank(variant: tuple[str, int]) -> tuple[int, int, int, str]:
        runs = variants[variant]
        settings, episodes = variant
        return -sum(run.complete for run in runs), -len(runs), -episodes, settings

    return tuple(sorted(variants[min(variants, key=rank)], key=lambda run: run.spec.seed))


Results = RunGroups | str | os.PathLike[str]


def load_runs(results: Results) -> RunGroups:
    """Return the runs of a folder of results; what cannot be read is no run."""
    if isinstance(results, RunGroups):
        return results
    folders = Path(results) / RUNS
    if not folders.is_dir():
        raise FileFormatError(f"{Path(results)} holds no results: there is no folder {folders}.")
    records = []
    for folder in sorted(folders.iterdir()):
        try:
            records.append(read_run(folder))
        except (FileFormatError, OSError):
            continue  # left by a crash, or not ours
    return RunGroups(records)
