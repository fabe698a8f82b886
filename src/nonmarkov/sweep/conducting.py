"""A whole sweep: what is wanted and missing is done, here or on a cluster, and reported."""

import logging
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nonmarkov.checks import check_integer
from nonmarkov.learning.side_by_side import usable_cores
from nonmarkov.results.specification import RunSpec
from nonmarkov.sweep.forecast import Forecast
from nonmarkov.sweep.local import run_locally
from nonmarkov.sweep.lock import locked
from nonmarkov.sweep.outcome import Outcome
from nonmarkov.sweep.plan import Plan, make_plan

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Progress:
    """How far a sweep is."""

    wanted: int
    stored: int  # were there before
    done: int
    failed: int
    seconds_left: float | None
    latest: Outcome | None = None


@dataclass(frozen=True)
class Report:
    """What a sweep came to."""

    folder: Path
    wanted: int
    stored: int  # were there before
    done: int
    failed: tuple[Outcome, ...]
    seconds: float
    interrupted: bool = False

    @property
    def complete(self) -> bool:
        """Whether all that is wanted is there now."""
        return self.stored + self.done == self.wanted

    def to_content(self) -> dict[str, Any]:
        """Return the report as JSON data."""
        return {
            "folder": str(self.folder),
            "wanted": self.wanted,
            "stored": self.stored,
            "done": self.done,
            "failed": [outcome.to_content() for outcome in self.failed],
            "seconds": self.seconds,
            "interrupted": self.interrupted,
            "complete": self.complete,
        }


def conduct(
    specs: Iterable[RunSpec],
    folder: Path,
    *,
    jobs: int | None = None,
    ray: str | None = None,
    watch: Callable[[Progress], None] | None = None,
) -> Report:
    """Do all runs that are not stored in `folder` yet.

    jobs: processes on this machine, by default one for every core; or ray: the address of a Ray
    cluster, or "local". watch: called at the beginning and whenever a run has ended. Ctrl-C ends
    it; whatever ends it, the next sweep in the same folder goes on with what is missing.
    """
    jobs = usable_cores() if jobs is None else check_integer("jobs", jobs, at_least=1)
    began = time.monotonic()
    with locked(folder):
        plan = make_plan(specs, folder)
        log.info("%d of %d runs are missing in %s", len(plan.missing), len(plan.wanted), folder)
        done, failed, interrupted = 0, [], False
        outcomes = _outcomes(plan.missing, folder, jobs, ray)
        try:
            for progress in _follow(plan, outcomes):
                outcome = progress.latest
                done = progress.done
                if outcome is not None and outcome.error:
                    log.error("%s failed: %s", outcome.spec, outcome.error)
                    failed.append(outcome)
                if watch is not None:
                    watch(progress)
        except KeyboardInterrupt:
            interrupted = True
        finally:
            outcomes.close()
    seconds = time.monotonic() - began
    return Report(
        folder, len(plan.wanted), plan.n_stored, done, tuple(failed), seconds, interrupted
    )


def _outcomes(
    specs: Sequence[RunSpec], folder: Path, jobs: int, ray: str | None
) -> Generator[Outcome, None, None]:
    if ray is None:
        return run_locally(specs, folder, jobs)
    from nonmarkov.sweep.cluster import run_on_ray

    return run_on_ray(specs, folder, ray, jobs)


def _follow(plan: Plan, outcomes: Iterator[Outcome]) -> Iterator[Progress]:
    """Yield how far a sweep is, now and after every run."""
    forecast, done, failed = Forecast(plan.missing), 0, 0
    yield Progress(len(plan.wanted), plan.n_stored, done, failed, None)
    for outcome in outcomes:
        forecast.note(outcome)
        done, failed = done + (not outcome.error), failed + bool(outcome.error)
        left = forecast.seconds_left
        yield Progress(len(plan.wanted), plan.n_stored, done, failed, left, outcome)
