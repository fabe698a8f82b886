"""Which runs are wanted, and which of them are there: a sweep is the difference."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from nonmarkov.results.specification import RunSpec
from nonmarkov.results.store import Store


@dataclass(frozen=True)
class Plan:
    """What is left to do in a folder."""

    folder: Path
    wanted: tuple[RunSpec, ...]  # each once
    missing: tuple[RunSpec, ...]

    @property
    def n_stored(self) -> int:
        """Number of wanted runs that are there."""
        return len(self.wanted) - len(self.missing)


def make_plan(specs: Iterable[RunSpec], folder: Path) -> Plan:
    """Return what is wanted and not stored yet, first seeds first.

    So something of everything is there early on, and the time that is left can be told.
    """
    wanted = tuple({spec.name: spec for spec in specs}.values())
    stored = Store(folder).complete()
    missing = [spec for spec in wanted if spec.name not in stored]
    rank = {seed: i for i, seed in enumerate(dict.fromkeys(spec.seed for spec in wanted))}
    return Plan(folder, wanted, tuple(sorted(missing, key=lambda spec: rank[spec.seed])))
