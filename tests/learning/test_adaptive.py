"""The search for mu and n: coarse first, finer when the stream contradicts."""

import numpy as np
import pytest

import nonmarkov as nm
from nonmarkov.abstraction.embedding import embedding
from nonmarkov.learning import AdaptiveLearner, StreamSettings
from nonmarkov.learning.adaptive import COARSEST, FEWEST


def begin(**options):
    return StreamSettings(COARSEST, FEWEST, **options)


def learned(name, k, episodes, depth):
    process = nm.domain(name, k=k)
    learner = AdaptiveLearner(process.alphabet, begin(d=depth))
    learner.consume(process.sample(episodes, seed=2))
    return process, learner


@pytest.mark.parametrize(
    ("name", "k", "episodes", "depth"),
    [
        ("rotating_mab", 2, 100_000, 1),
        ("rotating_mab", 4, 300_000, 1),
        ("enemy_corridor", 8, 60_000, 1),
        ("cheat_mab", 3, 800_000, 4),
    ],
)
def test_it_finds_the_automaton_without_mu_and_n(name, k, episodes, depth):
    process, learner = learned(name, k, episodes, depth)
    image = embedding(learner.automaton, process)
    assert image is not None
    assert len(image) == process.minimal().n_states


def test_mu_is_halved_when_a_merge_is_refuted():
    process, learner = learned("rotating_mab", 4, 300_000, 1)
    restarts = [change for change in learner.changes if change.kind == "restart"]
    assert restarts
    assert learner.settings.mu == COARSEST / 2 ** len(restarts)
    assert learner.settings.mu < 2 * process.distinguishability(1)


def test_n_is_doubled_when_there_are_more_states_and_nothing_is_lost():
    _, learner = learned("enemy_corridor", 8, 60_000, 1)
    assert learner.settings.n >= 16 > FEWEST
    assert "restart" not in {change.kind for change in learner.changes}


def test_every_search_has_its_share_of_the_error_probability():
    _, learner = learned("rotating_mab", 4, 300_000, 1)
    assert learner.searches > 1
    assert learner.settings.delta == pytest.approx(0.1 * 6 / (np.pi * learner.searches) ** 2)


def test_a_coarse_hypothesis_that_explains_the_stream_is_kept():
    _, learner = learned("rotating_mab", 2, 100_000, 1)
    assert learner.settings.mu == COARSEST
    assert learner.automaton.safe.sum() == 2


def test_bounded_counts_work_as_well():
    process = nm.domain("rotating_mab", k=2)
    learner = AdaptiveLearner(process.alphabet, begin(d=1, counts="sketch"))
    learner.consume(process.sample(200_000, seed=0))
    assert len(embedding(learner.automaton, process)) == 2
    assert learner.nbytes < 10**6
