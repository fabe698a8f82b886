"""Episodes that are played to find out more."""

import math

import numpy as np
import pytest

import nonmarkov as nm
from nonmarkov.core import EpisodeBatch, simulation
from nonmarkov.kernels import exploring
from nonmarkov.kernels.shapes import World
from nonmarkov.training.outlook import ignorance

MANY_STEPS = 10**9


def world(process):
    tables = process.tables
    chance = simulation.cumulative_chance(tables.dynamics, tables.ending)
    return World(chance, tables.successor, simulation.symbol_table(tables), tables.start)


def explore(process, course=None, episodes=1000, most_steps=MANY_STEPS, seed=0):
    """The episodes, as a batch: that also checks where terminations stand."""
    starts = np.zeros(episodes + 1, dtype=np.int64)
    course = (
        ignorance(process.alphabet.n_symbols, process.alphabet.n_actions)
        if course is None
        else course
    )
    rng = np.random.default_rng(seed)
    symbols, played = exploring.explore_episodes(world(process), course, most_steps, starts, rng)
    return EpisodeBatch(process.alphabet, symbols, starts[: played + 1])


def actions_of(batch):
    return batch.symbols // (batch.alphabet.n_outcomes + 1)


@pytest.fixture(params=[("rotating_mab", 3), ("cheat_mab", 3), ("flickering_grid", 8)])
def process(request):
    name, k = request.param
    return nm.domain(name, k=k)


def test_before_anything_is_known_the_first_action_is_any(process):
    batch = explore(process, episodes=5000)
    n_actions = len(process.actions)
    found = np.bincount(actions_of(batch)[batch.starts[:-1]], minlength=n_actions) / len(batch)
    sigma = math.sqrt((1.0 - 1.0 / n_actions) / n_actions / len(batch))
    np.testing.assert_allclose(found, 1.0 / n_actions, atol=4.0 * sigma)


def test_before_anything_is_known_every_action_is_as_frequent(process):
    """Within an episode actions may repeat, so episodes are what is independent."""
    batch = explore(process, episodes=5000)
    n_actions = len(process.actions)
    for action in range(n_actions):
        excess = (actions_of(batch) == action) - 1.0 / n_actions
        per_episode = np.add.reduceat(excess, batch.starts[:-1])
        sigma = per_episode.std() / math.sqrt(len(batch))
        assert abs(per_episode.mean()) <= 4.0 * sigma


def test_some_episodes_repeat_one_action():
    """In long episodes of two actions, either is about as frequent or hardly ever taken."""
    process = nm.RegularProcess.from_outcomes(
        0, ["toss", "wait"], lambda state, action: [(1.0, "o", 0.0, 0)], stop=0.001
    )
    batch = explore(process, episodes=2000)
    tossed = np.add.reduceat(actions_of(batch) == 0, batch.starts[:-1]) / batch.lengths
    tossed = tossed[batch.lengths > 300]
    repeated = (np.abs(tossed - 0.5) > 0.4).mean()
    sigma = math.sqrt(exploring.REPEAT_SHARE * (1.0 - exploring.REPEAT_SHARE) / tossed.size)
    assert repeated == pytest.approx(exploring.REPEAT_SHARE, abs=4.0 * sigma)


def test_episodes_end_exactly_with_terminations(process):
    batch = explore(process)
    assert len(batch) == 1000
    assert batch.terminated.all()
    assert sum(symbol[1] is nm.END for episode in batch for symbol in episode) == 1000


def test_everything_that_happens_is_possible(process):
    for episode in explore(process, episodes=100):
        state = process.automaton.start
        for action, observation, reward in episode[:-1]:
            state = process.automaton.step(state, action, observation, reward)
            assert state >= 0


def test_the_same_seed_gives_the_same_bytes(process):
    first, second, other = (explore(process, seed=seed) for seed in (7, 7, 8))
    assert first.symbols.tobytes() == second.symbols.tobytes()
    assert first.starts.tobytes() == second.starts.tobytes()
    assert first.symbols.tobytes() != other.symbols.tobytes()


def test_no_episode_begins_after_so_many_steps(process):
    batch = explore(process, most_steps=500)
    assert len(batch) < 1000
    assert batch.starts[-2] < 500 <= batch.starts[-1]
    assert batch.terminated.all()
    whole = explore(process)
    assert whole.symbols[: batch.n_steps].tobytes() == batch.symbols.tobytes()


def test_without_any_steps_nothing_is_played(process):
    assert len(explore(process, most_steps=0)) == 0


def one_state(process, worth, quest=None, undecided=False):
    """A course on the automaton with one state and all edges.

    quest: what actions are worth for quests, which all episodes are then.
    """
    n_symbols, n_actions = process.alphabet.n_symbols, len(process.actions)
    clear = np.zeros(n_symbols, dtype=np.bool_)
    return exploring.Course(
        np.zeros((1, n_symbols), dtype=np.int32),
        np.arange(n_symbols, dtype=np.int32)[None, :],
        np.array([worth], dtype=float),
        np.zeros((n_symbols, n_actions)),
        clear,
        clear.copy(),
        np.zeros((n_symbols, n_actions), dtype=np.bool_),
        np.zeros((n_symbols, n_actions), dtype=np.int32),
        exploring.Quests(
            np.full(n_symbols, undecided),
            np.array([worth if quest is None else quest], dtype=float),
            0.0 if quest is None else 1.0,
        ),
    )


def test_the_best_action_is_taken_except_without_looking():
    process = nm.domain("rotating_mab", k=2)
    batch = explore(process, one_state(process, [1.0, 2.0]), episodes=5000)
    others = np.add.reduceat(actions_of(batch) == 0, batch.starts[:-1]) > 0
    assert 0.05 < others.mean() <= exploring.UNIFORM_SHARE


def test_quests_go_by_what_actions_are_worth_for_them():
    process = nm.domain("rotating_mab", k=2)
    batch = explore(process, one_state(process, [1.0, 2.0], quest=[2.0, 1.0]), episodes=5000)
    others = np.add.reduceat(actions_of(batch) == 1, batch.starts[:-1]) > 0
    assert 0.05 < others.mean() <= exploring.UNIFORM_SHARE


def test_behind_an_undecided_edge_a_quest_goes_on_without_looking():
    process = nm.domain("rotating_mab", k=2)
    course = one_state(process, [1.0, 2.0], quest=[2.0, 1.0], undecided=True)
    batch = explore(process, course, episodes=5000)
    first, actions = batch.starts[:-1], actions_of(batch)
    looked = 1.0 - exploring.UNIFORM_SHARE / 2.0
    assert (actions[first] == 0).mean() == pytest.approx(looked, abs=0.02)
    second = (first + 1)[batch.lengths > 1]
    assert actions[second].mean() == pytest.approx(0.5, abs=0.04)


def test_ties_are_broken_evenly():
    process = nm.domain("rotating_mab", k=2)
    batch = explore(process, one_state(process, [2.0, 2.0 + 1e-12]), episodes=5000)
    first = actions_of(batch)[batch.starts[:-1]]
    assert first.mean() == pytest.approx(0.5, abs=4.0 * math.sqrt(0.25 / 5000))


def test_passages_along_edges_are_counted():
    process = nm.domain("rotating_mab", k=2)
    course = one_state(process, [1.0, 2.0])
    batch = explore(process, course, episodes=100)
    assert course.tried.sum() == batch.n_steps - len(batch)
