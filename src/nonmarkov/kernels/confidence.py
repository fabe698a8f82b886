"""Values at the edges of what the observed counts allow.

The distribution p behind counts c of N draws satisfies N · KL(c/N ‖ p) ≤ radius, for all N at once,
with probability 1 - δ, if radius = ln(1/δ) + ln max_p p(c) - ln m(c) for a Dirichlet mixture m.
Among all such p, the best and the worst are found for every state and action, outcomes never
seen included.
"""

import math

import numpy as np

from nonmarkov.kernels.apartness import log_likelihood, log_mixture
from nonmarkov.kernels.evidence import Floats, Integers, Longs
from nonmarkov.kernels.jit import jit

HALVINGS = 60
SWEEPS, TOLERANCE = 2000, 1e-6


@jit
def radius(counts: Floats, concentration: float, log_inverse_delta: float) -> float:
    """Return the bound on N · KL."""
    prior = np.full(counts.size, concentration)
    return log_inverse_delta + log_likelihood(counts) - log_mixture(counts, prior)


@jit
def _divergence(share: Floats, gain: Floats, level: float) -> float:
    """Return KL(share ‖ p) for p proportional to share / (level - gain)."""
    inner, outer = 0.0, 0.0
    for k in range(share.size):
        if share[k] > 0.0:
            inner += share[k] * math.log(level - gain[k])
            outer += share[k] / (level - gain[k])
    return inner + math.log(outer)


@jit
def _tilted(share: Floats, gain: Floats, level: float) -> float:
    """Return the mean gain under p proportional to share / (level - gain)."""
    mass, mean = 0.0, 0.0
    for k in range(share.size):
        if share[k] > 0.0:
            mass += share[k] / (level - gain[k])
            mean += gain[k] * share[k] / (level - gain[k])
    return mean / mass


@jit
def highest_mean(share: Floats, gain: Floats, unseen: float, width: float) -> float:
    """Return the largest mean gain under a p with KL(share ‖ p) ≤ width.

    unseen: the gain of an outcome with share 0 that p may give some mass to.
    """
    seen = -np.inf
    for k in range(share.size):
        if share[k] > 0.0:
            seen = max(seen, gain[k])
    top = max(seen, unseen)
    scale = max(1.0, abs(top))
    if unseen > seen:
        divergence = _divergence(share, gain, unseen)
        if divergence <= width:
            mass = -math.expm1(divergence - width)
            return mass * unseen + (1.0 - mass) * _tilted(share, gain, unseen)
    low, high = top + 1e-12 * scale, top + scale
    while _divergence(share, gain, high) > width and high < top + 1e12 * scale:
        high = top + 2.0 * (high - top)
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if _divergence(share, gain, middle) > width:
            low = middle
        else:
            high = middle
    return min(top, _tilted(share, gain, high))


@jit
def _bound_worth(
    share: Floats,
    gain: Floats,
    successor: Integers,
    value: Floats,
    unseen: float,
    width: float,
    discount: float,
) -> float:
    """Return the largest mean of gain and further value that the counts of a pair allow."""
    total = gain.copy()
    for i in range(gain.size):
        if successor[i] >= 0:
            total[i] += value[successor[i]]
    return discount * highest_mean(share, total, unseen, width)


@jit
def bound_values(
    first: Longs,
    share: Floats,
    gain: Floats,
    successor: Integers,
    width: Floats,
    policy: Floats,
    unseen: float,
    ceiling: float,
    sign: float,
    discount: float,
) -> Floats:
    """Return bounds on the values of states, (Q,).

    Pairs are numbered state * A + action; the outcomes of one are the entries first[pair] ..
    first[pair + 1] - 1 of `share`, `gain` and `successor`, where -1 is the end. width: (Q * A,),
    infinite for pairs never tried. sign: 1 for the upper bound of the best actions, -1 for the
    lower bound of `policy`, (Q, A); with -1, `gain`, `unseen` and `ceiling` are negative values.
    discount: the chance that a step is not the last, beyond what the entries show.
    """
    n_states, n_actions = policy.shape
    value = np.full(n_states, ceiling)
    for _ in range(SWEEPS):
        change = 0.0
        for q in range(n_states):
            best, mean = -np.inf, 0.0
            for a in range(n_actions):
                begin, end = first[q * n_actions + a], first[q * n_actions + a + 1]
                w = ceiling
                if end > begin and (sign > 0.0 or policy[q, a] > 0.0):
                    w = _bound_worth(
                        share[begin:end], gain[begin:end], successor[begin:end], value, unseen,
                        width[q * n_actions + a], discount,
                    )  # fmt: skip
                w = min(w, ceiling)
                best = max(best, w)
                mean += policy[q, a] * w
            new = best if sign > 0.0 else mean
            change = max(change, abs(new - value[q]))
            value[q] = new
        if change <= TOLERANCE * abs(ceiling):
            break
    return value


LEFT = -2  # the successor of an edge beyond which nothing is claimed


@jit
def _least_worth(
    share: Floats,
    gain: Floats,
    successor: Integers,
    value: Floats,
    floor: float,
    steps: int,
    width: float,
) -> float:
    """Return the least mean of gain and further value, over so many further steps, of a pair."""
    loss = -gain
    for i in range(gain.size):
        if successor[i] >= 0:
            loss[i] -= value[successor[i]]
        elif successor[i] == LEFT:
            loss[i] -= steps * floor
    return -highest_mean(share, loss, -(steps + 1) * floor, width)


@jit
def worst_worths(
    first: Longs,
    share: Floats,
    gain: Floats,
    successor: Integers,
    width: Floats,
    policy: Floats,
    floor: float,
    horizon: int,
) -> Floats:
    """Return what actions are worth at least, over so many steps, with `policy` after them, (Q, A).

    Laid out as for `bound_values`; without a policy, (0, A), the best actions follow. floor: what
    a step can bring at least, no more than 0. Beyond an edge that is LEFT, and after outcomes never
    seen, every step brings that. If it is 0, values only grow with the steps, so an early stop is
    on the safe side.
    """
    n_actions = policy.shape[1]
    n_states = width.size // n_actions
    value, worth = np.zeros(n_states), np.zeros((n_states, n_actions))
    for step in range(horizon):
        change = 0.0
        for pair in range(width.size):
            begin, end = first[pair], first[pair + 1]
            w = (step + 1) * floor
            if end > begin:
                w = _least_worth(
                    share[begin:end], gain[begin:end], successor[begin:end], value, floor, step,
                    width[pair],
                )  # fmt: skip
            worth[pair // n_actions, pair % n_actions] = w
        for q in range(n_states):
            new = worth[q].max() if policy.shape[0] == 0 else (policy[q] * worth[q]).sum()
            change = max(change, abs(new - value[q]))
            value[q] = new
        if floor >= 0.0 and change <= TOLERANCE * np.abs(value).max():
            break
    return worth
