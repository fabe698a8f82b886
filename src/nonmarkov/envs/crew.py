"""Who plays the episodes of an environment: this process, or several others.

Episodes are handed out in chunks of fixed size, and every episode is a function of the plan and of
its own seed, so what comes back does not depend on how many play.
"""

import multiprocessing
import pickle
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any

from nonmarkov.checks import check_integer
from nonmarkov.envs.playing import Actor, Chunk, Guide, Scout, play_chunk
from nonmarkov.envs.stage import Stage, open_environment
from nonmarkov.errors import FaultyEnvironmentError, InvalidParameterError, NonMarkovError

CHUNK = 8  # episodes that are played one after the other


class Crew:
    """Plays episodes, alone unless others are hired."""

    def __init__(self, source: Any, max_steps: int | None = None) -> None:
        if max_steps is not None:
            check_integer("max_steps", max_steps, at_least=1)
        self._source, self._max_steps = source, max_steps
        self.stage = Stage(open_environment(source), max_steps)
        self._pool: ProcessPoolExecutor | None = None

    def play(self, guide: Guide, seeds: Sequence[int]) -> list[Chunk]:
        """Play one episode for every seed."""
        parts = [seeds[i : i + CHUNK] for i in range(0, len(seeds), CHUNK)]
        if self._pool is None:
            scout = Scout(guide)
            return _until_error(play_chunk(self.stage, scout, part) for part in parts)
        try:
            return list(self._pool.map(_play_part, [guide] * len(parts), parts))
        except BrokenProcessPool:
            raise FaultyEnvironmentError(
                "A process that played the environment died. What was learned before is kept."
            ) from None

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
    def hired(self, workers: int) -> Iterator[None]:
        """Let so many processes play; one means that this one does."""
        if check_integer("workers", workers, at_least=1) == 1:
            yield
            return
        context = multiprocessing.get_context("spawn")
        setup = (_recipe(self._source), self._max_steps)
        with ProcessPoolExecutor(workers, context, _set_up, setup) as pool:
            self._pool = pool
            try:
                yield
            finally:
                self._pool = None


def _until_error(chunks: Iterator[Chunk]) -> list[Chunk]:
    """Return chunks up to the first with an error."""
    played = []
    for chunk in chunks:
        played.append(chunk)
        if chunk.error is not None:
            break
    return played


def _recipe(source: Any) -> Any:
    """Return what another process can make the environment of."""
    if isinstance(source, str):
        return source
    recipe = source if not hasattr(source, "step") else source.spec
    try:
        if recipe is None:
            raise TypeError("it was not made by gymnasium.make")
        pickle.dumps(recipe)
    except Exception as error:
        raise InvalidParameterError(
            f"workers: the environment cannot be made again in other processes ({error}). Give the "
            f"agent the id of an environment, or a function at the top of a module that makes one."
        ) from None
    return recipe


class _Worker:
    """What a process of the crew holds."""

    stage: Stage | None = None
    failure: NonMarkovError | None = None


def _set_up(recipe: Any, max_steps: int | None) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that learns
    try:
        _Worker.stage = Stage(_made(recipe), max_steps)
    except NonMarkovError as error:
        _Worker.failure = error
    except Exception as error:
        _Worker.failure = FaultyEnvironmentError(
            f"workers: the environment could not be made again in another process: {error}"
        )


def _made(recipe: Any) -> Any:
    import gymnasium

    if isinstance(recipe, gymnasium.envs.registration.EnvSpec):
        return gymnasium.make(recipe)
    return open_environment(recipe)


def _play_part(guide: Guide, seeds: Sequence[int]) -> Chunk:
    if _Worker.failure is not None:
        raise _Worker.failure
    assert _Worker.stage is not None
    return play_chunk(_Worker.stage, Scout(guide), seeds)
