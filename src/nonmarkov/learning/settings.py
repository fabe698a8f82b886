"""The parameters of the stream learner, with the paper's names."""

import math
from dataclasses import dataclass

from nonmarkov.checks import (
    MOST,
    check_choice,
    check_flag,
    check_fraction,
    check_integer,
    check_positive,
    check_real,
)
from nonmarkov.core import Alphabet
from nonmarkov.errors import InvalidParameterError

COUNTS = ("exact", "sketch")
DEEPEST = 1000
UNREACHABLE, LARGEST_MAGNITUDE = 2**62, 42.0  # e^42 suffixes are more than anybody will see


@dataclass(frozen=True)
class StreamSettings:
    """What the learner is told about its target, and how it tests.

    mu       a lower bound on the distinguishability of the target's states, 0 < mu <= 1
    n        an upper bound on the number of its states
    d        length up to which the prefixes of suffixes are compared
    alpha_0  arrivals at which a candidate is tested first; then again each `alpha` times as many
    delta    probability of ever giving a wrong answer
    counts   "exact", or "sketch": Space-Saving summaries of bounded size
    propagation  suffixes go on to further candidates once their own is decided; they have to be
             kept for that, so it takes exact counts, and is their default
    """

    mu: float
    n: int
    d: int = 4
    alpha: float = 2.0
    alpha_0: int = 128
    delta: float = 0.1
    counts: str = "exact"
    propagation: bool | None = None

    def __post_init__(self) -> None:
        check_positive("mu", check_fraction("mu", self.mu, one=True))
        check_integer("n", self.n, at_least=1, at_most=MOST)
        check_integer("d", self.d, at_least=1, at_most=DEEPEST)
        check_integer("alpha_0", self.alpha_0, at_least=1, at_most=MOST)
        check_positive("delta", check_fraction("delta", self.delta))
        if check_real("alpha", self.alpha) <= 1.0:
            raise InvalidParameterError(f"alpha must be greater than 1, got {self.alpha}.")
        check_choice("counts", self.counts, COUNTS)
        if self.propagation is None:
            object.__setattr__(self, "propagation", self.counts == "exact")
        if check_flag("propagation", self.propagation) and self.counts != "exact":
            raise InvalidParameterError(
                'propagation keeps whole strings, which counts="sketch" is there to avoid; '
                "switch one of them off."
            )

    def milestone(self, number: int) -> int:
        """Return the arrivals at which test number 1, 2, ... of a candidate is made."""
        magnitude = math.log(self.alpha_0) + (number - 1) * math.log(self.alpha)
        if magnitude > LARGEST_MAGNITUDE:
            return UNREACHABLE
        return max(number, round(self.alpha_0 * self.alpha ** (number - 1)))

    def most_hypotheses(self, alphabet: Alphabet) -> int:
        """Return a bound on their number: at most n promotions, and one merge for each edge."""
        return 1 + self.n * (alphabet.n_actions * alphabet.n_outcomes + 1)
