"""Episodes as flat arrays of symbols."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from nonmarkov.checks import check_reward
from nonmarkov.core.alphabet import END, Alphabet, Symbol, as_symbol
from nonmarkov.errors import FileFormatError, InvalidParameterError, NonMarkovError
from nonmarkov.files import UNREADABLE, canonical_json, read_arrays, write_arrays
from nonmarkov.labels import as_label
from nonmarkov.records import ArrayRecord, frozen_array

NO_EPISODES = "episodes must hold at least one episode, got none."


@dataclass(frozen=True, eq=False)
class EpisodeBatch(ArrayRecord):
    """Episodes laid end to end; episode i is `symbols[starts[i]:starts[i + 1]]`.

    A terminated episode ends with the symbol (action, END); a cut-off one does not.
    """

    alphabet: Alphabet
    symbols: NDArray[np.int32]  # (n_steps,), indices of `alphabet`
    starts: NDArray[np.int64]  # (n_episodes + 1,), first 0, last n_steps

    def __post_init__(self) -> None:
        object.__setattr__(self, "symbols", frozen_array("symbols", self.symbols, np.int32))
        object.__setattr__(self, "starts", frozen_array("starts", self.starts, np.int64))
        _check_layout(self.symbols, self.starts)
        _check_symbols(self)

    def __len__(self) -> int:
        return self.starts.size - 1

    @overload
    def __getitem__(self, index: int) -> list[Symbol]: ...

    @overload
    def __getitem__(self, index: slice) -> "EpisodeBatch": ...

    def __getitem__(self, index: int | slice) -> "list[Symbol] | EpisodeBatch":
        """Return an episode as a list of (action, observation, reward), or a batch of several."""
        if isinstance(index, slice):
            return self._select(range(len(self))[index])
        episode = range(len(self))[index]
        span = self.symbols[self.starts[episode] : self.starts[episode + 1]]
        return [self.alphabet.symbol(symbol) for symbol in span.tolist()]

    def _select(self, episodes: range) -> "EpisodeBatch":
        spans = [self.symbols[self.starts[i] : self.starts[i + 1]] for i in episodes]
        symbols = np.concatenate([np.empty(0, dtype=np.int32), *spans])
        return EpisodeBatch(self.alphabet, symbols, np.cumsum([0, *map(len, spans)]))

    def __iter__(self) -> Iterator[list[Symbol]]:
        return (self[index] for index in range(len(self)))

    def __repr__(self) -> str:
        return f"EpisodeBatch({len(self)} episodes, {self.n_steps} steps)"

    @property
    def n_steps(self) -> int:
        """Number of symbols in all episodes together."""
        return self.symbols.size

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Number of symbols of every episode, (n_episodes,)."""
        return np.diff(self.starts)

    @property
    def terminated(self) -> NDArray[np.bool_]:
        """Whether an episode ended by termination rather than being cut off, (n_episodes,)."""
        return _is_termination(self.alphabet, self.symbols[self.starts[1:] - 1])

    @classmethod
    def from_lists(
        cls, episodes: Iterable[Sequence[Symbol]], alphabet: Alphabet | None = None
    ) -> "EpisodeBatch":
        """Return the batch of the given lists of (action, observation, reward).

        Without an alphabet, labels are collected in order of appearance, rewards sorted.
        """
        if not isinstance(episodes, Iterable) or isinstance(episodes, Mapping):
            raise InvalidParameterError(
                f"episodes must be an EpisodeBatch, or lists of (action, observation, reward), got "
                f"{episodes!r}."
            )
        lists = [_read_episode(f"episode {i}", episode) for i, episode in enumerate(episodes)]
        alphabet = alphabet or _collect_alphabet(lists)
        return cls(
            alphabet,
            np.array([alphabet.symbol_index(*symbol) for episode in lists for symbol in episode]),
            np.cumsum([0, *map(len, lists)]),
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the batch to one compressed npz file, without pickle."""
        text = canonical_json(self.alphabet.to_content())
        arrays = {"alphabet": np.array(text), "symbols": self.symbols, "starts": self.starts}
        write_arrays(path, arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "EpisodeBatch":
        """Return the batch stored in a file that `save` wrote."""
        arrays = read_arrays(path)
        try:
            alphabet = Alphabet.from_content(json.loads(str(arrays["alphabet"])))
            return cls(alphabet, arrays["symbols"], arrays["starts"])
        except (*UNREADABLE, NonMarkovError) as error:
            raise FileFormatError(f"{path} does not hold episodes: {error}") from None


def _check_layout(symbols: NDArray[Any], starts: NDArray[Any]) -> None:
    if symbols.ndim != 1 or starts.ndim != 1 or starts.size == 0:
        raise InvalidParameterError("symbols and starts must be one-dimensional arrays.")
    if starts[0] != 0 or starts[-1] != symbols.size:
        raise InvalidParameterError(
            f"starts must run from 0 to the number of symbols, {symbols.size}; "
            f"got {starts[0]} to {starts[-1]}."
        )
    if (short := np.flatnonzero(np.diff(starts) < 1)).size:
        raise InvalidParameterError(f"episode {short[0]} is empty; it needs at least one symbol.")


def _check_symbols(batch: EpisodeBatch) -> None:
    symbols, starts = batch.symbols, batch.starts
    if symbols.size and not (symbols.min() >= 0 and symbols.max() < batch.alphabet.n_symbols):
        raise InvalidParameterError(
            f"symbols must lie in 0..{batch.alphabet.n_symbols - 1}, got "
            f"{symbols.min()}..{symbols.max()}."
        )
    ends = _is_termination(batch.alphabet, symbols)
    ends[starts[1:] - 1] = False
    if (early := np.flatnonzero(ends)).size:
        episode = int(np.searchsorted(starts, early[0], side="right")) - 1
        raise InvalidParameterError(f"episode {episode} goes on after termination.")


def _is_termination(alphabet: Alphabet, symbols: NDArray[Any]) -> NDArray[np.bool_]:
    return np.asarray(symbols % (alphabet.n_outcomes + 1) == alphabet.n_outcomes)


def _read_episode(place: str, steps: object) -> list[Symbol]:
    """Return the steps of a user's episode; `place` is named in errors."""
    if not isinstance(steps, Iterable):
        raise InvalidParameterError(
            f"{place}: expected a list of (action, observation, reward), got {steps!r}."
        )
    symbols = [as_symbol(symbol, f"{place}, step {step}") for step, symbol in enumerate(steps)]
    if not symbols:
        raise InvalidParameterError(f"{place} is empty; it needs at least one step.")
    return symbols


def _collect_alphabet(episodes: list[list[Symbol]]) -> Alphabet:
    """Return the labels that occur; there must be an action and something that was observed."""
    if not episodes:
        raise InvalidParameterError(NO_EPISODES)
    steps = [symbol for episode in episodes for symbol in episode]
    outcomes = [symbol for symbol in steps if symbol[1] is not END]
    if not outcomes:
        raise InvalidParameterError(
            "episodes hold no observation: all of their steps end an episode, (action, END, 0). "
            "Log what was observed before the end."
        )
    return Alphabet(
        tuple(dict.fromkeys(as_label(action) for action, _, _ in steps)),
        tuple(dict.fromkeys(as_label(observation) for _, observation, _ in outcomes)),
        tuple(sorted({check_reward("a reward", reward) for _, _, reward in outcomes})),
    )
