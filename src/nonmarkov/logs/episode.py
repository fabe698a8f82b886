"""One episode of a log, as readers hand it on."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from nonmarkov.core.alphabet import Symbol

LONGEST_EPISODE = 100_000  # steps; a longer one counts as cut off there


class _Nothing:
    """The type of NOTHING."""

    def __repr__(self) -> str:
        return "NOTHING"


NOTHING: Final = _Nothing()  # None may be an observation


@dataclass(frozen=True, slots=True)
class LoggedEpisode:
    """Steps in the order in which they were made.

    An episode can end in two ways: its last step is (action, END, 0), so the action was answered by
    the end and nothing else; or it is `over`, so the last step brought its outcome and the end.
    Otherwise it was cut off, which says nothing about what would have come next.
    """

    steps: Sequence[Symbol]  # (action, observation, reward)
    over: bool
    place: str  # where it is in the log; named in errors
    first: Any = NOTHING  # observation before the first action
    one_kind: bool = True  # whether labels must be of one kind: all text, or all numbers
