"""A folder with the results of many runs, read as tables."""

import logging
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nonmarkov.errors import FileFormatError
from nonmarkov.results.reading import RUNS, RunRecord, read_run

log = logging.getLogger(__name__)

Condition = Callable[[RunRecord], bool]


@dataclass(frozen=True)
class Table:
    """One row for every complete run, sorted by domain, k, method and seed."""

    name: list[str]
    domain: list[str]
    k: list[Any]  # the parameter that the paper varies
    parameters: list[dict[str, Any]]
    method: list[str]
    seed: NDArray[np.int64]
    settings: list[dict[str, Any]]
    episodes: NDArray[np.int64]
    score: NDArray[np.float64]
    optimal_score: NDArray[np.float64]
    share: NDArray[np.float64]  # score / optimal_score; nan if the optimum is 0
    states: NDArray[np.int64]
    minimal_states: NDArray[np.int64]
    right: NDArray[np.bool_]
    certified: NDArray[np.bool_]
    episodes_to_95: NDArray[np.float64]  # nan if never reached
    episodes_to_99: NDArray[np.float64]
    seconds: NDArray[np.float64]  # nan if unknown

    def __len__(self) -> int:
        return len(self.name)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(field.name for field in fields(self))

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield one row after the other, by the names of the columns."""
        for values in zip(*(getattr(self, name) for name in self.columns), strict=True):
            yield dict(zip(self.columns, values, strict=True))

    def where(self, **wanted: Any) -> "Table":
        """Return the rows in which the given columns have the given values."""
        keep = [
            i for i, row in enumerate(self.rows()) if all(row[n] == v for n, v in wanted.items())
        ]
        chosen: dict[str, Any] = {}
        for name in self.columns:
            values = getattr(self, name)
            is_list = isinstance(values, list)
            chosen[name] = [values[i] for i in keep] if is_list else values[keep]
        return Table(**chosen)


class Store:
    """Reads a folder of results; what is damaged or foreign in it is named and left out."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.problems: list[str] = []  # found by the last look at the folder

    def runs(self, condition: Condition | None = None) -> Iterator[RunRecord]:
        """Yield the runs, complete or not, in the order of their names."""
        self.problems = []
        for folder in self._folders():
            record = self._read(folder)
            if record is not None and (condition is None or condition(record)):
                yield record

    def _folders(self) -> list[Path]:
        try:
            with os.scandir(self.path / RUNS) as entries:
                found = sorted((entry.name, entry.is_dir()) for entry in entries)
        except (FileNotFoundError, NotADirectoryError):
            return []
        for name, is_folder in found:
            if not is_folder:
                self._complain(f"{self.path / RUNS / name} is no folder of a run; it is left out.")
        return [self.path / RUNS / name for name, is_folder in found if is_folder]

    def _read(self, folder: Path) -> RunRecord | None:
        try:
            record = read_run(folder)
        except FileNotFoundError:
            if any(folder.iterdir()):  # an empty one is about to be filled
                self._complain(f"{folder} has no specification; it is left out.")
            return None
        except (FileFormatError, OSError) as error:
            self._complain(f"{error} It is left out.")
            return None
        if record.problem:
            self._complain(f"{record.problem} The run counts as unfinished.")
        return record

    def _complain(self, message: str) -> None:
        self.problems.append(message)
        log.warning("%s", message)

    def complete(self) -> set[str]:
        """Return the names of the complete runs."""
        return {record.name for record in self.runs(lambda record: record.complete)}

    def table(self, condition: Condition | None = None) -> Table:
        """Return the complete runs, one row for each."""
        records = [record for record in self.runs(condition) if record.complete]
        records.sort(key=_order)
        results = [record.result or {} for record in records]
        specs = [record.spec for record in records]

        def column(name: str, kind: type, absent: float = np.nan) -> NDArray[Any]:
            values = (result[name] for result in results)
            return np.array([absent if v is None else v for v in values], dtype=kind)

        score, optimum = column("score", np.float64), column("optimal_score", np.float64)
        share = np.divide(score, optimum, out=np.full(score.shape, np.nan), where=optimum != 0.0)
        return Table(
            [spec.name for spec in specs],
            [spec.domain for spec in specs],
            [spec.parameters.get("k") for spec in specs],
            [dict(spec.parameters) for spec in specs],
            [spec.method for spec in specs],
            np.array([spec.seed for spec in specs], dtype=np.int64),
            [dict(spec.settings) for spec in specs],
            column("episodes", np.int64),
            score,
            optimum,
            share,
            column("states", np.int64),
            column("minimal_states", np.int64),
            column("right", np.bool_),
            np.array([bool(r["certificate"].get("passed")) for r in results], dtype=np.bool_),
            column("episodes_to_95", np.float64),
            column("episodes_to_99", np.float64),
            np.array([_seconds(record) for record in records], dtype=np.float64),
        )

    def curves(
        self, condition: Condition | None = None
    ) -> Iterator[tuple[RunRecord, dict[str, NDArray[Any]]]]:
        """Yield runs with their curves, so far if they are not complete; damaged ones are named."""
        for record in self.runs(condition):
            try:
                yield record, record.curve
            except FileFormatError as error:
                self._complain(f"{error} The curve is left out.")


def _order(record: RunRecord) -> tuple[str, str, float, str, int, str]:
    spec = record.spec
    k = spec.parameters.get("k")
    number = float(k) if isinstance(k, (int, float)) else 0.0
    return spec.domain, type(k).__name__, number, spec.method, spec.seed, spec.name


def _seconds(record: RunRecord) -> float:
    seconds = record.timing.get("seconds")
    return float(seconds) if isinstance(seconds, (int, float)) else float("nan")
