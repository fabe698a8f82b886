"""A progress bar for one training, in a terminal only."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from nonmarkov.training.interface import Training

Show = Callable[[int, Training, float], None]


@contextmanager
def progress_bar(episodes: int, wanted: bool | None) -> Iterator[Show]:
    """Yield a function that shows how far training is; it does nothing without a terminal."""
    if wanted is False or (wanted is None and not sys.stderr.isatty()):
        yield lambda done, training, score: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn, TimeRemainingColumn
    from rich.table import Column
    from rich.text import Text

    class Speed(ProgressColumn):
        """Episodes per second."""

        def render(self, task: object) -> Text:
            speed = getattr(task, "speed", None)
            return Text(f"{speed:,.0f} ep/s" if speed else "")

    # All of it fits into 80 characters, and is cut rather than wrapped where it does not.
    line = Column(no_wrap=True)
    columns = (
        TextColumn("{task.completed:,.0f}/{task.total:,.0f}", table_column=line),
        BarColumn(bar_width=8),
        Speed(table_column=line),
        TextColumn("{task.fields[states]}", table_column=line),
        TimeRemainingColumn(table_column=line),
    )
    console = Console(stderr=True, force_terminal=wanted)
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=episodes, states="")

        def show(done: int, training: Training, score: float) -> None:
            states = f"{training.n_states} safe {training.n_candidates} cand."
            progress.update(task, completed=done, states=f"{states} score {score:.2f}")

        yield show
