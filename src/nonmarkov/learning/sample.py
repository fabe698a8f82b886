"""Ways up on a sample of the episodes: simple memories, and the registers beside them."""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from nonmarkov.learning.climber import Climber
from nonmarkov.learning.corpus import Corpus
from nonmarkov.learning.drafting import evidence_of
from nonmarkov.learning.memories import one_state, simplest
from nonmarkov.learning.registers import (
    Judged,
    Register,
    judged_registers,
    useful_registers,
    with_register,
)
from nonmarkov.learning.side_by_side import AT_ONCE, side_by_side
from nonmarkov.learning.summits import TIE, Summit, alike, by_evidence

Integers = NDArray[np.int32]

SAMPLE = 20_000  # steps on which starts are improved
PREVIEW = 5_000  # steps on which the first register of a start is chosen
LOOKS = 6  # for registers beside the highest summits of the sample
ALONE = 3.0  # times as far below zero as the best evidence: a counter that is not worth trying


class Sample:
    """Some of the episodes, on which starts are made and improved."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus.thinned(SAMPLE)
        self.climber = Climber(self.corpus)
        self.is_all = self.corpus is corpus
        self._untried: dict[float, list[Register]] = {}  # beside summits, by their level
        self._left: set[float] = set()  # levels of summits from which a register leads higher

    @cached_property
    def counters(self) -> Judged:
        """The registers that explain most alone."""
        return judged_registers(self.corpus, one_state(self.corpus))

    @cached_property
    def simple(self) -> list[Summit]:
        """Return where ways up from simple automata lead, the highest last.

        If two ways lead to the highest, that will do.
        """
        starts, jury = simplest(self.corpus), self.corpus.jury(PREVIEW)
        found = side_by_side(lambda start: self._way_up(start, jury), starts[:AT_ONCE])
        found = self._further_up(found)
        if not alike(found[-2:]):
            others = [self._way_up(start, jury) for start in starts[AT_ONCE:]]
            found = self._further_up([*found, *others])
        return found

    def _way_up(self, start: Integers, jury: Corpus) -> Summit:
        """Return where a climb leads from a start, or from its product with the best register."""
        judged = judged_registers(jury, start, resets=False)
        if len(judged) and judged.evidence[0] > evidence_of(jury, start):
            start = with_register(self.corpus, start, judged[0])
        return self.climber.climb(start)

    def _further_up(self, found: list[Summit]) -> list[Summit]:
        """Add where registers lead from the highest summits, until two ways lead to the top."""
        found = sorted(found, key=by_evidence)
        for _ in range(LOOKS):
            open_ends = {summit.level: summit for summit in found if self._is_open(summit)}
            if alike(found[-2:]) or not open_ends:
                break
            ends = side_by_side(self._look_above, list(open_ends.values())[-AT_ONCE:])
            found = sorted([*found, *(end for end in ends if end is not None)], key=by_evidence)
        return found

    def _is_open(self, summit: Summit) -> bool:
        """Return whether there may be registers that were not tried from a summit."""
        return self._untried.get(summit.level) != []

    def _look_above(self, summit: Summit) -> Summit | None:
        """Return the summit that is reached with the next register from one, if it is higher."""
        if summit.level not in self._untried:
            self._untried[summit.level] = useful_registers(self.corpus, summit.successor)
        untried = self._untried[summit.level]
        if not untried:
            return None
        product = with_register(self.corpus, summit.successor, untried.pop(0))
        end = self.climber.climb(product, goal=summit.evidence)
        if end.evidence <= summit.evidence + TIE:
            return None
        self._left.add(summit.level)
        return end

    def is_top(self, summit: Summit) -> bool:
        """Return whether all registers were tried from a summit, on all episodes, in vain."""
        return self.is_all and not self._is_open(summit) and summit.level not in self._left

    def hopeful_counters(self, best: float) -> Judged:
        """Return those that are not too far below the best evidence."""
        return self.counters.where(self.counters.evidence >= ALONE * best)
