"""The search for mu and n: coarse first, finer when the stream contradicts."""

import numpy as np
import pytest

import nonmarkov as nm
from nonmarkov.abstraction.embedding import embedding
from nonmarkov.errors import AlphabetError, InvalidParameterError
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
    process = nm.domain("enemy_corridor", k=8)
    learner = AdaptiveLearner(process.alphabet, StreamSettings(mu=0.25, n=FEWEST, d=1))
    learner.consume(process.sample(60_000, seed=2))
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


def fork(steps):
    """A corridor of forced steps, then a fork that decides what the rest of the way pays."""

    def outcomes(state, action):
        place, side = state
        if place < steps:
            return [(1.0, place, 0.0, (place + 1, ""))]
        if place == steps:
            return [(0.5, turn, 0.0, (place + 1, turn)) for turn in ("left", "right")]
        wins = 0.9 if (side == "left") == (action == "a") else 0.1
        return [(wins, "pay", 1.0, state), (1 - wins, "none", 0.0, state)]

    process = nm.RegularProcess.from_outcomes((0, ""), ["a", "b"], outcomes, stop=1 / 16)
    assert process.distinguishability(1) > 0.1
    return process


@pytest.mark.parametrize("steps", [2, 10])
def test_wrong_merges_are_noticed_however_deep_they_are(steps):
    process = fork(steps)
    learner = AdaptiveLearner(process.alphabet, begin(d=1))
    learner.consume(process.sample(1_500_000, seed=0))
    assert embedding(learner.automaton, process) is not None
    assert learner.automaton.safe.sum() > steps


def test_wrong_merges_are_noticed_where_the_agent_does_not_go_any_more():
    process = fork(2)
    agent = nm.Agent(process, "paper", d=1, m=200)
    agent.learn(1_500_000)
    assert agent.abstraction.is_sound(process)


def test_what_is_no_batch_is_refused():
    process = nm.domain("rotating_mab")
    learner = AdaptiveLearner(process.alphabet)
    for wrong in (3, [], None):
        with pytest.raises(InvalidParameterError, match="episodes must be an EpisodeBatch"):
            learner.consume(wrong)
    with pytest.raises(AlphabetError, match="another alphabet"):
        learner.consume(nm.domain("cheat_mab").sample(3))
