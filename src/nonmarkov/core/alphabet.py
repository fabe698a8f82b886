"""Actions, observations, rewards and the symbols made of them.

A symbol is a triple (action, observation, reward), or (action, END) when the action was answered
by termination. Inside the library a symbol is an integer:

    outcome = observation * R + reward            index of the pair (o, r), for R rewards
    symbol  = action * (n_outcomes + 1) + outcome     with outcome = n_outcomes for termination

Negative rewards: the paper's definition excludes them, since optimism with V_max relies on
rewards between 0 and a known maximum. Exact solving and simulation do not, and take any sign.
No reward may be larger than 1e100, so that sums and squares of many are still numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from nonmarkov.checks import check_reward
from nonmarkov.errors import AlphabetError
from nonmarkov.labels import Label, as_label, label_from_json, listing

LARGEST_SYMBOL = 2**31 - 1  # symbols are stored in 32 bits


class Termination:
    """The type of END, the paper's ζ; there is one instance, copied and pickled or not."""

    def __repr__(self) -> str:
        return "END"

    def __reduce__(self) -> str:
        return "END"


END: Final = Termination()

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
