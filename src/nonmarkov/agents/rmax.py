"""RMax: pairs with fewer than m visits are worth V_max, the rest is solved.

Brafman and Tennenholtz, "R-max: a general polynomial time algorithm for near-optimal reinforcement
learning", JMLR 3, 2002. Outside the abstraction, at candidates, the worth is V_max as well: the
agent is drawn to where the abstraction ends, as to every other unknown.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nonmarkov.agents.interface import Bounds, MarkovAgent, Plan
from nonmarkov.agents.model import FINE, EmpiricalModel, Worth, enough_sweeps, greedy_rows
from nonmarkov.checks import MOST, check_fraction, check_integer, check_positive
from nonmarkov.core.automaton import UNDEFINED
from nonmarkov.core.experience import Experience
from nonmarkov.stored import Stored

Floats = NDArray[np.float64]
PAC = "pac"
LARGEST_GOAL = 2.0**62  # visits; more would not fit into an integer


class OptimisticAgent(MarkovAgent):
    """What RMax and E3 share: known pairs, and values with the unknown at its best and worst.

    m        visits after which a pair is known; "pac" for the number that the theory asks for
    v_max    an upper bound on the value of any history
    epsilon  accuracy of the values
    delta    error probability, which matters for m = "pac" only
    p        probability that an episode stops at a step
    """

    def __init__(self, m: int | str, v_max: float, epsilon: float, delta: float, p: float) -> None:
        if m != PAC:
            check_integer("m", m, at_least=1, at_most=MOST)
        self.m, self.v_max = m, check_positive("v_max", v_max)
        self.epsilon = check_positive("epsilon", epsilon)
        self.delta, self.p = check_fraction("delta", delta), check_fraction("p", p)

    def threshold(self, experience: Experience) -> int:
        """Return the number of visits that make a pair known."""
        if self.m != PAC:
            return int(self.m)
        n_states = max(1, experience.n_states)
        logarithm = math.log(n_states * experience.n_actions / self.delta)
        size = (self.v_max / (self.epsilon * self.p)) ** 2
        return math.ceil(min(size * (n_states + logarithm), LARGEST_GOAL))

    def known(self, experience: Experience) -> NDArray[np.bool_]:
        """Return which pairs are known, (S, A)."""
        return np.asarray(experience.visits >= self.threshold(experience))

    def goals(self, experience: Experience) -> NDArray[np.int64]:
        """Return the visits to wait for: m, everywhere."""
        return np.full(experience.visits.shape, self.threshold(experience), dtype=np.int64)

    @property
    def tie(self) -> float:
        """Values that differ by less are equally good, for all that value iteration can tell."""
        return 2.0 * FINE * self.epsilon

    def solve(self, experience: Experience, beyond: float, guess: Floats | None = None) -> Worth:
        """Return the values with all that is unknown worth `beyond`, from a guess if it fits."""
        if guess is None or guess.size != experience.n_states:
            guess = np.full(experience.n_states, beyond)
        accuracy = FINE * self.epsilon
        sweeps = enough_sweeps(min(1.0, accuracy / self.v_max), self.p)
        model = EmpiricalModel(experience, self.known(experience))
        return model.solve(beyond, self.v_max, sweeps, accuracy * self.p, guess)

    def exploit(self, experience: Experience) -> Floats:
        """Return the best actions if all that is unknown is worth nothing."""
        return greedy_rows(self.solve(experience, 0.0).pairs, self.tie)

    def bounds(self, experience: Experience) -> Bounds:
        """Return the values of the start with all that is unknown worth V_max, and 0."""
        if experience.start == UNDEFINED:
            return Bounds(self.v_max, 0.0)
        high, low = (self.solve(experience, beyond).values for beyond in (self.v_max, 0.0))
        return Bounds(float(high[experience.start]), float(low[experience.start]))


class RMax(OptimisticAgent):
    """Acts greedily on the optimistic values; ties are broken at random."""

    _last: Floats | None = None  # values of the last plan: the next ones are not far

    def plan(self, experience: Experience) -> Plan:
        """Return the best actions if all that is unknown is worth V_max."""
        worth = self.solve(experience, self.v_max, self._last)
        self._last = worth.values
        return Plan(greedy_rows(worth.pairs, self.tie), self.goals(experience))

    def state(self) -> dict[str, Any]:
        """Return the values of the last plan."""
        return {"values": self._last}

    def restore(self, stored: Stored) -> None:
        """Begin the next plan with stored values."""
        self._last = stored.reals("values", (None,)) if stored.has("values") else None
