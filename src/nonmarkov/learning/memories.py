"""Simple memories from which to start the search for an automaton.

None of them is meant to be right. They remember a window of the last actions, outcomes or
symbols. What the search needs is a start from which every further improvement is a small one.
"""

import numpy as np
from numpy.typing import NDArray

from nonmarkov.kernels.evidence import NOWHERE
from nonmarkov.learning.corpus import Corpus

Integers = NDArray[np.int32]

LONGEST_WINDOW = 6
LARGEST_WINDOW = 200  # states
LONG_VIEW = 400  # states of a window of observations, if that makes it longer than others
LARGEST_START = 600  # states; beyond that, observations alone are remembered


def one_state(corpus: Corpus) -> Integers:
    """Return the automaton that remembers nothing."""
    return np.where(corpus.words.ends, NOWHERE, 0).astype(np.int32)[None]


def simplest(corpus: Corpus) -> list[Integers]:
    """Return automata that remember nothing, the last outcome or the last symbol."""
    few = corpus.n_symbols < LARGEST_START
    letters = np.arange(corpus.n_symbols, dtype=np.int32) if few else observations_of(corpus)
    starts = [one_state(corpus), last_outcome(corpus), _last(corpus, letters)]
    if len(starts[2]) == len(starts[1]):  # one says as much as the other
        del starts[1]
    return starts


def last_outcome(corpus: Corpus) -> Integers:
    """Return the automaton that remembers the last observation and reward.

    If there are too many of them, it remembers the last observation.
    """
    outcome = corpus.words.outcome
    few = np.unique(outcome).size < LARGEST_START
    return _last(corpus, outcome if few else observations_of(corpus))


def _last(corpus: Corpus, letters: Integers) -> Integers:
    """Return the automaton that remembers the last letter; (S,), one for every symbol."""
    ends = corpus.words.ends
    kinds = np.unique(letters[~ends])
    row = np.where(ends, NOWHERE, 1 + np.searchsorted(kinds, letters))
    return np.tile(row.astype(np.int32), (kinds.size + 1, 1))


def observations_of(corpus: Corpus) -> Integers:
    """Return the observation of every symbol, (S,); endings have one of their own."""
    return corpus.words.outcome // len(corpus.alphabet.rewards)


def windows(corpus: Corpus) -> list[Integers]:
    """Return automata that remember the last actions, outcomes, symbols or observations.

    Observations without rewards are of use where the last outcomes are too many to remember.
    """
    words, symbols = corpus.words, corpus.log.symbols
    actions, outcomes, whole = (
        _windows(corpus, letters, 1, LARGEST_WINDOW)
        for letters in (words.action[symbols], words.outcome[symbols], symbols)
    )
    further = len(outcomes) + 1
    views = _windows(corpus, observations_of(corpus)[symbols], further, LONG_VIEW)
    return [*actions, *outcomes, *whole, *views]


def _windows(corpus: Corpus, letters: Integers, shortest: int, largest: int) -> list[Integers]:
    """Return automata that remember the last letters; (steps,), one for every step."""
    most = max(20, min(largest, corpus.n_steps // 10))
    memory = np.zeros(corpus.n_steps, dtype=np.int64)
    found = []
    for length in range(1, LONGEST_WINDOW + 1):
        memory = _longer_window(corpus, letters, memory)
        if memory.max() >= most:
            break
        if length >= shortest:
            found.append(automaton_of(corpus, memory))
    return found


def _longer_window(
    corpus: Corpus, letters: Integers, memory: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return a number for the last letters before every step: one letter more than `memory`."""
    longer = np.empty_like(memory)
    longer[1:] = 1 + memory[:-1] * (int(letters.max()) + 1) + letters[:-1]
    longer[corpus.log.starts[:-1]] = 0
    return _numbered(longer)


def _numbered(memory: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the same memory in terms of 0, 1, 2, ...; what comes first is 0."""
    present = np.zeros(int(memory.max()) + 1, dtype=np.int64)
    present[memory] = 1
    number = np.cumsum(present) - 1
    start = number[memory[0]]
    number = np.where(number == start, 0, np.where(number == 0, start, number))
    return number[memory]


def automaton_of(corpus: Corpus, memory: NDArray[np.int64]) -> Integers:
    """Return the automaton whose state before every step is given; it must be deterministic."""
    state = _numbered(memory)
    successor = np.full((state.max() + 1, corpus.n_symbols), NOWHERE, dtype=np.int32)
    inner = np.ones(state.size, dtype=np.bool_)
    inner[corpus.log.starts[1:] - 1] = False
    before = np.flatnonzero(inner)
    successor[state[before], corpus.log.symbols[before]] = state[before + 1]
    return successor
