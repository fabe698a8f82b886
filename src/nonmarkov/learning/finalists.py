"""The most promising of many starts: windows, and products with registers."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from nonmarkov.learning.corpus import Corpus
from nonmarkov.learning.drafting import evidence_of
from nonmarkov.learning.memories import last_outcome, one_state, simplest, windows
from nonmarkov.learning.registers import Judged, judged_registers, products_with
from nonmarkov.learning.sample import Sample
from nonmarkov.learning.side_by_side import side_by_side
from nonmarkov.learning.summits import Summit

Integers = NDArray[np.int32]

HOPELESS = 2.0  # times as far below zero as the best evidence: a start that is not worth trying
FINALISTS = 5  # starts that are followed to the end
CHAIN = 2  # registers that a start combines


def finalists(jury: Corpus, sample: Sample, best: Summit) -> list[Integers]:
    """Return the most promising of many starts, after a first sweep on the sample."""
    starts = list(_starts(jury, sample, best))
    # The same evidence means the same states, by another name.
    judged = dict(zip(_judgements(jury, starts), starts, strict=True))
    worst = HOPELESS * max(evidence_of(jury, best.successor), *judged)
    judged = {value: start for value, start in judged.items() if value >= worst}
    summits = sample.climber.climb_all(list(judged.values()), sweeps=1)
    swept = [summit.successor for summit in summits]
    for value, later, end in zip(list(judged), _judgements(jury, swept), swept, strict=True):
        if later >= value:
            del judged[value]
            judged.setdefault(later, end)
    return [judged[value] for value in sorted(judged, reverse=True)[:FINALISTS]]


def simple_hopes(corpus: Corpus, best: Summit) -> list[Integers]:
    """Return the simple starts that may lead higher than the best summit."""
    worst = HOPELESS * best.evidence
    return [start for start in simplest(corpus) if evidence_of(corpus, start) >= worst]


def _judgements(jury: Corpus, automata: list[Integers]) -> list[float]:
    """Return the evidence of automata, rounded to what matters."""
    return side_by_side(lambda successor: round(evidence_of(jury, successor), 6), automata)


def _starts(corpus: Corpus, sample: Sample, best: Summit) -> Iterator[Integers]:
    yield from windows(corpus)
    counters = sample.hopeful_counters(evidence_of(sample.corpus, best.successor))
    yield from _register_chain(corpus, sample, one_state(corpus), counters)
    base = last_outcome(corpus)
    yield from _register_chain(corpus, sample, base, judged_registers(sample.corpus, base))


def _register_chain(
    corpus: Corpus, sample: Sample, base: Integers, judged: Judged
) -> Iterator[Integers]:
    """Yield products with registers, the best of them once more with the next.

    judged: the registers beside `base`.
    """
    value = evidence_of(sample.corpus, base)
    for depth in range(CHAIN):
        registers = judged.distinct(4 if depth == 0 else 1)
        products = products_with(corpus, base, registers)
        yield from products
        if depth + 1 == CHAIN or not registers or registers[0].evidence <= value:
            return
        base, value = products[0], registers[0].evidence
        judged = judged_registers(sample.corpus, base)
