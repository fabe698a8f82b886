"""Promotions and merges, with the evidence for them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from nonmarkov.stored import Stored, columns

KINDS = ("promotion", "merge", "restart")


@dataclass(frozen=True)
class StructuralChange:
    """A promotion or a merge, with the evidence for it."""

    kind: str  # "promotion" or "merge"
    episode: int  # episodes consumed when it happened
    state: int  # the safe state that is new, or that was merged into
    origin: tuple[int, int] | None  # (state, symbol) of the edge; None for the start
    suffixes: int  # the candidate's sample
    distance: float  # merge: an upper bound on the largest difference; promotion: a lower bound

    def __str__(self) -> str:
        after = f"after {self.episode:,} episodes: "
        if self.kind == "restart":
            return f"{after}a merge was wrong, so the search begins again with mu = {self.distance}"
        place = "the start" if self.origin is None else "the edge ({}, {})".format(*self.origin)
        sample = f"{self.suffixes:,} suffixes, difference"
        if self.kind == "merge":
            return f"{after}{place} leads to state {self.state}; {sample} <= {self.distance:.4f}"
        return f"{after}{place} leads to a new state, {self.state}; {sample} >= {self.distance:.4f}"


class _Row(NamedTuple):
    """A change in numbers."""

    kind: int
    episode: int
    state: int
    origin: int  # one more than the state, or 0 for the start
    symbol: int
    suffixes: int
    distance: float


def changes_state(changes: Sequence[StructuralChange]) -> dict[str, Any]:
    """Return changes as arrays."""
    rows = []
    for c in changes:
        origin, symbol = (c.origin[0] + 1, c.origin[1]) if c.origin else (0, 0)
        kind = KINDS.index(c.kind)
        rows.append(_Row(kind, c.episode, c.state, origin, symbol, c.suffixes, c.distance))
    return columns(_Row, rows)


def read_changes(stored: Stored, name: str) -> list[StructuralChange]:
    """Return the changes that `changes_state` wrote."""
    return [
        StructuralChange(
            KINDS[row.kind],
            row.episode,
            row.state,
            (row.origin - 1, row.symbol) if row.origin else None,
            row.suffixes,
            row.distance,
        )
        for row in stored.records(name, _Row)
    ]
