"""What every domain is: a frozen record of parameters that builds a process."""

from abc import ABC, abstractmethod
from dataclasses import fields
from typing import Any

from nonmarkov.checks import check_integer, check_probability, check_reward
from nonmarkov.core import RegularProcess
from nonmarkov.core.scene import Board, Step
from nonmarkov.errors import InvalidParameterError
from nonmarkov.labels import Label

MOST_PAIRS = 1_000_000  # of hidden state and action: half a minute and a gigabyte to build


class Domain(ABC):
    """Base of the domains; subclasses are frozen dataclasses that settle their own parameters."""

    reward: float
    horizon: int | None
    stop: float | None

    def settle(self, **checked: Any) -> None:
        """Replace parameters by their checked values, and unset ones by what they default to."""
        horizon = check_integer("horizon", checked.get("horizon", self.horizon), at_least=1)
        stop = 1 / (horizon + 1) if self.stop is None else self.stop
        checked |= {
            "reward": check_reward("reward", self.reward),
            "horizon": horizon,
            "stop": check_probability("stop", stop),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @abstractmethod
    def build(self) -> RegularProcess:
        """Return the process with these parameters."""

    @abstractmethod
    def board(self, step: Step) -> Board:
        """Return the picture of what the agent sees after a step."""

    @property
    def ends(self) -> dict[str, Any]:
        """Random stopping and horizon, as arguments for the process."""
        return {"stop": self.stop, "horizon": self.horizon}

    @property
    def parameters(self) -> dict[str, Any]:
        """All parameters with their values, defaults worked out."""
        return {name: getattr(self, name) for name in self.defaults()}

    @classmethod
    def summary(cls) -> str:
        """Return the first line of the docstring."""
        return (cls.__doc__ or "").splitlines()[0]

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        """Return the parameters with their default values."""
        return {field.name: field.default for field in fields(cls)}  # type: ignore[arg-type]


def check_size(states: int, actions: int, **parameters: int) -> None:
    """Refuse parameters of a process that would be too large to build, before memory runs out."""
    if states * actions > MOST_PAIRS:
        values = ", ".join(f"{name}={value}" for name, value in parameters.items())
        raise InvalidParameterError(
            f"{values} makes too large a process: {states:,} hidden states times {actions:,} "
            f"actions are more than {MOST_PAIRS:,}. Choose less."
        )


def win_or_lose(
    probability: float, reward: float, won: tuple[Label, Any], lost: tuple[Label, Any]
) -> list[tuple[float, Label, float, Any]]:
    """Return the two outcomes of a pull; `won` and `lost` are (observation, next state)."""
    return [
        (probability, won[0], reward, won[1]),
        (1.0 - probability, lost[0], 0.0, lost[1]),
    ]
