"""Symbols in the order in which they turn up, and the alphabet that they make in the end.

What a log holds is only known at its end, so until then a symbol has the number of its first
appearance; there are few enough of them to be kept, however long the log.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nonmarkov.checks import check_real
from nonmarkov.core import Alphabet
from nonmarkov.core.alphabet import END, RESET, as_symbol
from nonmarkov.errors import LogError, NonMarkovError
from nonmarkov.labels import Label, as_label
from nonmarkov.logs.episode import NOTHING, LoggedEpisode

MOST_SYMBOLS = 10_000  # different triples in a log
MOST_COMBINATIONS = 100_000  # of all actions, observations and rewards: tables have that width
STEP, FINAL, FIRST = "step", "end", "first"  # roles of symbols


class _Entry(NamedTuple):
    """A symbol, and whether it is an ordinary step, or ended its episode, or opened it."""

    action: Label
    observation: Any  # or END
    reward: float
    role: str


class Vocabulary:
    """Numbers for symbols, given out as they turn up."""

    def __init__(self) -> None:
        # The numbers of (action, observation, reward), by role.
        self._number: dict[str, dict[Any, int]] = {STEP: {}, FINAL: {}, FIRST: {}}
        self._entries: list[_Entry] = []
        self._ends: set[int] = set()  # numbers of (action, END, 0)
        self._actions: dict[Label, None] = {}  # those of steps
        self._kinds: dict[str, tuple[str, str]] = {}  # of labels, and where the first was
        self._overs = 0  # episodes that were over

    def numbers(self, episode: LoggedEpisode) -> list[int]:
        """Return the numbers of the symbols of an episode; one that is over ends with END.

        After the outcome that ended it, any action would be answered by the end. So the actions
        take turns in being that last one.
        """
        steps = episode.steps
        if not steps:
            raise LogError(
                f"{episode.place} is empty; an episode needs at least one step. Leave it out."
            )
        final = episode.over and len(steps[-1]) == 3 and steps[-1][1] is not END
        numbers = self._known(steps[:-1] if final else steps, episode)
        if not self._ends.isdisjoint(numbers[:-1]):
            raise LogError(f"{episode.place} goes on after termination. Make two episodes of it.")
        if final:
            numbers.append(self._learn(steps[-1], len(steps) - 1, episode, FINAL))
            action = list(self._actions)[self._overs % len(self._actions)]
            numbers.append(self._enter(_Entry(action, END, 0.0, STEP), episode.place))
            self._overs += 1
        if episode.first is not NOTHING:
            numbers.insert(0, self._learn_first(episode))
        return numbers

    def _known(self, steps: Any, episode: LoggedEpisode) -> list[int]:
        try:
            numbers = list(map(self._number[STEP].get, steps))
        except TypeError:  # something that cannot be a label
            numbers = [None] * len(steps)
        if None in numbers:
            numbers = [
                self._learn(step, i, episode) if numbers[i] is None else numbers[i]
                for i, step in enumerate(steps)
            ]
        return numbers  # type: ignore[return-value]

    def _learn(self, step: Any, i: int, episode: LoggedEpisode, role: str = STEP) -> int:
        """Return the number of a step that may be new."""
        place = f"{episode.place}, step {i}"
        try:
            if (number := self._number[role].get(step)) is not None:
                return number
        except TypeError:
            pass  # will be refused below, with a reason
        try:
            action, observation, reward = as_symbol(step, "")
        except NonMarkovError:
            raise LogError(
                f"{place}: expected (action, observation, reward), got {step!r:.80}."
            ) from None
        entry = self._entry(action, observation, reward, role, place)
        if episode.one_kind:
            self._check_kind("action", entry.action, place)
            self._check_kind("observation", entry.observation, place)
        self._actions.setdefault(entry.action)
        return self._enter(entry, place)

    @staticmethod
    def _entry(action: Any, observation: Any, reward: Any, role: str, place: str) -> _Entry:
        try:
            action = as_label(action)
            if observation is END:
                if reward != 0:
                    raise LogError(f"Termination pays nothing, got reward {reward!r}.")
                return _Entry(action, END, 0.0, STEP)
            number = check_real("a reward", reward) + 0.0  # and -0.0 is 0.0
            return _Entry(action, as_label(observation), number, role)
        except (NonMarkovError, RecursionError) as error:
            raise LogError(f"{place}: {error}") from None

    def _learn_first(self, episode: LoggedEpisode) -> int:
        place = f"{episode.place}, first observation"
        entry = self._entry(RESET, episode.first, 0.0, FIRST, place)
        if episode.one_kind:
            self._check_kind("observation", entry.observation, place)
        return self._enter(entry, place)

    def _check_kind(self, name: str, label: Any, place: str) -> None:
        """Refuse labels that are numbers here and text there: that is nearly always a mistake."""
        kind = _kind(label)
        if kind is None:
            return
        known, where = self._kinds.setdefault(name, (kind, place))
        if kind != known:
            raise LogError(
                f"{place}: the {name} {label!r:.40} is {kind}, but at {where} it is {known}. Use "
                f"one kind for all {name}s."
            )

    def _enter(self, entry: _Entry, place: str) -> int:
        """Return the number of a symbol, a new one if it is new."""
        number = self._number[entry.role].setdefault(entry[:3], len(self._entries))
        if number == len(self._entries):
            self._entries.append(entry)
            if entry.observation is END:
                self._ends.add(number)
            if len(self._entries) > MOST_SYMBOLS:
                raise LogError(f"{place}: {self._too_many()}")
        return number

    def _too_many(self) -> str:
        """Return what to do about so many symbols."""
        sizes = {
            f"{name}s": len({entry[i] for entry in self._entries})
            for i, name in enumerate(("action", "observation", "reward"))
        }
        most = max(sizes, key=lambda name: sizes[name])
        return (
            f"up to here there are {len(self._entries):,} different symbols, with "
            + ", ".join(f"{n:,} different {name}" for name, n in sizes.items())
            + f". Nothing can be learned from what is hardly ever seen again: round or group the "
            f"{most}, for example with numpy.digitize."
        )

    # --- in the end -----------------------------------------------------------------------------

    def alphabet(self, first: bool) -> tuple[Alphabet, NDArray[np.int32], frozenset[Label]]:
        """Return the alphabet, the symbol of every number, and observations that always end.

        first: whether the first observations of episodes belong to it.
        """
        used = [entry for entry in self._entries if first or entry.role != FIRST]
        if first and RESET in self._actions:
            raise LogError(
                f"The first observations of episodes count as answers to {RESET!r}, but that is an "
                f"action as well. Rename the action."
            )
        outcomes = [entry for entry in used if entry.observation is not END]
        if not outcomes:
            raise LogError(
                "The episodes hold no observation: all of their steps end an episode. Nothing can "
                "be learned from that."
            )
        elsewhere = {entry.observation for entry in outcomes if entry.role != FINAL}
        named = {entry: _named(entry, elsewhere) for entry in outcomes}
        alphabet = Alphabet(
            tuple(dict.fromkeys(entry.action for entry in used)),
            tuple(dict.fromkeys(named.values())),
            tuple(sorted({entry.reward for entry in outcomes})),
        )
        if alphabet.n_symbols > MOST_COMBINATIONS:
            raise LogError(
                f"{alphabet.n_actions:,} actions, {len(alphabet.observations):,} observations and "
                f"{len(alphabet.rewards):,} rewards make {alphabet.n_symbols:,} symbols; at most "
                f"{MOST_COMBINATIONS:,} are tractable. Round or group observations or rewards."
            )
        index = np.zeros(len(self._entries), dtype=np.int32)
        for number, entry in enumerate(self._entries):
            if first or entry.role != FIRST:
                label = named.get(entry, END)
                index[number] = alphabet.symbol_index(entry.action, label, entry.reward)
        finals = frozenset(named[entry] for entry in outcomes if entry.role == FINAL)
        return alphabet, index, finals

    def is_first_varied(self) -> bool:
        """Return whether episodes do not all begin with the same observation."""
        return sum(entry.role == FIRST for entry in self._entries) > 1


def _named(entry: _Entry, elsewhere: set[Any]) -> Label:
    """Return the observation; one that ends an episode, but not always, gets a name of its own."""
    ambiguous = entry.role == FINAL and entry.observation in elsewhere
    return (entry.observation, FINAL) if ambiguous else entry.observation


def _kind(label: Any) -> str | None:
    """Return what kind of label it is; None and END go with all kinds."""
    if label is None or label is END:
        return None
    if isinstance(label, bool):
        return "true or false"
    if isinstance(label, (int, float)):
        return "a number"
    return "text" if isinstance(label, str) else "a list"
