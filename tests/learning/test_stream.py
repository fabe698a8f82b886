"""The stream learner and its guarantees: soundness, incrementality, boundedness."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nonmarkov as nm
from nonmarkov.abstraction.embedding import embedding
from nonmarkov.errors import AlphabetError, InvalidParameterError
from nonmarkov.learning import StreamLearner, StreamSettings
from nonmarkov.testing.strategies import processes, seeds

from ..conftest import SMALLEST
from ..reference.stream import SlowLearner

# Coarse on purpose: promotions and merges have to happen within few episodes.
COARSE = StreamSettings(mu=0.9, n=4, d=2, alpha_0=8, delta=0.9)
DEPTHS = {"malfunction_mab": 4, "cheat_mab": 4}  # at which its states can be told apart
EPISODES = {"malfunction_mab": 800_000, "cheat_mab": 800_000, "rotating_maze": 400_000}


def lists(batch):
    return [batch.symbols[a:b].tolist() for a, b in pairwise(batch.starts)]


def twin_of(settings, batch, max_steps=None):
    twin = SlowLearner(batch.alphabet, settings)
    latest = None if max_steps is None else max_steps - settings.d
    for episode in lists(batch):
        twin.consume(episode, latest=latest)
    return twin


def agree(learner, twin):
    changes = [(c.kind, c.episode, c.state, c.origin, c.suffixes) for c in learner.changes]
    assert changes == twin.changes
    assert learner.automaton == twin.to_automaton()
    assert learner.episodes == twin.episodes


@pytest.mark.parametrize(("name", "k"), SMALLEST)
@pytest.mark.parametrize("propagation", [True, False])
def test_reading_a_batch_equals_its_slow_twin(name, k, propagation):
    batch = nm.domain(name, k=k).sample(2000, seed=3)
    settings = StreamSettings(mu=0.9, n=4, d=2, alpha_0=8, delta=0.9, propagation=propagation)
    learner = StreamLearner(batch.alphabet, settings)
    assert learner.consume(batch)
    agree(learner, twin_of(settings, batch))
    assert learner.changes


@given(process=processes(), seed=seeds)
def test_random_processes(process, seed):
    batch = process.sample(300, seed=seed)
    learner = StreamLearner(batch.alphabet, COARSE)
    learner.consume(batch)
    agree(learner, twin_of(COARSE, batch))


@given(process=processes(), seed=seeds, cut=st.sampled_from([2, 3, 8]))
def test_episodes_that_are_cut_off(process, seed, cut):
    settings = replace(COARSE, propagation=False)
    batch = process.sample(300, seed=seed, max_steps=cut)
    learner = StreamLearner(batch.alphabet, settings)
    learner.consume(batch, max_steps=cut)
    agree(learner, twin_of(settings, batch, None if batch.terminated.all() else cut))


@pytest.mark.parametrize("cut", [3, 4, 6])
@pytest.mark.parametrize(("name", "k"), [("enemy_corridor", 4), ("rotating_mab", 2)])
def test_cut_off_episodes_do_not_make_states_look_different(name, k, cut):
    """Late states must not seem to end more often because only complete suffixes were kept."""
    process = nm.domain(name, k=k)
    mu, n = process.distinguishability(2), process.minimal().n_states
    settings = StreamSettings(mu=mu, n=n, d=2, propagation=False)
    learner = StreamLearner(process.alphabet, settings)
    learner.consume(process.sample(300_000, seed=1, max_steps=cut), max_steps=cut)
    assert is_sound(learner, process)
    assert learner.hypothesis.n_safe >= 2


def test_cut_off_episodes_must_be_announced():
    batch = nm.domain("rotating_mab").sample(50, max_steps=4)
    learner = StreamLearner(batch.alphabet, replace(COARSE, propagation=False))
    with pytest.raises(InvalidParameterError, match="with max_steps=4, or leave"):
        learner.consume(batch)
    with pytest.raises(InvalidParameterError, match="with max_steps=4, or leave"):
        learner.consume(batch, max_steps=5)
    with pytest.raises(InvalidParameterError, match="use propagation=False"):
        StreamLearner(batch.alphabet, COARSE).consume(batch, max_steps=4)
    with pytest.raises(InvalidParameterError, match="max_steps must be at least 1"):
        learner.consume(batch, max_steps=0)


def test_reading_in_pieces_is_the_same_as_reading_at_once():
    batch = nm.domain("enemy_corridor", k=4).sample(3000, seed=1)
    whole, pieces = (StreamLearner(batch.alphabet, COARSE) for _ in range(2))
    whole.consume(batch)
    for begin in range(0, len(batch), 77):
        pieces.consume(batch[begin : begin + 77])
    assert whole.automaton == pieces.automaton
    assert whole.changes == pieces.changes


def test_without_propagation_no_string_is_kept():
    batch = nm.domain("rotating_mab").sample(60_000, seed=0)
    frugal = StreamLearner(batch.alphabet, StreamSettings(0.3, 4, d=1, propagation=False))
    frugal.consume(batch)
    assert frugal.nbytes < 10**6


def is_sound(learner, process):
    return embedding(learner.automaton, process) is not None


@pytest.mark.parametrize(("name", "k"), SMALLEST)
def test_every_hypothesis_is_sound_and_contains_the_last_one(name, k):
    process = nm.domain(name, k=k)
    depth = DEPTHS.get(name, 1)
    mu = process.distinguishability(depth)
    settings = StreamSettings(mu=mu, n=process.minimal().n_states, d=depth, delta=0.1)
    learner = StreamLearner(process.alphabet, settings)
    before = learner.automaton
    seen = 1
    rng = np.random.default_rng(7)
    for _ in range(40):
        if learner.consume(process.sample(EPISODES.get(name, 200_000) // 40, seed=rng)):
            after = learner.automaton
            assert is_sound(learner, process)
            assert contains(after, before)
            before, seen = after, seen + 1
    assert 1 < seen <= learner.n_hypotheses <= learner.settings.most_hypotheses(process.alphabet)
    assert learner.hypothesis.n_safe > 1


def contains(after, before):
    """Whether all safe states, and all transitions between them, are still there."""
    safe = {q for q in range(before.n_states) if before.is_safe(q)}
    old = {e for e in map(tuple, before.edges.tolist()) if e[0] in safe and e[2] in safe}
    return old <= set(map(tuple, after.edges.tolist())) and all(map(after.is_safe, safe))


def test_the_check_of_soundness_can_fail():
    """With a mu that is far too large, states are merged that are not equal."""
    process = nm.domain("rotating_mab", k=4)
    learner = StreamLearner(process.alphabet, StreamSettings(mu=0.9, n=4, d=1))
    learner.consume(process.sample(20_000, seed=0))
    assert not is_sound(learner, process)


def test_all_states_are_found_in_the_end():
    process = nm.domain("enemy_corridor", k=8)
    mu = process.distinguishability(1)
    learner = StreamLearner(process.alphabet, StreamSettings(mu=mu, n=16, d=1))
    learner.consume(process.sample(100_000, seed=0))
    automaton = learner.automaton
    assert automaton.candidates == ()
    assert len(embedding(automaton, process)) == 16
    kinds = [change.kind for change in learner.changes]
    assert kinds.count("promotion") == 16
    assert kinds.count("merge") == len(automaton.edges) - 15


def test_changes_carry_their_evidence():
    process = nm.domain("rotating_mab")
    learner = StreamLearner(process.alphabet, StreamSettings(mu=0.3, n=2, d=1))
    learner.consume(process.sample(50_000, seed=0))
    first, *others = learner.changes
    assert (first.kind, first.state, first.origin) == ("promotion", 0, None)
    for change in others:
        state, symbol = change.origin
        assert learner.automaton.successor(state, symbol) == change.state
        assert 0.0 < change.distance < (0.3 if change.kind == "merge" else 1.0)
        assert change.suffixes >= 128


def test_bounded_memory_holds_on_an_endless_stream():
    """Sketches learn the same states, and stay as small as they were when nothing is new."""
    process = nm.domain("malfunction_mab", k=3)
    mu = process.distinguishability(4)
    sketching = StreamSettings(mu=mu, n=4, d=4, counts="sketch")
    learner = StreamLearner(process.alphabet, sketching)
    rng, sizes = np.random.default_rng(0), []
    for _ in range(12):
        learner.consume(process.sample(100_000, seed=rng))
        sizes.append(learner.nbytes)
    assert learner.hypothesis.n_safe == 4
    assert is_sound(learner, process)
    assert sizes[4] == sizes[-1] < 3 * 10**6


def test_a_learner_works_on_episodes_from_anywhere():
    """Lists of what happened, written down by somebody."""
    rng, episodes = np.random.default_rng(0), []
    for _ in range(4000):
        light, episode = "red", []
        while rng.random() < 0.8:
            action = str(rng.choice(["wait", "go"]))
            seen = "stop" if light == "red" else "drive"
            episode.append((action, seen, float(action == "go" and light == "green")))
            light = "green" if light == "red" else "red"
        episode.append((str(rng.choice(["wait", "go"])), nm.END, 0.0))
        episodes.append(episode)
    batch = nm.EpisodeBatch.from_lists(episodes)
    learner = nm.StreamLearner(batch.alphabet, nm.StreamSettings(mu=0.3, n=2, d=1))
    learner.consume(batch)
    automaton = learner.automaton
    assert automaton.safe.sum() >= 2
    red = automaton.state_of([])
    green = automaton.state_of([("wait", "stop", 0.0)])
    assert red != green
    assert automaton.state_of([("wait", "stop", 0.0), ("go", "drive", 1.0)]) == red


def test_symbols_of_another_alphabet_are_refused():
    learner = StreamLearner(nm.domain("rotating_mab").alphabet, COARSE)
    with pytest.raises(AlphabetError, match="another alphabet"):
        learner.consume(nm.domain("cheat_mab").sample(10))
    with pytest.raises(InvalidParameterError, match=r"EpisodeBatch.from_lists makes one"):
        learner.consume([[("a", "b", 0.0)]])
    assert learner.episodes == 0
