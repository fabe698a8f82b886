"""Episodes one by one, in bounded memory.

Of many episodes every second is forgotten, again and again: which ones stay depends on their
numbers, not on what happens in them.
"""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from nonmarkov.core import EpisodeBatch
from nonmarkov.core.alphabet import Symbol
from nonmarkov.errors import LogError
from nonmarkov.labels import Label
from nonmarkov.logs.episode import LONGEST_EPISODE, NOTHING, LoggedEpisode
from nonmarkov.logs.symbols import Vocabulary


@dataclass(frozen=True)
class Gathering:
    """What is remembered of a log."""

    batch: EpisodeBatch
    episodes: int  # of the log
    steps: int
    every: int  # of so many episodes, one is remembered
    finals: frozenset[Label]  # observations after which an episode is over
    first: bool  # whether episodes begin with a first observation, as the answer to RESET
    is_vocabulary: bool  # whether the alphabet has what occurs in the log, and there may be more


class Gatherer:
    """Remembers about so many steps of the episodes that it is given."""

    def __init__(self, most_steps: int) -> None:
        self._most = most_steps
        self._table = Vocabulary()
        self._numbers, self._lengths = array("i"), array("q")
        self._episodes, self._steps, self._every = 0, 0, 1
        self._has_first = False

    def add(self, episode: LoggedEpisode | Sequence[Symbol]) -> None:
        """Add an episode, which is checked in any case, and remembered if it is its turn."""
        if not isinstance(episode, LoggedEpisode):
            episode = _from_list(episode, f"episode {self._episodes}")
        self._check_first(episode)
        numbers = self._table.numbers(episode)[:LONGEST_EPISODE]
        if self._episodes % self._every == 0:
            self._numbers.extend(numbers)
            self._lengths.append(len(numbers))
        self._episodes += 1
        self._steps += len(numbers)
        while len(self._numbers) > self._most and len(self._lengths) > 1:
            self._forget()

    def _check_first(self, episode: LoggedEpisode) -> None:
        has_first = episode.first is not NOTHING
        if self._episodes == 0:
            self._has_first = has_first
        if has_first != self._has_first:
            raise LogError(
                f"{episode.place}: {'there is' if has_first else 'there is no'} first observation, "
                f"unlike in the episodes before. Add it to all of them, or to none."
            )

    def _forget(self) -> None:
        """Forget every second episode."""
        lengths = np.array(self._lengths)
        keep = np.arange(lengths.size) % 2 == 0
        numbers = np.array(self._numbers)[np.repeat(keep, lengths)]
        self._numbers = array("i", numbers.tobytes())
        self._lengths = array("q", lengths[keep].tobytes())
        self._every *= 2

    def gathered(self) -> Gathering:
        """Return what is remembered; first observations that are all the same are left out."""
        if self._episodes == 0:
            raise LogError("There must be at least one episode, got none.")
        first = self._has_first and self._table.is_first_varied()
        alphabet, index, finals = self._table.alphabet(first)
        lengths, numbers = np.array(self._lengths), np.array(self._numbers)
        starts = np.concatenate([[0], np.cumsum(lengths)])
        if self._has_first and not first:
            numbers = np.delete(numbers, starts[:-1])
            starts = starts - np.arange(starts.size)
        batch = EpisodeBatch(alphabet, index[numbers], starts)
        return Gathering(batch, self._episodes, self._steps, self._every, finals, first, True)


def gather(episodes: Iterable[LoggedEpisode | Sequence[Symbol]], most_steps: int) -> Gathering:
    """Return what is remembered of episodes that come one by one."""
    gatherer = Gatherer(most_steps)
    for episode in episodes:
        gatherer.add(episode)
    return gatherer.gathered()


def thinned(batch: EpisodeBatch, most_steps: int) -> Gathering:
    """Return what is remembered of a batch."""
    every, lengths = 1, batch.lengths
    while len(lengths[::every]) > 1 and lengths[::every].sum() > most_steps:
        every *= 2
    kept = batch if every == 1 else batch[::every]
    return Gathering(kept, len(batch), batch.n_steps, every, frozenset(), False, False)


def _from_list(steps: Sequence[Symbol], place: str) -> LoggedEpisode:
    """Return an episode given as a list, where END says that it terminated."""
    if isinstance(steps, str) or not isinstance(steps, Sequence):
        raise LogError(f"{place}: expected a list of steps, got {steps!r:.60}.")
    # What is no sequence will be refused in its place.
    tuples = [tuple(step) if isinstance(step, list) else step for step in steps]
    return LoggedEpisode(tuples, False, place, one_kind=False)
