"""A progress bar for one training, in a terminal only."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from nonmarkov.training.trainer import Learner

Show = Callable[[int, Learner, float], None]


@contextmanager
def progress_bar(episodes: int, wanted: bool | None) -> Iterator[Show]:
    """Yield a function that shows how far training is; it does nothing without a terminal."""
    if wanted is False or (wanted is None and not sys.stderr.isatty()):
        yield lambda done, learner, score: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn, TimeRemainingColumn
    from rich.text import Text

    class Speed(ProgressColumn):
        """Episodes per second."""

        def render(self, task: object) -> Text:
            speed = getattr(task, "speed", None)
            return Text(f"{speed:,.0f} episodes/s" if speed else "")

    columns = (
        TextColumn("{task.completed:,.0f} of {task.total:,.0f}"),
        BarColumn(bar_width=24),
        Speed(),
        TextColumn("{task.fields[states]}"),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True, force_terminal=wanted)
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=episodes, states="")

        def show(done: int, learner: Learner, score: float) -> None:
            hypothesis = learner.hypothesis
            states = f"{hypothesis.n_safe} safe, {hypothesis.n_candidates} candidates"
            progress.update(task, completed=done, states=f"{states}, score {score:.2f}")

        yield show
