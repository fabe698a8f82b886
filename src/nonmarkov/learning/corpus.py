"""The episodes seen so far, as the search for automata reads them."""

import math
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from nonmarkov.core import Alphabet
from nonmarkov.kernels.evidence import NOWHERE, Lexicon, Log, log_gamma_table

UNIT = 0.5  # naming a state costs ln(|Q| + 1) / 2 nats
CHEAP = 4  # outcomes up to which naming one is free

_TABLE = log_gamma_table(1 << 16)


class Corpus:
    """Episodes over those symbols of an alphabet that occur in them."""

    def __init__(
        self, alphabet: Alphabet, symbols: NDArray[np.int32], starts: NDArray[np.int64]
    ) -> None:
        lengths = np.diff(starts)
        self.alphabet = alphabet
        counts = np.bincount(symbols, minlength=alphabet.n_symbols)
        # The symbols of the alphabet, by their number here.
        self.present = np.flatnonzero(counts).astype(np.int64)
        number = np.zeros(alphabet.n_symbols, dtype=np.int32)
        number[self.present] = np.arange(self.present.size)
        episode = np.repeat(np.arange(lengths.size, dtype=np.int32), lengths)
        self.log = Log(number[symbols], starts.astype(np.int64), episode)

    @cached_property
    def words(self) -> Lexicon:
        """What the symbols mean."""
        width = self.alphabet.n_outcomes + 1
        action = (self.present // width).astype(np.int32)
        outcome = (self.present % width).astype(np.int32)
        ends = outcome == self.alphabet.n_outcomes
        first = np.searchsorted(action, np.arange(self.alphabet.n_actions + 1)).astype(np.int32)
        kinds = np.unique(outcome[~ends]).size
        ending = self._common_ending(ends)
        return Lexicon(
            action,
            outcome,
            ends,
            first,
            *_twins(outcome, ends),
            0.0 if kinds <= CHEAP else math.log(kinds),
            ending,
            math.log(ending) if ending > 0.0 else 0.0,
            math.log1p(-ending),
            UNIT,
            1.0,
            _TABLE,
        )

    @cached_property
    def final(self) -> NDArray[np.bool_]:
        """Which symbols end an episode and pay all the same, (S,)."""
        return self.alphabet.is_final(self.present)

    @property
    def longest(self) -> int:
        """Number of steps of the longest episode that were chosen."""
        longest = int(np.diff(self.log.starts).max(initial=0))
        return max(1, longest - int(self.alphabet.is_of_environment))

    def _common_ending(self, ends: NDArray[np.bool_]) -> float:
        """Return the chance that a step ends the episode, wherever that happens by chance.

        A goal, after which the episode ends for sure, says nothing about other places: steps are
        told apart by the symbol before them.
        """
        from nonmarkov.kernels.evidence import common_ending

        symbols = self.log.symbols
        before = np.concatenate([[0], symbols[:-1] + 1])
        before[self.log.starts[:-1]] = 0
        steps = np.bincount(before)
        endings = np.bincount(before, ends[symbols]).astype(np.int64)
        return common_ending(steps - endings, endings)

    @property
    def n_symbols(self) -> int:
        """Number of symbols that occur."""
        return self.present.size

    @property
    def n_steps(self) -> int:
        """Number of steps of all episodes together."""
        return self.log.symbols.size

    @property
    def n_episodes(self) -> int:
        """Number of episodes."""
        return self.log.starts.size - 1

    def thinned(self, steps: int) -> "Corpus":
        """Return every so many of the episodes, with about that many steps, or all of them."""
        every = -(-self.n_steps // steps)
        if every == 1:
            return self
        keep = np.arange(self.n_episodes) % every == 0
        lengths = np.diff(self.log.starts)
        thin = Corpus.__new__(Corpus)
        thin.alphabet, thin.present = self.alphabet, self.present
        thin.log = Log(
            self.log.symbols[np.repeat(keep, lengths)],
            np.concatenate([[0], np.cumsum(lengths[keep])]),
            np.repeat(np.arange(keep.sum(), dtype=np.int32), lengths[keep]),
        )
        thin.words = self.words
        return thin

    def jury(self, steps: int) -> "Corpus":
        """Return about that many steps on which to judge automata of all episodes.

        What an automaton explains grows with the episodes, and what it takes to describe one does
        not. So here that costs as much less as there are fewer steps.
        """
        thin = self.thinned(steps)
        if thin is self:
            return self
        thin.words = self.words._replace(share=thin.n_steps / self.n_steps)
        return thin


def _twins(
    outcome: NDArray[np.int32], ends: NDArray[np.bool_]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the next and the first symbol with the same outcome."""
    twin = np.full(outcome.size, NOWHERE, dtype=np.int32)
    leader = np.arange(outcome.size, dtype=np.int32)
    for y in np.unique(outcome[~ends]):
        same = np.flatnonzero(outcome == y)
        twin[same[:-1]] = same[1:]
        leader[same] = same[0]
    return twin, leader
