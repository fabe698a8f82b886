"""Runs in processes on this machine.

Every process gets one run at a time, so that it is known which one was lost if the system ends a
process, say for lack of memory. It is tried again then, a few times.
"""

import logging
import multiprocessing
import os
import signal
import threading
import time
import traceback
from collections import Counter, deque
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path

from nonmarkov.errors import StorageError
from nonmarkov.results.specification import RunSpec
from nonmarkov.sweep.outcome import Outcome, one_line

MOST_ATTEMPTS = 3
PATIENCE = 5.0  # seconds for a process to end when it is told to

log = logging.getLogger(__name__)


def run_locally(
    specs: Sequence[RunSpec], folder: Path, jobs: int
) -> Generator[Outcome, None, None]:
    """Do runs, so many at a time, and yield what becomes of them, in the order of their ends.

    StorageError if results cannot be written: that ends all. So does closing the iterator.
    """
    pool = _Pool(specs, folder, jobs)
    try:
        yield from pool.outcomes()
    finally:
        pool.close()


@dataclass
class _Worker:
    """A process, and the run that it is busy with."""

    process: SpawnProcess
    connection: Connection
    spec: RunSpec
    began: float


class _Pool:
    """Processes that take runs from one queue."""

    def __init__(self, specs: Sequence[RunSpec], folder: Path, jobs: int) -> None:
        self._waiting, self._folder, self._jobs = deque(specs), folder, jobs
        self._attempts: Counter[str] = Counter()
        self._workers: dict[Connection, _Worker] = {}

    def outcomes(self) -> Iterator[Outcome]:
        """Yield what becomes of the runs."""
        while self._waiting or self._workers:
            while self._waiting and len(self._workers) < self._jobs:
                self._start()
            for connection in wait(list(self._workers)):
                assert isinstance(connection, Connection)
                outcome = self._hear(self._workers[connection])
                if outcome is not None:
                    yield outcome

    def _start(self) -> None:
        """Start a process with the next run."""
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(theirs, self._folder), daemon=True)
        process.start()
        theirs.close()
        self._workers[ours] = worker = _Worker(process, ours, self._waiting[0], 0.0)
        self._assign(worker)

    def _assign(self, worker: _Worker) -> None:
        worker.spec, worker.began = self._waiting.popleft(), time.monotonic()
        self._attempts[worker.spec.name] += 1
        try:
            worker.connection.send(worker.spec)
        except OSError:
            log.debug("a process ended before it got %s", worker.spec.name)  # heard of later

    def _hear(self, worker: _Worker) -> Outcome | None:
        """Return what a process has to say about its run, and give it the next one."""
        spec, seconds = worker.spec, time.monotonic() - worker.began
        try:
            error, details, is_fatal = worker.connection.recv()
        except (EOFError, OSError):
            return self._bury(worker, seconds)
        if is_fatal:
            raise StorageError(error)
        if self._waiting:
            self._assign(worker)
        else:
            self._dismiss(worker)
        return Outcome(spec, seconds, error, details)

    def _bury(self, worker: _Worker, seconds: float) -> Outcome | None:
        """Put the run of a process that ended back into the queue, unless that happens often."""
        in_time = self._dismiss(worker)
        reason = _reason(worker.process.exitcode) if in_time else "fell silent and was ended by us"
        if self._attempts[worker.spec.name] < MOST_ATTEMPTS:
            log.warning("The process of %s %s; it begins again.", worker.spec, reason)
            self._waiting.append(worker.spec)
            return None
        error = f"its process {reason}, {MOST_ATTEMPTS} times in a row"
        return Outcome(worker.spec, seconds, error)

    def _dismiss(self, worker: _Worker) -> bool:
        """Let a process end, by force if it does not in time; return whether it did."""
        del self._workers[worker.connection]
        worker.connection.close()
        worker.process.join(PATIENCE)
        if not worker.process.is_alive():
            return True
        worker.process.kill()
        worker.process.join()
        return False

    def close(self) -> None:
        """End all processes; what they were busy with can be done again."""
        for worker in self._workers.values():
            worker.process.terminate()
        for worker in list(self._workers.values()):
            self._dismiss(worker)


def _reason(exitcode: int | None) -> str:
    if exitcode is None or exitcode >= 0:
        return f"ended with exit code {exitcode}"
    name = signal.Signals(-exitcode).name
    memory = "; is there enough memory?" if -exitcode == signal.SIGKILL else ""
    return f"was ended by {name}{memory}"


def _serve(connection: Connection, folder: Path) -> None:
    """Do runs as they come in, until there are none; the body of a process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started us hears it, and ends us
    threading.Thread(target=_end_with_parent, daemon=True).start()
    from nonmarkov.results.execution import execute

    while True:
        try:
            spec = connection.recv()
        except EOFError:
            return
        try:
            execute(spec, folder)
            connection.send(("", "", False))
        except StorageError as error:
            connection.send((str(error), "", True))
        except KeyboardInterrupt:
            return
        except Exception as error:
            connection.send((one_line(error), traceback.format_exc(), False))


def _end_with_parent() -> None:
    """End this process at once when the one that started it is gone, so that none is left over."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os._exit(1)
