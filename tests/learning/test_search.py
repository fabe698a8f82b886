"""The search for the automaton that best explains episodes: exact on small cases, and bounded."""

from dataclasses import replace

import numpy as np
import pytest

import nonmarkov as nm
from nonmarkov.core import Automaton
from nonmarkov.kernels.evidence import evidence
from nonmarkov.learning import apart
from nonmarkov.learning.apart import ApartLearner
from nonmarkov.learning.climber import Climber
from nonmarkov.learning.corpus import Corpus
from nonmarkov.learning.drafting import read
from nonmarkov.learning.given import GivenAutomaton
from nonmarkov.learning.memories import last_outcome


def hidden_clock(period):
    """A bell that is likely to ring at every seventh step, say, and says nothing of the others."""

    def outcomes(time, action):
        ring = 0.9 if time == period - 1 else 0.1
        paid = 1.0 if action == "listen" else 0.0
        later = (time + 1) % period
        return [(ring, "ring", paid, later), (1.0 - ring, "silence", 0.0, later)]

    return nm.RegularProcess.from_outcomes(0, ["listen", "wait"], outcomes, stop=0.04)


def latch():
    """A door that stays open once the lever has been pulled with success; nobody says so."""

    def outcomes(is_open, action):
        if action == "pull":
            return [(0.3, "click", 0.0, True), (0.7, "nothing", 0.0, is_open)]
        chance = 0.8 if is_open else 0.05
        return [(chance, "through", 1.0, is_open), (1.0 - chance, "nothing", 0.0, is_open)]

    return nm.RegularProcess.from_outcomes(False, ["pull", "go"], outcomes, stop=0.1)


def markov(n_states):
    """A process whose observation is its state, and everything can happen everywhere."""
    rng = np.random.default_rng(3)
    transition = rng.dirichlet(np.full(n_states, 0.5), size=(n_states, 2))
    return nm.RegularProcess.from_mdp(transition, rng.integers(2, size=(n_states, 2)), stop=0.1)


def learner_of(batch, seed=0):
    learner = ApartLearner(batch.alphabet, np.random.default_rng(seed))
    learner.remember(batch.symbols, batch.starts)
    learner.search()
    return learner


def test_a_jury_pays_for_structure_by_its_share_of_the_steps():
    batch = latch().sample(400, seed=0)
    corpus = Corpus(batch.alphabet, batch.symbols, batch.starts)
    assert corpus.jury(corpus.n_steps) is corpus
    jury = corpus.jury(corpus.n_steps // 10)
    assert jury.n_steps < 0.2 * corpus.n_steps
    assert jury.words.share == pytest.approx(jury.n_steps / corpus.n_steps)
    assert corpus.words.share == 1.0


def assert_exact(abstraction, process):
    assert abstraction.is_sound(process)
    assert abstraction.n_states == process.minimal().n_states


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize(
    ("name", "k", "episodes"),
    [
        ("malfunction_mab", 3, 1000),
        ("rotating_mab", 3, 500),
        ("cheat_mab", 3, 500),
        ("enemy_corridor", 4, 500),
    ],
)
def test_few_episodes_give_the_minimal_automaton(name, k, episodes, seed):
    process = nm.domain(name, k=k)
    assert_exact(nm.learn_abstraction(process.sample(episodes, seed=seed)), process)


def test_a_hidden_clock_is_found():
    process = hidden_clock(7)
    assert_exact(nm.learn_abstraction(process.sample(200, seed=0)), process)


@pytest.mark.parametrize("seed", [0, 1])
def test_a_latch_is_found(seed):
    process = latch()
    assert_exact(nm.learn_abstraction(process.sample(300, seed=seed)), process)


@pytest.mark.parametrize("cut", [8, 20])
def test_episodes_may_be_cut_off(cut):
    process = latch()
    assert_exact(nm.learn_abstraction(process.sample(500, seed=0, max_steps=cut)), process)


def test_an_edge_that_nobody_has_gone_on_from_leads_to_a_state():
    """All episodes are cut off after one step, so nobody has been where it leads."""
    batch = nm.EpisodeBatch.from_lists([[("a", "x", 0.0)], [("a", "y", 1.0)]])
    corpus = Corpus(batch.alphabet, batch.symbols, batch.starts)
    found = Climber(corpus).climb(last_outcome(corpus)).explanation
    assert found.n_states == 1
    assert (found.successor == 0).all()


def test_what_is_markov_needs_a_state_for_every_observation():
    """The start is a state of its own, or one of those."""
    process = markov(4)
    abstraction = nm.learn_abstraction(process.sample(1000, seed=0))
    assert abstraction.is_sound(process)
    assert abstraction.n_states in (4, 5)


def test_the_last_outcome_is_not_remembered_for_nothing():
    """What happens does not depend on anything: one state is enough."""

    def outcomes(state, action):
        return [(0.3, "a", 0.0, state), (0.5, "b", 1.0, state), (0.2, "c", 0.0, state)]

    process = nm.RegularProcess.from_outcomes(0, ["x", "y"], outcomes, stop=0.1)
    assert nm.learn_abstraction(process.sample(500, seed=0)).n_states == 1


def test_more_episodes_never_make_the_search_worse_than_a_climb():
    process, rng = nm.domain("malfunction_mab", k=3), np.random.default_rng(5)
    learner = learner_of(process.sample(50, seed=rng))
    for _ in range(6):
        batch = process.sample(60, seed=rng)
        learner.remember(batch.symbols, batch.starts)
        climbed = Climber(learner.corpus).climb(learner.explanation.successor)
        learner.search()
        assert learner.explanation.evidence >= climbed.evidence - 1e-9


def test_an_explanation_is_worth_what_it_says():
    for max_steps in (None, 5):
        batch = nm.domain("enemy_corridor", k=4).sample(200, seed=2, max_steps=max_steps)
        learner = learner_of(batch)
        draft = read(learner.corpus, learner.explanation.successor)
        found = evidence(learner.corpus.words, draft)
        assert learner.explanation.evidence == pytest.approx(found, abs=1e-6)


def test_symbols_that_appear_later_find_their_place():
    """Numbers of symbols shift as the corpus grows; the automaton stays the same."""
    batch = nm.domain("enemy_corridor", k=4).sample(200, seed=1)
    learner = learner_of(batch[:5])
    before, known = learner.explanation.successor, learner.corpus.present
    learner.remember(batch[5:].symbols, batch[5:].starts)
    present = learner.corpus.present
    assert present.size > known.size
    assert np.array_equal(learner.explanation.successor[:, np.isin(present, known)], before)
    learner.search()
    assert learner.corpus.n_episodes == 200


def test_a_revision_puts_a_rare_edge_right():
    """Wherever else it was said to lead."""
    learner = learner_of(nm.domain("reset_rotating_mab", k=4).sample(2000, seed=1))
    right = learner.explanation
    counts = read(learner.corpus, right.successor).counts
    counts = np.where(right.successor >= 0, counts, counts.max())
    q, s = np.unravel_index(counts.argmin(), counts.shape)
    for target in set(range(right.n_states)) - {right.successor[q, s]}:
        wrong, margin = right.successor.copy(), right.margin.copy()
        wrong[q, s], margin[q, s] = target, 0.0
        learner._explanation = replace(right, successor=wrong, margin=margin)
        learner.revise()
        assert np.array_equal(learner.explanation.successor, right.successor)
        assert learner.changes[-1].moved == 1
        assert learner.changes[-1].evidence > 1.0


def test_what_is_clear_is_not_revised():
    learner = learner_of(nm.domain("cheat_mab", k=3).sample(2000, seed=1))
    found, changes = learner.explanation, len(learner.changes)
    learner.revise()
    assert learner.explanation is found
    assert len(learner.changes) == changes


def test_an_automaton_that_was_given_is_not_revised():
    process = nm.domain("cheat_mab", k=3)
    alphabet = process.alphabet
    goes_on = np.arange(alphabet.n_symbols) % (alphabet.n_outcomes + 1) < alphabet.n_outcomes
    loops = [(0, symbol, 0) for symbol in np.flatnonzero(goes_on)]
    one_state = Automaton(process.alphabet, 1, np.array(loops))
    learner = GivenAutomaton(one_state, np.random.default_rng(0))
    batch = process.sample(500, seed=0)
    learner.remember(batch.symbols, batch.starts)
    learner.search()
    learner.revise()
    assert learner.explanation.n_states == 1


def test_memory_is_bounded(monkeypatch):
    monkeypatch.setattr(apart, "MOST_STEPS", 2000)
    process, rng = nm.domain("rotating_mab", k=3), np.random.default_rng(0)
    learner, steps = ApartLearner(process.alphabet, np.random.default_rng(1)), 0
    for i in range(6):
        batch = process.sample(100, seed=rng)
        learner.remember(batch.symbols, batch.starts)
        steps += batch.symbols.size
        assert learner.corpus.n_steps <= 2000
        assert (learner.seen_episodes, learner.seen_steps) == (100 * (i + 1), steps)
        learner.search()
    assert steps > 3 * 2000
    assert learner.explanation.n_states == process.minimal().n_states


def test_what_is_remembered_are_whole_episodes_that_were_seen(monkeypatch):
    batch = nm.domain("rotating_mab", k=2).sample(400, seed=0)
    monkeypatch.setattr(apart, "MOST_STEPS", batch.symbols.size // 3)
    learner = ApartLearner(batch.alphabet, np.random.default_rng(0))
    learner.remember(batch.symbols, batch.starts)
    kept = Corpus(batch.alphabet, batch[3::4].symbols, batch[3::4].starts).log
    assert np.array_equal(learner.corpus.log.symbols, kept.symbols)
    assert np.array_equal(learner.corpus.log.starts, kept.starts)


def waiting(*observations):
    return [("wait", observation, 0.0) for observation in observations]


@pytest.mark.parametrize(
    ("first", "later"),
    [
        ([*[waiting("x", "y")] * 40, waiting("z", "z")], [waiting("x", "y")] * 20),
        (
            [waiting("z", "y"), *[waiting("x", "y")] * 40],
            [*[waiting("x", "y")] * 20, waiting("w", "w")],
        ),
    ],
    ids=["forgotten", "forgotten, and another one new"],
)
def test_symbols_may_be_forgotten(monkeypatch, first, later):
    monkeypatch.setattr(apart, "MOST_STEPS", 90)
    batch = nm.EpisodeBatch.from_lists([*first, *later])
    learner = learner_of(batch[: len(first)])
    known, before = learner.corpus.present.tolist(), learner.explanation.successor
    learner.remember(batch[len(first) :].symbols, batch[len(first) :].starts)
    assert not set(known) <= set(learner.corpus.present.tolist())
    for column, symbol in zip(learner.explanation.successor.T, learner.corpus.present, strict=True):
        if symbol in known:
            assert np.array_equal(column, before[:, known.index(symbol)])


def corridor(length):
    """A walk with slips; nothing but the number of successful steps tells how far the door is."""

    def outcomes(place, action):
        if place == length:
            return [(1.0, "door", 1.0, None)]
        if action == "wait":
            return [(1.0, "nothing", 0.0, place)]
        return [(0.8, "step", 0.0, place + 1), (0.2, "slip", 0.0, place)]

    return nm.RegularProcess.from_outcomes(0, ["go", "wait"], outcomes, stop=0.02)


def test_the_only_way_into_a_state_has_a_margin():
    """A copy of that state would take its place: another name, not another target."""
    learner = learner_of(corridor(4).sample(1000, seed=0))
    found = learner.explanation
    assert found.n_states == 6  # the last one is where everything has ended
    onwards = (found.successor >= 0) & (found.successor != np.arange(6)[:, None])
    assert onwards.sum() >= 5
    assert found.margin[onwards].min() > 5.0


def test_the_same_seed_gives_the_same_automaton():
    batch = nm.domain("cheat_mab", k=3).sample(150, seed=4)
    one, two = (learner_of(batch, seed=9).explanation for _ in range(2))
    assert one.evidence == two.evidence
    assert np.array_equal(one.successor, two.successor)
    assert np.array_equal(one.margin, two.margin)


def test_a_search_reports_its_changes():
    batch = nm.domain("rotating_mab", k=2).sample(200, seed=0)
    learner = learner_of(batch)
    (change,) = learner.changes
    assert (change.episode, change.before) == (200, 0)
    assert change.states == learner.explanation.n_states
    assert change.evidence > 0.0
