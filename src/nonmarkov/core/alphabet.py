"""Actions, observations, rewards and the symbols made of them.

A symbol is a triple (action, observation, reward), or (action, END) when the action was answered
by termination. Inside the library a symbol is an integer:

    outcome = observation * R + reward            index of the pair (o, r), for R rewards
    symbol  = action * (n_outcomes + 1) + outcome     with outcome = n_outcomes for termination

In an environment something is seen before the first action, and the last step pays. There the
last action is RESET, which begins every episode and which nobody can choose, and the first
observation is ENDED, after which nothing comes. New observations and rewards are put at the end,
so an alphabet grows without changing the order of its symbols.

Negative rewards: the paper's definition excludes them, since optimism with V_max relies on
rewards between 0 and a known maximum. Exact solving and simulation do not, and take any sign.
No reward may be larger than 1e100, so that sums and squares of many are still numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from nonmarkov.checks import check_reward
from nonmarkov.errors import AlphabetError
from nonmarkov.labels import Label, as_label, label_from_json, listing

LARGEST_SYMBOL = 2**31 - 1  # symbols are stored in 32 bits


class Termination:
    """The end of an episode, the paper's ζ: END is its one instance, copied and pickled or not."""

    def __repr__(self) -> str:
        return "END"

    def __reduce__(self) -> str:
        return "END"


END: Final = Termination()
RESET: Final = "(reset)"  # the action that begins the episodes of an environment
ENDED: Final = "(ended)"  # the observation with which they end

Outcome = tuple[Label, float] | Termination
Symbol = tuple[Label, Label | Termination, float]


@dataclass(frozen=True)
class Alphabet:
    """The finite sets A, O and R, each in a fixed order."""

    actions: tuple[Label, ...]
    observations: tuple[Label, ...]
    rewards: tuple[float, ...]

    def __post_init__(self) -> None:
        actions = tuple(as_label(action) for action in self.actions)
        observations = tuple(as_label(observation) for observation in self.observations)
        # Adding zero turns -0.0 into 0.0: they are equal, and must not hash differently.
        rewards = tuple(check_reward("a reward", reward) + 0.0 for reward in self.rewards)
        for kind, labels in (
            ("action", actions),
            ("observation", observations),
            ("reward", rewards),
        ):
            _check_distinct(kind, labels)
            object.__setattr__(self, f"{kind}s", labels)
        if self.n_symbols > LARGEST_SYMBOL:
            raise AlphabetError(
                f"{len(self.actions)} actions, {len(self.observations)} observations and "
                f"{len(self.rewards)} rewards make {self.n_symbols} symbols; at most "
                f"{LARGEST_SYMBOL} fit. Group observations or rewards."
            )

    @property
    def n_actions(self) -> int:
        """Number of actions, A."""
        return len(self.actions)

    @property
    def n_outcomes(self) -> int:
        """Number of pairs (observation, reward)."""
        return len(self.observations) * len(self.rewards)

    @property
    def n_symbols(self) -> int:
        """Number of symbols, those of termination included."""
        return self.n_actions * (self.n_outcomes + 1)

    @property
    def is_of_environment(self) -> bool:
        """Whether episodes begin with RESET and end with ENDED."""
        return self.actions[-1] == RESET and self.observations[0] == ENDED

    @property
    def n_choices(self) -> int:
        """Number of actions that can be chosen: all but RESET."""
        return self.n_actions - int(self.is_of_environment)

    def is_final(self, symbols: NDArray[Any]) -> NDArray[np.bool_]:
        """Return which symbols are the last of an episode although they pay: those with ENDED."""
        outcome = symbols % (self.n_outcomes + 1)
        return np.asarray((outcome < len(self.rewards)) & self.is_of_environment)

    def renumbered(self, symbols: NDArray[Any], wider: "Alphabet") -> NDArray[Any]:
        """Return symbols of this alphabet as those of one that has grown from it."""
        action, outcome = np.divmod(symbols, self.n_outcomes + 1)
        observation, reward = np.divmod(outcome, len(self.rewards))
        inner = observation * len(wider.rewards) + reward
        ends = outcome == self.n_outcomes
        outcome = np.where(ends, wider.n_outcomes, inner)
        return (action * (wider.n_outcomes + 1) + outcome).astype(symbols.dtype)

    @cached_property
    def _indices(self) -> dict[str, dict[Any, int]]:
        return {
            "action": {label: i for i, label in enumerate(self.actions)},
            "observation": {label: i for i, label in enumerate(self.observations)},
            "reward": {reward: i for i, reward in enumerate(self.rewards)},
        }

    def _index(self, kind: str, label: Any) -> int:
        index = self._indices[kind]
        try:
            return index[label]
        except (KeyError, TypeError):
            raise AlphabetError(
                f"{kind} {label!r} is not in the alphabet, which has {listing(list(index))}."
            ) from None

    def action_index(self, action: Label) -> int:
        """Return the index of an action."""
        return self._index("action", action)

    def observation_index(self, observation: Label) -> int | None:
        """Return the index of an observation, or None if it is not in the alphabet."""
        return self._indices["observation"].get(observation)

    def has_reward(self, reward: float) -> bool:
        """Return whether a reward is in the alphabet."""
        return reward in self._indices["reward"]

    def outcome_index(self, observation: Label | Termination, reward: float) -> int:
        """Return the index of a pair (observation, reward), or of termination."""
        if isinstance(observation, Termination):
            if reward != 0:
                raise AlphabetError(f"Termination pays nothing, got reward {reward!r}.")
            return self.n_outcomes
        row = self._index("observation", observation)
        return row * len(self.rewards) + self._index("reward", reward)

    def outcome(self, index: int) -> Outcome:
        """Return the pair (observation, reward) of an outcome index, or END."""
        if index == self.n_outcomes:
            return END
        observation, reward = divmod(index, len(self.rewards))
        return self.observations[observation], self.rewards[reward]

    def symbol_index(self, action: Label, observation: Label | Termination, reward: float) -> int:
        """Return the index of the symbol (action, observation, reward); END has reward 0."""
        outcome = self.outcome_index(observation, reward)
        return self.action_index(action) * (self.n_outcomes + 1) + outcome

    def history_indices(self, history: Sequence[Symbol]) -> list[int]:
        """Return the symbol indices of a history, which holds no termination."""
        indices = []
        for step, symbol in enumerate(history):
            action, observation, reward = as_symbol(symbol, f"step {step}")
            if isinstance(observation, Termination):
                raise AlphabetError("A history ends before termination; END is no part of it.")
            indices.append(self.symbol_index(action, observation, reward))
        return indices

    def symbol(self, index: int) -> Symbol:
        """Return the triple (action, observation, reward) of a symbol index."""
        action, outcome = divmod(index, self.n_outcomes + 1)
        pair = self.outcome(outcome)
        label = self.actions[action]
        return (label, END, 0.0) if isinstance(pair, Termination) else (label, *pair)

    def to_content(self) -> dict[str, Any]:
        """Return the alphabet as plain JSON data."""
        return {
            "actions": list(self.actions),
            "observations": list(self.observations),
            "rewards": list(self.rewards),
        }

    @classmethod
    def from_content(cls, content: Any) -> "Alphabet":
        """Return the alphabet that `to_content` wrote."""
        return cls(
            tuple(label_from_json(label) for label in content["actions"]),
            tuple(label_from_json(label) for label in content["observations"]),
            tuple(content["rewards"]),
        )


def as_symbol(value: object, place: str) -> Symbol:
    """Return `value` as (action, observation, reward); `place` is named in errors."""
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) != 3:
        raise AlphabetError(f"{place}: expected (action, observation, reward), got {value!r}.")
    return tuple(value)


def _check_distinct(kind: str, labels: Sequence[Label]) -> None:
    if not labels:
        raise AlphabetError(f"An alphabet needs at least one {kind}.")
    seen: set[Label] = set()
    for label in labels:
        if label in seen:
            raise AlphabetError(f"{kind} {label!r} appears twice (1, 1.0 and True are one label).")
        seen.add(label)
