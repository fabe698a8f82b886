"""The three-valued test: two states are equal, or distinct, or it is too early to say.

For every length l = 0 .. d, with N and N' the numbers of suffixes of at least l symbols,

    M = N N' / (√N + √N')²        Δ_l = √( ln(4 d |AOR|^l / δ_i) / 2M )

bounds, with confidence 1 - δ_i for all lengths together, by how much the difference of two relative
frequencies of a prefix may deviate from the difference of its probabilities. Hence, with μ_l the
largest such difference: *equal* if μ_l + Δ_l < μ for every l, otherwise *distinct* if μ_l - Δ_l > 0
for some l, otherwise *unknown*. Counts that are known up to an error only give an interval for μ_l;
its upper end enters the first condition, its lower end the second.

Frequencies are relative to all suffixes of a state, so N could be their number for every l; the
number of long ones is the more careful choice of the paper's program. Where a state has no suffix
of l symbols at all, that number would say nothing, but all its suffixes being shorter says a
lot: then N is the number of all of them.

Prefixes may end with termination, so there are a few more than |AOR|^l of them. The factor 2 in
δ' = δ / (2 |AOR| n (n + 2)) pays for that: at most n |AOR| + 1 candidates are compared, with at
most n states and themselves.
"""

import math
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from nonmarkov.learning.settings import StreamSettings

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]


class Verdict(Enum):
    """The answer of a test."""

    EQUAL = "equal"
    DISTINCT = "distinct"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Comparison:
    """A state side by side with k others, by length of prefix."""

    low: Floats  # (k, d + 1), μ_l, or a lower bound of it
    high: Floats  # (k, d + 1), μ_l, or an upper bound of it
    reached: Longs  # (d + 1,), suffixes of at least l symbols
    others_reached: Longs  # (k, d + 1), the same for the others


@dataclass(frozen=True)
class Distances:
    """Bounds, with confidence 1 - δ_i, on how far k others are from a state."""

    least: Floats  # (k,), max_l (μ_l - Δ_l)
    most: Floats  # (k,), max_l (μ_l + Δ_l)

    def verdicts(self, mu: float) -> list[Verdict]:
        """Return the answer for each of the others."""
        return [
            Verdict.EQUAL if high < mu else Verdict.DISTINCT if low > 0.0 else Verdict.UNKNOWN
            for low, high in zip(self.least.tolist(), self.most.tolist(), strict=True)
        ]


def confidence(settings: StreamSettings, n_symbols: int, test: int) -> float:
    """Return δ_i for test number i = 1, 2, ... of a candidate; n_symbols is |AOR|."""
    share = settings.delta / (2 * n_symbols * settings.n * (settings.n + 2))
    return 6.0 * share / (math.pi * test) ** 2


def deviation(
    reached: Longs,
    others_reached: Longs,
    settings: StreamSettings,
    n_symbols: int,
    test: int,
    parts: int = 1,
) -> Floats:
    """Return Δ_l for every other and l = 0 .. d, (k, d + 1); `parts` comparisons share δ_i."""
    n = np.sqrt(np.where(reached > 0, reached, reached[:1]))
    m = np.sqrt(np.where(others_reached > 0, others_reached, others_reached[:, :1]))
    room = (n * m / (n + m)) ** 2
    logarithm = np.arange(settings.d + 1) * math.log(n_symbols) + math.log(
        4 * settings.d * parts / confidence(settings, n_symbols, test)
    )
    return np.asarray(np.sqrt(logarithm / (2.0 * room)))


def distances(
    comparison: Comparison, settings: StreamSettings, n_symbols: int, test: int, parts: int = 1
) -> Distances:
    """Return what test number `test` of a candidate can say about the others."""
    delta = deviation(
        comparison.reached, comparison.others_reached, settings, n_symbols, test, parts
    )
    return Distances((comparison.low - delta).max(axis=1), (comparison.high + delta).max(axis=1))
