"""The search for the automaton that best explains a corpus.

It begins with the automaton found before. A thorough search also climbs from simple ones, each
with the register that explains most beside it. If two ways up end at the same place, that is
taken to be the top; otherwise, and always as long as there is little to go by, many more starts
are tried. Then it looks for a register that the best automaton lacks, and shakes it.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from nonmarkov.learning.climber import Climber, Summit
from nonmarkov.learning.corpus import Corpus
from nonmarkov.learning.drafting import Explanation, evidence_of
from nonmarkov.learning.memories import last_outcome, one_state, simplest, windows
from nonmarkov.learning.registers import Judged, Register, judged_registers, with_register
from nonmarkov.learning.side_by_side import both, side_by_side

Integers = NDArray[np.int32]

SAMPLE = 20_000  # steps on which starts are improved
PREVIEW = 5_000  # steps on which the first register of a start is chosen
LITTLE = 3_000  # steps, on which all starts are tried: too few for simple ones to tell anything
JURY = 100_000  # steps on which they are compared
REVIEW = 5_000_000  # steps times symbols, on which a register is looked for in the end
LEAST_REVIEW = 30_000  # steps, the same for many symbols
HOPELESS = 2.0  # times as far below zero as the best evidence: a start that is not worth trying
ALONE = 3.0  # the same for a counter and nothing else
COUNTERS = 3  # kinds of registers that are tried alone, before many starts are
FINALISTS = 5  # starts that are followed to the end
SHAKES = 12  # at most, fewer on long logs
SHAKEN_STEPS = 100_000  # walked again, by all shakes together
CALM_STEPS = 20_000  # the same, at a summit to which two ways lead
LOOKS = 6  # for registers beside the highest summits of the sample
REGISTERS = 3  # added to the best automaton, one beside the product with the other
CHAIN = 2  # registers that a start combines
AT_ONCE = 2  # climbs side by side; the next ones know how high these have come
TIE = 1e-6  # nats
NEARLY = 5.0  # nats between summits that differ in little more than a few rare edges


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


class _Sample:
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
        if not _alike(found[-2:]):
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
        found = sorted(found, key=_evidence)
        for _ in range(LOOKS):
            open_ends = {_level(summit): summit for summit in found if self._is_open(summit)}
            if _alike(found[-2:]) or not open_ends:
                break
            ends = side_by_side(self._look_above, list(open_ends.values())[-AT_ONCE:])
            found = sorted([*found, *(end for end in ends if end is not None)], key=_evidence)
        return found

    def _is_open(self, summit: Summit) -> bool:
        """Return whether there may be registers that were not tried from a summit."""
        return self._untried.get(_level(summit)) != []

    def _look_above(self, summit: Summit) -> Summit | None:
        """Return the summit that is reached with the next register from one, if it is higher."""
        level = _level(summit)
        if level not in self._untried:
            self._untried[level] = _useful_registers(self.corpus, summit)
        untried = self._untried[level]
        if not untried:
            return None
        product = with_register(self.corpus, summit.successor, untried.pop(0))
        end = self.climber.climb(product, goal=summit.evidence)
        if end.evidence <= summit.evidence + TIE:
            return None
        self._left.add(level)
        return end

    def is_top(self, summit: Summit) -> bool:
        """Return whether all registers were tried from a summit, on all episodes, in vain."""
        return self.is_all and not self._is_open(summit) and _level(summit) not in self._left

    def hopeful_counters(self, best: float) -> Judged:
        """Return those that are not too far below the best evidence."""
        return self.counters.where(self.counters.evidence >= ALONE * best)


def _search_thoroughly(
    climber: Climber, first: list[Summit], known: Integers | None, rng: np.random.Generator
) -> tuple[Summit, Integers | None]:
    """Return the best summit, and the start that led there if it is not a simple one.

    first: where the climb from the previous automaton ended, if there is one.
    """
    sample = _Sample(climber.corpus)
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
    return end, known, shaken if end is best else _shaken(climber, end, rng, calm)


def _better(summit: Summit, other: Summit) -> Summit:
    return other if other.evidence > summit.evidence + TIE else summit


def _evidence(summit: Summit) -> float:
    return summit.evidence


def _level(summit: Summit) -> float:
    """Return the evidence, rounded to what matters: the same level means the same states."""
    return round(summit.evidence, 6)


def _best(summits: Sequence[Summit]) -> Summit:
    return max(summits, key=_evidence)


def _spread(summits: Sequence[Summit]) -> float:
    """Return how far the best is above the worst; if not at all, they are the same."""
    return _best(summits).evidence - min(summit.evidence for summit in summits)


def _alike(summits: Sequence[Summit]) -> bool:
    """Return whether summits differ in no more than a few rare edges."""
    sizes = {len(summit.successor) for summit in summits}
    return len(sizes) == 1 and _spread(summits) <= NEARLY


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
            best = _better(best, summit)
        left -= AT_ONCE
    return best


def _pairs(starts: Sequence[Integers]) -> Iterator[Sequence[Integers]]:
    """Yield the starts of climbs that are made at the same time."""
    for i in range(0, len(starts), AT_ONCE):
        yield starts[i : i + AT_ONCE]


def _from_few_starts(
    climber: Climber, sample: _Sample, first: list[Summit], known: Integers | None
) -> tuple[Summit, bool]:
    """Return the best summit reached from few starts, and whether two ways lead there."""
    corpus = climber.corpus
    if known is not None and _spread(again := [*first, climber.climb(known)]) <= NEARLY:
        return _best(again), True
    summits = sample.simple
    if not _alike(summits[-2:]):
        summits = _from_counters(corpus, sample, first)
    if sample.is_all:
        top = sorted([*first, *summits], key=_evidence)
        return top[-1], corpus.n_steps > LITTLE and _alike(top[-2:])
    same = _alike(summits[-2:])
    goal = _best(first).evidence if first else -np.inf
    starts = [summit.successor for summit in summits[-1 if same else -2 :]]
    top = sorted([*first, *climber.climb_all(starts, goal=goal)], key=_evidence)
    return top[-1], corpus.n_steps > LITTLE and (same or _spread(top[-2:]) <= TIE)


def _from_counters(corpus: Corpus, sample: _Sample, first: list[Summit]) -> list[Summit]:
    """Return the summits on the sample that are reached from counters, and simple ones, in order.

    first: on all of the corpus; climbs that stay behind these as well are broken off.
    """
    goals = [evidence_of(sample.corpus, summit.successor) for summit in first]
    summits = list(sample.simple)
    counters = sample.hopeful_counters(summits[-1].evidence)
    for starts in _pairs(_products(corpus, one_state(corpus), counters.distinct(COUNTERS))):
        goal = max([summits[-1].evidence, *goals])
        summits += sample.climber.climb_all(starts, goal=goal)
        summits.sort(key=_evidence)
        if _alike(summits[-2:]):
            break
    return summits


def _products(corpus: Corpus, base: Integers, registers: list[Register]) -> list[Integers]:
    """Return the products of an automaton with registers."""
    return [with_register(corpus, base, register) for register in registers]


def _from_all_starts(
    climber: Climber, sample: _Sample, best: Summit, known: Integers | None
) -> tuple[Summit, Integers | None]:
    """Return the best summit reached from the most promising of all starts, and that start.

    Among them are the simple ones once more: what a sample has made of them may be too much.
    """
    starts = _finalists(climber.corpus.thinned(JURY), sample, best)
    starts += _simple_hopes(climber.corpus, best)
    for pair in _pairs(starts):
        summits = climber.climb_all(pair, goal=best.evidence)
        for start, summit in zip(pair, summits, strict=True):
            if summit.evidence > best.evidence - NEARLY:
                known = start
            best = _better(best, summit)
    return best, known


def _simple_hopes(corpus: Corpus, best: Summit) -> list[Integers]:
    """Return the simple starts that may lead higher than the best summit."""
    worst = HOPELESS * best.evidence
    return [start for start in simplest(corpus) if evidence_of(corpus, start) >= worst]


def _with_more_registers(
    climber: Climber, best: Summit, known: Integers | None, agreed: bool
) -> tuple[Summit, Integers | None, bool]:
    """Return a summit beside which no register is of use, and the product that led there.

    And whether two ways lead to that summit; `agreed` says so of the one to begin with.
    """
    corpus = climber.corpus
    jury = corpus.jury(max(LEAST_REVIEW, REVIEW // corpus.n_symbols))
    for _ in range(REGISTERS):
        products = _products(corpus, best.successor, _useful_registers(jury, best))
        summits = climber.climb_all(products, goal=best.evidence)
        values = [summit.evidence for summit in summits]
        if not values or max(values) <= best.evidence + TIE:
            break
        highest = int(np.argmax(values))
        best, known = summits[highest], products[highest]
        agreed = len(values) > 1 and _spread(summits) <= TIE
    return best, known, agreed


def _useful_registers(jury: Corpus, best: Summit) -> list[Register]:
    """Return the register that explains most beside a summit, and the one that could.

    To name one of n registers takes ln n nats; those that are worth less are left out.
    """
    judged = judged_registers(jury, best.successor)
    useful = judged.where(judged.hope > math.log(max(1, len(judged))))
    chosen = {0, int(useful.hope.argmax())} if len(useful) else set()
    return [useful[i] for i in sorted(chosen)]


def _finalists(jury: Corpus, sample: _Sample, best: Summit) -> list[Integers]:
    """Return the most promising of many starts, after a first sweep on the sample."""
    starts = list(_starts(jury, sample, best))
    # The same evidence means the same states, by another name.
    judged = dict(zip(_judgements(jury, starts), starts, strict=True))
    worst = HOPELESS * max(evidence_of(jury, best.successor), *judged)
    judged = {value: start for value, start in judged.items() if value >= worst}
    summits = sample.climber.climb_all(list(judged.values()), sweeps=1)
    swept = [summit.successor for summit in summits]
    for value, better, end in zip(list(judged), _judgements(jury, swept), swept, strict=True):
        if better >= value:
            del judged[value]
            judged.setdefault(better, end)
    return [judged[value] for value in sorted(judged, reverse=True)[:FINALISTS]]


def _judgements(jury: Corpus, automata: list[Integers]) -> list[float]:
    """Return the evidence of automata, rounded to what matters."""
    return side_by_side(lambda successor: round(evidence_of(jury, successor), 6), automata)


def _starts(corpus: Corpus, sample: _Sample, best: Summit) -> Iterator[Integers]:
    yield from windows(corpus)
    counters = sample.hopeful_counters(evidence_of(sample.corpus, best.successor))
    yield from _register_chain(corpus, sample, one_state(corpus), counters)
    base = last_outcome(corpus)
    yield from _register_chain(corpus, sample, base, judged_registers(sample.corpus, base))


def _register_chain(
    corpus: Corpus, sample: _Sample, base: Integers, judged: Judged
) -> Iterator[Integers]:
    """Yield products with registers, the best of them once more with the next.

    judged: the registers beside `base`.
    """
    value = evidence_of(sample.corpus, base)
    for depth in range(CHAIN):
        registers = judged.distinct(4 if depth == 0 else 1)
        products = _products(corpus, base, registers)
        yield from products
        if depth + 1 == CHAIN or not registers or registers[0].evidence <= value:
            return
        base, value = products[0], registers[0].evidence
        judged = judged_registers(sample.corpus, base)
