"""Over many runs, verdicts and certificates are wrong at most as often as they may be."""

import math

import numpy as np
import pytest

import nonmarkov as nm
from nonmarkov.kernels.apartness import log_evalue
from nonmarkov.testing import random_process

pytestmark = pytest.mark.slow

DELTA = 0.05
RUNS, DRAWS = 10_000, 60
TRAININGS, EPISODES = 200, 150
ROUNDING = 1e-9


def looks_worse(counts):
    """The sample with the lower mean so far, where kinds are worth 0, 1, 2, ..."""
    worth = counts @ np.arange(counts.shape[1]) + 0.5
    return int((worth / (counts.sum(axis=1) + 1.0)).argmin())


def in_turn(counts):
    return int(counts.sum()) % 2


def looks_better(counts):
    return 1 - looks_worse(counts)


def adds_evidence(counts):
    """The sample whose most frequent kind would be most of a surprise in the other one."""
    share = (counts + 0.5) / (counts + 0.5).sum(axis=1, keepdims=True)
    surprise = [share[i, k] / share[1 - i, k] for i, k in enumerate(share.argmax(axis=1))]
    return int(np.argmax(surprise))


def highest_evidence(chances, choose, rng):
    """The most that was ever said against "both are the same", looking after every draw.

    chances: (2, K); choose(counts): the sample to draw from next.
    """
    cumulative, draws = np.cumsum(chances, axis=1), rng.random(DRAWS)
    counts, older = np.zeros_like(cumulative), np.zeros_like(cumulative)
    highest = 0.0
    for u in draws:
        sample = choose(counts)
        counts[sample, int((cumulative[sample, :-1] <= u).sum())] += 1.0
        highest = max(highest, log_evalue(counts, older, 0.5))
    return highest


@pytest.mark.parametrize("chances", [(0.5, 0.5), (0.9, 0.1), (0.2, 0.3, 0.5)], ids=str)
@pytest.mark.parametrize("choose", [looks_worse, looks_better, adds_evidence])
def test_the_same_is_called_apart_at_most_as_often_as_delta(chances, choose):
    rng = np.random.default_rng(0)
    both = np.array([chances, chances])
    enough = math.log(1.0 / DELTA)
    wrong = sum(highest_evidence(both, choose, rng) >= enough for _ in range(RUNS))
    assert wrong <= DELTA * RUNS + 3.0 * math.sqrt(DELTA * (1.0 - DELTA) * RUNS)


def test_what_is_not_the_same_is_called_apart():
    rng = np.random.default_rng(0)
    chances = np.array([[0.9, 0.1], [0.2, 0.8]])
    enough = math.log(1.0 / DELTA)
    found = sum(highest_evidence(chances, in_turn, rng) >= enough for _ in range(200))
    assert found > 190


def trainings():
    """Agents that have learned in domains and random processes in turn."""
    for seed in range(TRAININGS):
        process = (
            nm.domain("rotating_mab", k=2),
            nm.domain("malfunction_mab", k=3),
            random_process(seed, n_states=3),
        )[seed % 3]
        agent = nm.Agent(process, seed=seed)
        agent.learn(EPISODES)
        yield agent


def is_right(agent):
    same_number = agent.n_states == agent.process.minimal().n_states
    return same_number and agent.abstraction.matches(agent.process)


def test_certificates_hold_as_often_as_they_say():
    """Provided that the automaton is right, which is what they assume."""
    right = broken = 0
    for agent in trainings():
        if is_right(agent):
            process, certificate = agent.process, agent.certificate()
            best, worth = process.optimal_value, process.value(agent.policy)
            right += 1
            broken += not (
                certificate.pessimistic <= worth + ROUNDING
                and best <= certificate.optimistic + ROUNDING
                and best - worth <= certificate.gap + ROUNDING
            )
    assert right > TRAININGS // 2
    assert broken <= agent.settings.delta * right
