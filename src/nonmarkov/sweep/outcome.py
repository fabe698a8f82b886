"""What became of one run of a sweep."""

from dataclasses import dataclass
from typing import Any

from nonmarkov.results.specification import RunSpec


@dataclass(frozen=True)
class Outcome:
    """A run that is done, or that failed with an error."""

    spec: RunSpec
    seconds: float  # on the clock
    error: str = ""  # in one line
    details: str = ""  # where it happened

    def to_content(self) -> dict[str, Any]:
        """Return the outcome as JSON data."""
        return {
            "name": self.spec.name,
            **self.spec.to_content(),
            "seconds": self.seconds,
            "error": self.error,
            "details": self.details,
        }


def one_line(error: BaseException) -> str:
    """Return what an error says, in one line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
