"""Work that is done at the same time: kernels let go of the interpreter while they run."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")
Other = TypeVar("Other")

MOST_THREADS = 4
AT_ONCE = 2  # parts into which work is divided, on any number of cores: so results are the same


def usable_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@cache
def _helpers(number: int) -> ThreadPoolExecutor:
    """Return so many other threads. They are kept: on a short log, new ones would cost a lot."""
    return ThreadPoolExecutor(number)


if hasattr(os, "register_at_fork"):  # a forked process has none of the threads
    os.register_at_fork(after_in_child=_helpers.cache_clear)


def side_by_side(work: Callable[[Task], Result], tasks: Sequence[Task]) -> list[Result]:
    """Return the results of the same work on several tasks, in their order.

    They must not know of each other: then the results do not depend on the number of cores.
    """
    threads = min(MOST_THREADS, usable_cores())
    if threads < 2 or len(tasks) < 2:
        return [work(task) for task in tasks]
    others = [_helpers(threads - 1).submit(work, task) for task in tasks[1:]]
    try:
        first, last = work(tasks[0]), []
        # What nobody has begun with yet is done here, from the end on, instead of waiting.
        while others and others[-1].cancel():
            others.pop()
            last.append(work(tasks[1 + len(others)]))
        return [first, *(other.result() for other in others), *reversed(last)]
    finally:
        for other in others:
            other.cancel()


def pairs(tasks: Sequence[Task]) -> Iterator[Sequence[Task]]:
    """Yield the tasks that are done at the same time; the next ones can know their results."""
    for i in range(0, len(tasks), AT_ONCE):
        yield tasks[i : i + AT_ONCE]


def both(work: Callable[[], Result], other: Callable[[], Other]) -> tuple[Result, Other]:
    """Return the results of different work, under the same conditions."""
    parts: list[Callable[[], Any]] = [work, other]
    first, second = side_by_side(lambda part: part(), parts)
    return first, second
