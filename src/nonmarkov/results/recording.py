"""Keeping the files of a running training up to date."""

import time
from bisect import bisect_left
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nonmarkov.results.reading import CURVE, EVENTS, SNAPSHOTS
from nonmarkov.results.snapshot import take_snapshot
from nonmarkov.results.summary import change_contents
from nonmarkov.results.writing import write_curve, write_lines
from nonmarkov.training import Agent, Evaluation
from nonmarkov.training.interface import Change

MOST_SNAPSHOTS = 40
SHORTEST_PAUSE = 1.0  # seconds between two times at which the files are written
PATIENCE = 20.0  # the same, in times that writing takes


class Recorder:
    """Called with every evaluation of an agent; what is kept depends on the evaluations alone.

    A moment is an evaluation at which something differs from the one before. Of these, every
    second, fourth, eighth ... is kept, so that there are never more than MOST_SNAPSHOTS; and
    which they are can be told from the curve and the changes, so that a training can be resumed.
    """

    def __init__(self, agent: Agent, folder: Path, kept: Sequence[dict[str, Any]] = ()) -> None:
        self._agent, self._folder = agent, folder
        self._moments = find_moments(agent.curve, agent.changes)
        self._mark = mark(agent.curve[-1], agent.changes) if agent.curve else None
        wanted = set(self._moments[:: self._stride])
        self.snapshots = [snapshot for snapshot in kept if snapshot["episodes"] in wanted]
        self.gapless = len(self.snapshots) == len(wanted)  # all that is wanted was in `kept`
        self._next_flush = 0.0

    @property
    def _stride(self) -> int:
        """Every so many moments one is kept."""
        stride = 1
        while len(self._moments) > MOST_SNAPSHOTS * stride:
            stride *= 2
        return stride

    def __call__(self, point: Evaluation) -> None:
        """Take note of an evaluation."""
        now = mark(point, self._agent.changes)
        if now != self._mark:
            self._mark = now
            self._keep(point)
        if time.monotonic() >= self._next_flush:
            self.flush()

    def _keep(self, point: Evaluation) -> None:
        before = self._stride
        self._moments.append(point.episodes)
        if self._stride != before:
            del self.snapshots[1::2]
        if (len(self._moments) - 1) % self._stride == 0:
            self.snapshots.append(take_snapshot(self._agent, point))

    def flush(self) -> None:
        """Bring the files up to date."""
        began = time.monotonic()
        write_curve(self._folder / CURVE, self._agent.curve)
        write_lines(self._folder / EVENTS, change_contents(self._agent.changes))
        write_lines(self._folder / SNAPSHOTS, self.snapshots)
        ended = time.monotonic()
        self._next_flush = ended + max(SHORTEST_PAUSE, PATIENCE * (ended - began))

    def finish(self) -> None:
        """Keep the end, whatever was kept before, and bring the files up to date."""
        last = self._agent.curve[-1]
        if not self.snapshots or self.snapshots[-1]["episodes"] != last.episodes:
            self.snapshots.append(take_snapshot(self._agent, last))
        self.flush()


def find_moments(curve: Sequence[Evaluation], changes: Sequence[Change]) -> list[int]:
    """Return the episodes of those evaluations that differ from the one before."""
    marks = [mark(point, changes) for point in curve]
    return [point.episodes for i, point in enumerate(curve) if i == 0 or marks[i] != marks[i - 1]]


def mark(point: Evaluation, changes: Sequence[Change]) -> tuple[float, ...]:
    """Return what two evaluations differ in if there is something new to see.

    A change during the very episode of an evaluation may have been made before or after it, so it
    counts for the next one.
    """
    made = bisect_left(changes, point.episodes, key=lambda change: change.episode)
    return (made, point.score, point.states, point.candidates)
