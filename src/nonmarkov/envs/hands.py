"""Other processes that play episodes: on the cores of this machine, or on a Ray cluster."""

import multiprocessing
import pickle
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any

from nonmarkov.clusters import MOST_RETRIES, connected
from nonmarkov.envs.playing import Chunk, play_chunk
from nonmarkov.envs.scout import Guide, Scout
from nonmarkov.envs.stage import Stage, open_environment
from nonmarkov.errors import FaultyEnvironmentError, InvalidParameterError, NonMarkovError

Seeds = Sequence[int]
Hands = Callable[[Guide, Sequence[Seeds]], list[Chunk]]  # play parts of episodes by one plan


@contextmanager
def on_cores(source: Any, max_steps: int | None, workers: int) -> Iterator[Hands]:
    """Yield so many processes of this machine."""
    context, recipe = multiprocessing.get_context("spawn"), _recipe(source)
    with ProcessPoolExecutor(workers, context, _ignore_interrupts) as pool:

        def play(guide: Guide, parts: Sequence[Seeds]) -> list[Chunk]:
            setup = ([recipe] * len(parts), [max_steps] * len(parts), [guide] * len(parts))
            try:
                return list(pool.map(_play_part, *setup, parts))
            except BrokenProcessPool:
                raise FaultyEnvironmentError(
                    "A process that played the environment died. What was learned before is kept."
                ) from None

        yield play


@contextmanager
def on_ray(source: Any, max_steps: int | None, workers: int, address: str) -> Iterator[Hands]:
    """Yield the cluster at an address, or one of so many cores that is started here.

    What a lost node was playing is played again elsewhere.
    """
    recipe = _recipe(source)
    with connected(address, workers) as ray:
        task = ray.remote(num_cpus=1, max_retries=MOST_RETRIES)(_play_part)

        def play(guide: Guide, parts: Sequence[Seeds]) -> list[Chunk]:
            plan = ray.put(guide)
            try:
                chunks = ray.get([task.remote(recipe, max_steps, plan, part) for part in parts])
            except ray.exceptions.RayError as error:
                cause = getattr(error, "cause", None)
                if isinstance(cause, NonMarkovError):
                    raise cause from None
                reason = str(error).strip().splitlines()[-1]
                raise FaultyEnvironmentError(
                    f"The cluster failed to play the environment: {reason:.200}"
                ) from None
            return list(chunks)

        yield play


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


def _ignore_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that learns


class _Kept:
    """The stage that a process plays on, made once."""

    recipe: bytes = b""
    stage: Stage | None = None


def _play_part(recipe: Any, max_steps: int | None, guide: Guide, seeds: Seeds) -> Chunk:
    """Play a part in a process of its own, or on a node."""
    name = pickle.dumps((recipe, max_steps))
    if _Kept.stage is None or _Kept.recipe != name:
        _Kept.stage, _Kept.recipe = _set_up(recipe, max_steps), name
    return play_chunk(_Kept.stage, Scout(guide), seeds)


def _set_up(recipe: Any, max_steps: int | None) -> Stage:
    import gymnasium

    try:
        if isinstance(recipe, gymnasium.envs.registration.EnvSpec):
            return Stage(gymnasium.make(recipe), max_steps)
        return Stage(open_environment(recipe), max_steps)
    except NonMarkovError:
        raise
    except Exception as error:
        raise FaultyEnvironmentError(
            f"workers: the environment could not be made again in another process: {error}"
        ) from None
