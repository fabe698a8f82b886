"""Runs on a Ray cluster.

A run is done in a folder of its own on whichever node it is sent to, and its files come back as
bytes: nodes share no disk with us. A node that is lost takes unfinished runs along; Ray does
these again elsewhere, with the same bytes.
"""

import logging
import tempfile
import time
import traceback
from collections import deque
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

from nonmarkov.clusters import MOST_RETRIES, connected
from nonmarkov.results.specification import RunSpec
from nonmarkov.results.writing import write_run
from nonmarkov.sweep.outcome import Outcome, one_line

AHEAD = 4  # runs that are handed over, for every core of the cluster

log = logging.getLogger(__name__)


def run_on_ray(
    specs: Sequence[RunSpec], folder: Path, address: str, jobs: int
) -> Generator[Outcome, None, None]:
    """Do runs on the cluster at `address`, or on one of so many cores that is started here."""
    with connected(address, jobs) as ray:
        task = ray.remote(num_cpus=1, max_retries=MOST_RETRIES)(perform)
        waiting = deque(specs)
        pending: dict[Any, RunSpec] = {}
        while waiting or pending:
            room = AHEAD * max(1, int(ray.cluster_resources().get("CPU", 1)))
            while waiting and len(pending) < room:
                spec = waiting.popleft()
                pending[task.remote(spec.to_content())] = spec
            for reference in ray.wait(list(pending), num_returns=1)[0]:
                yield _receive(ray, reference, pending.pop(reference), folder)


def _receive(ray: Any, reference: Any, spec: RunSpec, folder: Path) -> Outcome:
    """Store what a node has sent, and return what became of the run."""
    try:
        seconds, files, error, details = ray.get(reference)
    except ray.exceptions.RayError as lost:
        return Outcome(spec, 0.0, one_line(lost))
    if not error:
        write_run(folder, spec, files)
        log.info("%s came back from the cluster", spec.name)
    return Outcome(spec, seconds, error, details)


def perform(content: dict[str, Any]) -> tuple[float, dict[str, bytes], str, str]:
    """Do a run on a node; return seconds, the files by name, and what went wrong and where."""
    from nonmarkov.results.execution import execute

    began = time.monotonic()
    files, error, details = {}, "", ""
    with tempfile.TemporaryDirectory(prefix="nonmarkov-") as scratch:
        try:
            place = execute(RunSpec.from_content(content), Path(scratch))
            files = {path.name: path.read_bytes() for path in sorted(place.iterdir())}
        except Exception as failure:
            error, details = one_line(failure), traceback.format_exc()
    return time.monotonic() - began, files, error, details
