"""Summits: the automata at which climbs end, and how they compare."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nonmarkov.kernels.evidence import Draft, evidence
from nonmarkov.learning.corpus import Corpus
from nonmarkov.learning.drafting import Explanation, explanation, used_successors

Integers = NDArray[np.int32]

TIE = 1e-6  # nats
NEARLY = 5.0  # nats between summits that differ in little more than a few rare edges


class Summit:
    """A draft that no greedy move improves, or at which the climb was broken off."""

    def __init__(
        self,
        corpus: Corpus,
        draft: Draft,
        due: NDArray[np.float64],
        margin: NDArray[np.float64],
    ) -> None:
        self.corpus, self.draft, self.due, self.margin = corpus, draft, due, margin
        self.evidence = evidence(self.corpus.words, draft)

    @property
    def level(self) -> float:
        """The evidence, rounded to what matters: the same level means the same states."""
        return round(self.evidence, 6)

    @property
    def explanation(self) -> Explanation:
        """The automaton."""
        return explanation(self.corpus, self.draft, self.margin)

    @property
    def is_full(self) -> bool:
        """Whether no row was left for another state."""
        return bool((self.draft.visits > 0).all())

    @property
    def successor(self) -> Integers:
        """The automaton, with a guess for edges that were not observed."""
        return used_successors(self.draft)


def better(summit: Summit, other: Summit) -> Summit:
    """Return the other one if it is higher."""
    return other if other.evidence > summit.evidence + TIE else summit


def by_evidence(summit: Summit) -> float:
    """Return by what summits are sorted."""
    return summit.evidence


def highest_of(summits: Sequence[Summit]) -> Summit:
    """Return the summit of most evidence."""
    return max(summits, key=by_evidence)


def spread(summits: Sequence[Summit]) -> float:
    """Return how far the best is above the worst; if not at all, they are the same."""
    return highest_of(summits).evidence - min(summit.evidence for summit in summits)


def alike(summits: Sequence[Summit]) -> bool:
    """Return whether summits differ in no more than a few rare edges."""
    sizes = {len(summit.successor) for summit in summits}
    return len(sizes) == 1 and spread(summits) <= NEARLY
