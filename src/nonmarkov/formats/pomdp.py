"""A POMDP as a .pomdp file describes it, and the process of its beliefs."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from nonmarkov.core import RegularProcess
from nonmarkov.errors import FileFormatError
from nonmarkov.files import read_bytes
from nonmarkov.formats.pomdp_rewards import RewardTable
from nonmarkov.labels import Label
from nonmarkov.records import frozen_array

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Pomdp:
    """Tables of a POMDP; rewards are gains, also where the file speaks of costs."""

    discount: float
    states: tuple[Label, ...]
    actions: tuple[Label, ...]
    observations: tuple[Label, ...]
    start: Floats  # (S,)
    transition: Floats  # (A, S, S'), P(s'|s,a)
    observation: Floats  # (A, S', O), P(o|a,s')
    rewards: RewardTable  # R(a, s, s', o)

    def __post_init__(self) -> None:
        for name in ("start", "transition", "observation"):
            object.__setattr__(self, name, frozen_array(name, getattr(self, name), np.float64))

    def __repr__(self) -> str:
        sizes = f"{len(self.states)} states, {len(self.actions)} actions"
        return f"Pomdp({sizes}, {len(self.observations)} observations)"

    def to_process(
        self,
        *,
        stop: float | None = None,
        horizon: int | None = None,
        sinks_end: bool = True,
        tolerance: float = 1e-9,
        limit: int = 10_000,
    ) -> RegularProcess:
        """Return the process of the beliefs, if finitely many can be reached.

        Discounting becomes random stopping: `stop` is 1 - discount unless given. A step is stopped
        before it pays, so the optimal value of the process is `discount` times the discounted one.
        States that no action leaves and where nothing is paid end the episode, except those it may
        begin in, unless `sinks_end` is False. More than `limit` beliefs are a TooManyBeliefsError.
        """
        over = self._sinks() if sinks_end else np.zeros(len(self.states), dtype=np.bool_)
        names: list[Label] = [
            None if end else state for state, end in zip(self.states, over, strict=True)
        ]
        start = dict(zip(self.states, self.start.tolist(), strict=True))
        index = {state: i for i, state in enumerate(self.states)}
        numbers = {action: i for i, action in enumerate(self.actions)}

        @cache
        def outcomes(hidden: Label, action: Label) -> tuple[tuple[float, Label, float, Label], ...]:
            return tuple(self._outcomes(index[hidden], numbers[action], names))

        return RegularProcess.from_pomdp(
            {name: chance for name, chance in start.items() if chance > 0.0},
            self.actions,
            outcomes,
            stop=max(0.0, 1.0 - self.discount) if stop is None else stop,
            horizon=horizon,
            tolerance=tolerance,
            limit=limit,
        )

    def _outcomes(
        self, hidden: int, action: int, names: list[Label]
    ) -> Iterator[tuple[float, Label, float, Label]]:
        paid = self.rewards.matrix(action, hidden)
        for target in np.flatnonzero(self.transition[action, hidden]).tolist():
            moved = float(self.transition[action, hidden, target])
            for seen in np.flatnonzero(self.observation[action, target]).tolist():
                chance = moved * float(self.observation[action, target, seen])
                yield chance, self.observations[seen], float(paid[target, seen]), names[target]

    def _sinks(self) -> NDArray[np.bool_]:
        """Return which states are never left and never pay, (S,); an episode begins in none."""
        here = np.arange(len(self.states))
        stays = (self.transition[:, here, here] == 1.0).all(axis=0) & (self.start == 0.0)
        for state in np.flatnonzero(stays).tolist():
            for action in range(len(self.actions)):
                paid = self.rewards.matrix(action, state)[state]
                stays[state] &= not (paid[self.observation[action, state] > 0.0] != 0.0).any()
        return np.asarray(stays)


def read_pomdp(path: str | os.PathLike[str]) -> Pomdp:
    """Return the POMDP in a file of Cassandra's format; docs/formats.md says what is read."""
    from nonmarkov.formats.pomdp_reading import parse_pomdp

    try:
        text = read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileFormatError(
            f"{path} is no text in UTF-8: byte {error.start} cannot be read."
        ) from None
    return parse_pomdp(text, path)
