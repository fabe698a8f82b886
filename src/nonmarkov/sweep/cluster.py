"""Runs on a Ray cluster; the only place that knows Ray.

A run is done in a folder of its own on whichever node it is sent to, and its files come back as
bytes: nodes share no disk with us. A node that is lost takes unfinished runs along; Ray does
these again elsewhere, with the same bytes.
"""

import logging
import os
import secrets
import socket
import sys
import tempfile
import time
import traceback
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from nonmarkov.errors import InvalidParameterError, MissingExtraError
from nonmarkov.results.specification import RunSpec
from nonmarkov.results.writing import write_run
from nonmarkov.sweep.outcome import Outcome, one_line

LOCAL = "local"
MOST_RETRIES = 3  # of a run whose node or process was lost
AHEAD = 4  # runs that are handed over, for every core of the cluster
CONNECT_SECONDS = 5.0
LONGEST_REASON = 200  # characters of what Ray says
STORE = 100_000_000  # bytes of shared memory, the least that Ray takes

log = logging.getLogger(__name__)


def run_on_ray(
    specs: Sequence[RunSpec], folder: Path, address: str, jobs: int
) -> Generator[Outcome, None, None]:
    """Do runs on the cluster at `address`, or on one of so many cores that is started here."""
    with _connected(address, jobs) as ray:
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


@contextmanager
def _connected(address: str, jobs: int) -> Iterator[Any]:
    """Yield Ray, connected, without reports to anyone and without chatter."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    options: dict[str, Any] = {"logging_level": logging.ERROR, "log_to_driver": False}
    if address == LOCAL:
        options |= {"num_cpus": jobs, "include_dashboard": False, "object_store_memory": STORE}
    else:
        _check_address(address)
        options |= {"address": address}
    with _token() if address == LOCAL else nullcontext():
        ray = _import_ray()
        try:
            ray.init(**options)
        except (ConnectionError, ValueError, RuntimeError, OSError) as error:
            raise _unreachable(address, one_line(error)[:LONGEST_REASON]) from None
        try:
            yield ray
        finally:
            ray.shutdown()


def _check_address(address: str) -> None:
    """Refuse an address at which nobody answers: Ray itself would try for minutes."""
    host, separator, port = address.removeprefix("ray://").rpartition(":")
    if not separator:
        return  # "auto", or a name that Ray knows
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT_SECONDS).close()
    except (OSError, ValueError, OverflowError) as error:
        raise _unreachable(address, str(error)) from None


def _unreachable(address: str, reason: str) -> InvalidParameterError:
    return InvalidParameterError(
        f"ray: no cluster could be reached at {address!r} ({reason}). Start one with "
        f'"ray start --head", or choose "{LOCAL}".'
    )


def _import_ray() -> Any:
    try:
        import ray
        import ray.exceptions
    except ImportError:
        raise MissingExtraError(
            'Ray is not installed. Install it with: pip install "nonmarkov[ray]"'
        ) from None
    return ray


@contextmanager
def _token() -> Iterator[None]:
    """Let the cluster to be started accept only those who know a secret.

    Ray listens on all interfaces; and left alone, it would keep a secret that others can read.
    """
    if "ray" in sys.modules or "RAY_AUTH_MODE" in os.environ:
        yield  # the user has decided; Ray looks at this only when it is imported
        return
    with tempfile.TemporaryDirectory(prefix="nonmarkov-ray-") as scratch:
        path = Path(scratch, "token")
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_hex(32))
        os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN_PATH": str(path)}
        try:
            yield
        finally:
            del os.environ["RAY_AUTH_MODE"], os.environ["RAY_AUTH_TOKEN_PATH"]
