"""Stretches of episodes in one compiled call give what the per-episode loop gives, bit for bit."""

import numpy as np
import pytest

import nonmarkov as nm
from nonmarkov.agents import E3, RMax
from nonmarkov.learning import FixedAbstraction, StreamLearner, StreamSettings, last_observation
from nonmarkov.training import trainer as training
from nonmarkov.training.trainer import Trainer

from ..conftest import SMALLEST
from ..reference.stream import SlowLearner, SlowTrainer

# Coarse on purpose: promotions, merges and known pairs all have to happen within few episodes.
SETTINGS = {"mu": 0.9, "n": 4, "d": 2, "alpha": 2.0, "alpha_0": 8, "delta": 0.9}


def planner(process, kind=RMax, m=30):
    highest = max(process.rewards) / process.stop
    return kind(m, highest, epsilon=0.1, delta=0.1, p=process.stop)


def both(process, episodes, kind=RMax, stretch=None, provisional=False, **options):
    settings = StreamSettings(**SETTINGS)
    rng, twin_rng = np.random.default_rng(5), np.random.default_rng(5)
    learner, twin_learner = (
        learner(process.alphabet, settings, provisional=provisional)
        for learner in (StreamLearner, SlowLearner)
    )
    probing = learner.probing
    fast = Trainer(process, learner, planner(process, kind), rng, **options)
    slow = SlowTrainer(
        process, twin_learner, planner(process, kind), twin_rng, probing=probing, **options
    )
    while fast.episodes < episodes:
        fast.run(min(episodes, fast.episodes + (stretch or episodes)))
    for _ in range(episodes):
        slow.run_episode()
    return fast, slow, rng, twin_rng


def same(fast, slow, rng, twin_rng):
    assert rng.random() == twin_rng.random()
    assert fast.steps == tuple(slow.steps)
    changes = [(c.kind, c.episode, c.state, c.origin, c.suffixes) for c in fast.learner.changes]
    assert changes == slow.learner.changes
    assert fast.learner.automaton == slow.learner.to_automaton()
    mine, twin = fast.experience(), slow.experience()
    for name in ("start", "visits", "state", "symbol", "count", "successor"):
        np.testing.assert_array_equal(getattr(mine, name), getattr(twin, name), name)


@pytest.mark.parametrize(("name", "k"), SMALLEST)
def test_stretches_equal_single_episodes_on_every_domain(name, k):
    fast, slow, rng, twin_rng = both(nm.domain(name, k=k), 2500)
    same(fast, slow, rng, twin_rng)
    assert {change.kind for change in fast.learner.changes} == {"promotion", "merge"}
    assert (fast.experience().visits >= 30).any()


@pytest.mark.parametrize("on_change", ["reset", "carry", "affected"])
@pytest.mark.parametrize("kind", [RMax, E3])
def test_every_rule_and_planner_has_its_twin(kind, on_change):
    process = nm.domain("reset_rotating_mab", k=4)
    same(*both(process, 600, kind, on_change=on_change))


@pytest.mark.parametrize(("name", "k"), SMALLEST)
def test_probing_episodes_have_their_twin(name, k):
    fast, slow, rng, twin_rng = both(nm.domain(name, k=k), 1500, provisional=True)
    same(fast, slow, rng, twin_rng)
    assert fast.learner.refuted == slow.learner.refuted
    arrivals = fast.learner.hypothesis.graph.arrivals
    assert [arrivals[c] for c in slow.learner.suffixes] == [
        len(suffixes) for suffixes in slow.learner.suffixes.values()
    ]


def test_random_sampling_has_its_twin():
    same(*both(nm.domain("rotating_mab", k=3), 600, uniform=True))


@pytest.mark.parametrize("stretch", [1, 7, 250])
def test_however_the_run_is_cut_it_is_the_same(stretch):
    process = nm.domain("flickering_grid")
    whole, _, rng, _ = both(process, 300)
    cut, _, cut_rng, _ = both(process, 300, stretch=stretch)
    assert rng.random() == cut_rng.random()
    assert whole.learner.automaton == cut.learner.automaton
    np.testing.assert_array_equal(whole.experience().count, cut.experience().count)


def test_little_room_changes_nothing(monkeypatch):
    """Memory runs out all the time here: in the middle of episodes, and for candidates."""
    process = nm.domain("enemy_corridor", k=16)
    roomy, _, rng, _ = both(process, 400)
    monkeypatch.setattr("nonmarkov.learning.hypothesis.FIRST_BLOCKS", 70)
    monkeypatch.setattr("nonmarkov.learning.hypothesis.FIRST_CANDIDATES", 2)
    monkeypatch.setattr("nonmarkov.learning.hypothesis.FIRST_SAFE", 2)
    monkeypatch.setattr("nonmarkov.learning.counts.FIRST_NODES", 4)
    tight, _, tight_rng, _ = both(process, 400)
    assert rng.random() == tight_rng.random()
    assert roomy.learner.automaton == tight.learner.automaton
    assert roomy.learner.changes == tight.learner.changes


def test_given_abstractions_are_played_like_learned_ones():
    process = nm.domain("cheat_mab")
    for automaton in (process.automaton, last_observation(process)):
        trainer = Trainer(
            process, FixedAbstraction(automaton), planner(process), np.random.default_rng(1)
        )
        trainer.run(500)
        safe, outside = trainer.steps
        assert (trainer.episodes, outside) == (500, 0)
        assert 0 < trainer.experience().visits.sum() <= safe
        assert trainer.learner.automaton == automaton


def test_a_stretch_is_short_enough_for_an_interrupt_to_be_heard():
    process = nm.domain("rotating_mab")
    learner = StreamLearner(process.alphabet, StreamSettings(**SETTINGS))
    trainer = Trainer(process, learner, planner(process), np.random.default_rng(1))
    trainer.run(10**9)
    assert 0 <= sum(trainer.steps) - training.LONGEST_STRETCH < 1000
