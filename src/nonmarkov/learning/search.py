"""The search for the automaton that best explains a corpus.

It begins with the automaton found before. A thorough search also climbs from simple ones, each
with the register that explains most beside it. If two ways up end at the same place, that is
taken to be the top; otherwise, and always as long as there is little to go by, many more starts
are tried. Then it looks for a register that the best automaton lacks, and shakes it.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nonmarkov.learning.climber import Climber
from nonmarkov.learning.corpus import Corpus
from nonmarkov.learning.drafting import Explanation, evidence_of
from nonmarkov.learning.finalists import finalists, simple_hopes
from nonmarkov.learning.memories import one_state, simplest
from nonmarkov.learning.registers import products_with, useful_registers
from nonmarkov.learning.sample import Sample
from nonmarkov.learning.side_by_side import AT_ONCE, both, pairs
from nonmarkov.learning.summits import (
    NEARLY,
    TIE,
    Summit,
    alike,
    better,
    by_evidence,
    highest_of,
    spread,
)

Integers = NDArray[np.int32]

LITTLE = 3_000  # steps, on which all starts are tried: too few for simple ones to tell anything
JURY = 100_000  # steps on which they are compared
REVIEW = 5_000_000  # steps times symbols, on which a register is looked for in the end
LEAST_REVIEW = 30_000  # steps, the same for many symbols
COUNTERS = 3  # kinds of registers that are tried alone, before many starts are
SHAKES = 12  # at most, fewer on long logs
SHAKEN_STEPS = 100_000  # walked again, by all shakes together
CALM_STEPS = 20_000  # the same, at a summit to which two ways lead
REGISTERS = 3  # added to the best automaton, one beside the product with the other


@dataclass(frozen=True)
class Finding:
    """What a search has found."""

    explanation: Explanation
    gained: float  # nats by which it is better than the automaton found before
    surplus: float  # nats of it that greedy moves from that one would not have gained
    start: Integers | None = None  # of the many, the one from which this was reached


def search(
    corpus: Corpus,
    previous: Integers | None,
    thorough: bool,
    rng: np.random.Generator,
    known: Integers | None = None,
    last: bool = False,
) -> Finding:
    """Return the best automaton found.

    thorough: from several starts; otherwise from the previous automaton alone.
    known: a start that led to the previous automaton before, and need only confirm it now.
    last: there will be no other search to go on from here, so the best climb is not broken off.
    """
    climber = Climber(corpus)
    start = one_state(corpus) if previous is None else previous
    before = evidence_of(corpus, start)
    first = [] if previous is None else [climber.climb(previous)]
    local = first[0].evidence if first else before
    if thorough or not first:
        best, known = _search_thoroughly(climber, first, known, rng)
    else:
        best = _shaken(climber, first[0], rng, most=2, least=0)
    if last:
        best = climber.finish(best)
    return Finding(best.explanation, best.evidence - before, best.evidence - local, known)


def _search_thoroughly(
    climber: Climber, first: list[Summit], known: Integers | None, rng: np.random.Generator
) -> tuple[Summit, Integers | None]:
    """Return the best summit, and the start that led there if it is not a simple one.

    first: where the climb from the previous automaton ended, if there is one.
    """
    sample = Sample(climber.corpus)
    best, agreed = _from_few_starts(climber, sample, first, known)
    if not agreed:
        best, known = _from_all_starts(climber, sample, best, known)
    if sample.is_top(best):
        unshaken, best = best, _shaken(climber, best, rng, calm=agreed)
    else:
        unshaken, known, best = _improved(climber, best, known, agreed, rng)
    if agreed and best.evidence > unshaken.evidence + NEARLY:  # after all, it was not the top
        best, known = _from_all_starts(climber, sample, best, known)
        best = _shaken(climber, best, rng)
    return best, known


def _improved(
    climber: Climber, best: Summit, known: Integers | None, agreed: bool, rng: np.random.Generator
) -> tuple[Summit, Integers | None, Summit]:
    """Return where more registers lead, the product from which, and where shakes lead from there.

    If two ways lead to a summit, registers are hardly ever of use. So it is shaken at the same
    time as they are looked for.
    """
    if not agreed:
        best, known, calm = _with_more_registers(climber, best, known, agreed)
        return best, known, _shaken(climber, best, rng, calm)
    (end, known, calm), shaken = both(
        lambda: _with_more_registers(climber, best, known, agreed),
        lambda: _shaken(climber, best, rng, calm=True),
    )
    return end, known, shaken if end is best else better(_shaken(climber, end, rng, calm), shaken)


def _shaken(
    climber: Climber,
    best: Summit,
    rng: np.random.Generator,
    calm: bool = False,
    most: int = SHAKES,
    least: int = 1,
) -> Summit:
    """Return the best summit found by shakes; calm: whether two ways lead to the one given."""
    steps = CALM_STEPS if calm else SHAKEN_STEPS
    left = max(least, min(most, steps // climber.corpus.n_steps))
    while left > 0:
        for summit in climber.shaken(best, min(left, AT_ONCE), rng):
            best = better(best, summit)
        left -= AT_ONCE
    return best


def _from_few_starts(
    climber: Climber, sample: Sample, first: list[Summit], known: Integers | None
) -> tuple[Summit, bool]:
    """Return the best summit reached from few starts, and whether two ways lead there."""
    corpus = climber.corpus
    if known is not None and spread(again := [*first, climber.climb(known)]) <= NEARLY:
        return highest_of(again), True
    summits = sample.simple
    if not alike(summits[-2:]):
        summits = _from_counters(corpus, sample, first)
    if sample.is_all:
        top = sorted([*first, *summits], key=by_evidence)
        return top[-1], corpus.n_steps > LITTLE and alike(top[-2:])
    same = alike(summits[-2:])
    goal = highest_of(first).evidence if first else -np.inf
    starts = [summit.successor for summit in summits[-1 if same else -2 :]]
    # What a sample leads to may be too little: then a way up on all episodes leads higher.
    starts.append(max(simplest(corpus), key=lambda start: evidence_of(corpus, start)))
    *ends, other = climber.climb_all(starts, goal=goal)
    same = same and other.evidence <= highest_of(ends).evidence + TIE
    top = sorted([*first, *ends, other], key=by_evidence)
    return top[-1], corpus.n_steps > LITTLE and (same or spread(top[-2:]) <= TIE)


def _from_counters(corpus: Corpus, sample: Sample, first: list[Summit]) -> list[Summit]:
    """Return the summits on the sample that are reached from counters, and simple ones, in order.

    first: on all of the corpus; climbs that stay behind these as well are broken off.
    """
    goals = [evidence_of(sample.corpus, summit.successor) for summit in first]
    summits = list(sample.simple)
    counters = sample.hopeful_counters(summits[-1].evidence)
    for starts in pairs(products_with(corpus, one_state(corpus), counters.distinct(COUNTERS))):
        goal = max([summits[-1].evidence, *goals])
        summits += sample.climber.climb_all(starts, goal=goal)
        summits.sort(key=by_evidence)
        if alike(summits[-2:]):
            break
    return summits


def _from_all_starts(
    climber: Climber, sample: Sample, best: Summit, known: Integers | None
) -> tuple[Summit, Integers | None]:
    """Return the best summit reached from the most promising of all starts, and that start.

    Among them are the simple ones once more: what a sample has made of them may be too much.
    """
    starts = finalists(climber.corpus.thinned(JURY), sample, best)
    starts += simple_hopes(climber.corpus, best)
    for pair in pairs(starts):
        summits = climber.climb_all(pair, goal=best.evidence)
        for start, summit in zip(pair, summits, strict=True):
            if summit.evidence > best.evidence - NEARLY:
                known = start
            best = better(best, summit)
    return best, known


def _with_more_registers(
    climber: Climber, best: Summit, known: Integers | None, agreed: bool
) -> tuple[Summit, Integers | None, bool]:
    """Return a summit beside which no register is of use, and the product that led there.

    And whether two ways lead to that summit; `agreed` says so of the one to begin with.
    """
    corpus = climber.corpus
    jury = corpus.jury(max(LEAST_REVIEW, REVIEW // corpus.n_symbols))
    for _ in range(REGISTERS):
        products = products_with(corpus, best.successor, useful_registers(jury, best.successor))
        summits = climber.climb_all(products, goal=best.evidence)
        values = [summit.evidence for summit in summits]
        if not values or max(values) <= best.evidence + TIE:
            break
        highest = int(np.argmax(values))
        best, known = summits[highest], products[highest]
        agreed = len(values) > 1 and spread(summits) <= TIE
    return best, known, agreed
