"""Twins of kernels.apartness and kernels.confidence."""

import math
from itertools import product


def log_mixture(counts, prior):
    """One draw after another: each has the share of its kind so far, prior included."""
    value, weights = 0.0, list(prior)
    for kind, count in enumerate(counts):
        for _ in range(int(count)):
            value += math.log(weights[kind] / sum(weights))
            weights[kind] += 1
    return value


def log_likelihood(counts):
    """No p makes the counts more likely than their own shares."""
    return sum(count * math.log(count / sum(counts)) for count in counts if count > 0)


def log_evalue(counts, older, concentration):
    apart = sum(
        log_mixture(sample, [before + concentration for before in start])
        for sample, start in zip(counts, older, strict=True)
    )
    return apart - log_likelihood([sum(column) for column in zip(*counts, strict=True)])


def fold(successor, p, q):
    """The set of states of every state after p and q are merged, and all that they drag along."""
    states = range(len(successor))
    classes = [{state} for state in states]
    classes[p] = classes[q] = {p, q}
    while clash := find_clash(successor, classes):
        together = classes[clash[0]] | classes[clash[1]]
        for state in together:
            classes[state] = together
    return classes


def find_clash(successor, classes):
    """Two states that must be one, because states that are one lead to them with one symbol."""
    states, symbols = range(len(successor)), range(len(successor[0]))
    for left, right, symbol in product(states, states, symbols):
        targets = successor[left][symbol], successor[right][symbol]
        if classes[left] is classes[right] and min(targets) >= 0:
            first, second = targets
            if classes[first] is not classes[second]:
                return targets
    return None


def merge_evalue(classes, counts, older, concentration):
    """The product of all bets: on every class of several states and every action, one share."""
    members = {}
    for state, representative in enumerate(classes):
        members.setdefault(representative, []).append(state)
    several = [states for states in members.values() if len(states) > 1]
    actions = range(len(counts[0]))
    value = 1.0
    for states, action in product(several, actions):
        share = 1.0 / (len(several) * len(actions))
        cell = log_evalue(
            [counts[state][action] for state in states],
            [older[state][action] for state in states],
            concentration,
        )
        value *= 1.0 - share + share * math.exp(cell)
    return math.log(value)


def divergence(share, p):
    """KL(share ‖ p)."""
    if any(s > 0.0 and chance == 0.0 for s, chance in zip(share, p, strict=True)):
        return math.inf
    return sum(s * math.log(s / c) for s, c in zip(share, p, strict=True) if s > 0.0)


def highest_mean(share, gain, unseen, width, steps):
    """The best of all p on a grid, where one more outcome has the gain `unseen`."""
    share, gain = [*share, 0.0], [*gain, unseen]
    best = -math.inf
    for p in grid(len(share), steps):
        if divergence(share, p) <= width:
            best = max(best, sum(c * g for c, g in zip(p, gain, strict=True)))
    return best


def grid(n_outcomes, steps):
    """All distributions whose chances are multiples of 1 / steps."""
    for parts in product(range(steps + 1), repeat=n_outcomes - 1):
        if sum(parts) <= steps:
            yield [part / steps for part in (*parts, steps - sum(parts))]
