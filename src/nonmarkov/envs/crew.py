"""Who plays the episodes of an environment: this process, or several others.

Episodes are handed out in chunks of fixed size, and every episode is a function of the plan and of
its own seed, so what comes back does not depend on who plays, or how many.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from nonmarkov.checks import check_integer
from nonmarkov.envs.hands import Hands, on_cores, on_ray
from nonmarkov.envs.playing import Actor, Chunk, play_chunk
from nonmarkov.envs.scout import Guide, Scout
from nonmarkov.envs.stage import Stage, open_environment

CHUNK = 8  # episodes that are played one after the other


class Crew:
    """Plays episodes, alone unless others are hired."""

    def __init__(self, source: Any, max_steps: int | None = None) -> None:
        if max_steps is not None:
            check_integer("max_steps", max_steps, at_least=1)
        self._source, self._max_steps = source, max_steps
        is_stage = isinstance(source, Stage)
        self.stage: Stage = source if is_stage else Stage(open_environment(source), max_steps)
        self._hands: Hands | None = None

    def play(self, guide: Guide, seeds: Sequence[int]) -> list[Chunk]:
        """Play one episode for every seed."""
        parts = [seeds[i : i + CHUNK] for i in range(0, len(seeds), CHUNK)]
        if self._hands is not None:
            return self._hands(guide, parts)
        scout = Scout(guide)
        return _until_error(play_chunk(self.stage, scout, part) for part in parts)

    def perform(self, actor: Actor, seeds: Sequence[int]) -> list[float]:
        """Play one episode for every seed here; return the sum of rewards of each."""
        chunk = play_chunk(self.stage, actor, seeds)
        if chunk.error is not None:
            raise chunk.error
        totals, at = [], 0
        for length in chunk.lengths:
            totals.append(sum(chunk.rewards[at : at + length]))
            at += length
        return totals

    @contextmanager
    def hired(self, workers: int, ray: str | None = None) -> Iterator[None]:
        """Let so many processes play; one means that this one does.

        ray: the address of a cluster, all of which plays, or "local" for one of so many cores.
        """
        check_integer("workers", workers, at_least=1)
        if (workers == 1 and ray is None) or self.stage is self._source:
            yield
            return
        setup = (self._source, self._max_steps, workers)
        with on_cores(*setup) if ray is None else on_ray(*setup, ray) as hands:
            self._hands = hands
            try:
                yield
            finally:
                self._hands = None


def _until_error(chunks: Iterator[Chunk]) -> list[Chunk]:
    """Return chunks up to the first with an error."""
    played = []
    for chunk in chunks:
        played.append(chunk)
        if chunk.error is not None:
            break
    return played
