"""Learning curves for TensorBoard, for those who have it."""

import os
import time
from types import TracebackType
from typing import Any

from nonmarkov.errors import MissingExtraError
from nonmarkov.training import Evaluation
from nonmarkov.training.interface import Change


class TensorBoardWriter:
    """A callback of `Agent.learn` that writes what TensorBoard shows.

    with TensorBoardWriter("logs/maze") as writer:
        agent.learn(20_000, callback=writer, change_callback=writer.note_change)

    Needs the extra `tensorboard`. The step of all curves is the number of episodes.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        try:
            from tensorboard.compat.proto import event_pb2, summary_pb2
            from tensorboard.plugins.text.summary_v2 import text_pb
            from tensorboard.summary.writer.event_file_writer import EventFileWriter
        except ImportError:
            raise MissingExtraError(
                "TensorBoard is not installed. Install it with: "
                'pip install "nonmarkov[tensorboard]"'
            ) from None
        self._event, self._summary, self._text = event_pb2.Event, summary_pb2.Summary, text_pb
        self._writer = EventFileWriter(os.fspath(folder))

    def __call__(self, point: Evaluation) -> None:
        """Write one point of every curve."""
        values = point._asdict()
        step = values.pop("episodes")
        entries = [
            self._summary.Value(tag=f"nonmarkov/{name}", simple_value=float(value))
            for name, value in values.items()
        ]
        self._add(step, self._summary(value=entries))

    def note_change(self, change: Change) -> None:
        """Write what has changed in the automaton."""
        self._add(int(change.episode), self._text("nonmarkov/changes", str(change)))

    def _add(self, step: int, summary: Any) -> None:
        self._writer.add_event(self._event(wall_time=time.time(), step=step, summary=summary))

    def close(self) -> None:
        """Write what is left; nothing can be added then."""
        self._writer.close()

    def __enter__(self) -> "TensorBoardWriter":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
