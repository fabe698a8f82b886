"""Interquartile means and stratified bootstraps, one value at a time."""

import random


def interquartile_mean(values):
    """Drop the least and the largest again and again, then average."""
    rest = list(values)
    for _ in range(len(values) // 4):
        rest.remove(min(rest))
        rest.remove(max(rest))
    return sum(rest) / len(rest)


def percentile(values, share):
    """Return the value at that share of the way through the sorted values."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def bootstrap(strata, resamples, seed):
    """Return the ends of the 95 % interval, drawn with another generator."""
    rng = random.Random(seed)
    means = []
    for _ in range(resamples):
        drawn = [rng.choice(stratum) for stratum in strata for _ in stratum]
        means.append(interquartile_mean(drawn))
    return percentile(means, 0.025), percentile(means, 0.975)


def interval_of_draws(values, rows):
    """Return the ends of the 95 % interval for draws that were made elsewhere."""
    means = [interquartile_mean([values[place] for place in row]) for row in rows]
    return percentile(means, 0.025), percentile(means, 0.975)
