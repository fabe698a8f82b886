"""Every kernel against its slow twin, compiled and plain, from the same random numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nonmarkov as nm
from nonmarkov.core import simulation
from nonmarkov.kernels import bare_draws, rollout
from nonmarkov.testing.strategies import policies, processes, seeds

from ..reference import rollout as reference

VARIANTS = pytest.mark.parametrize("variant", [lambda k: k, lambda k: k.py_func], ids=["jit", "py"])


@st.composite
def situations(draw):
    process = draw(processes())
    policy = draw(policies(process))
    tables = process.tables
    rows = policy.rows(np.arange(process.n_states))
    return (
        tables,
        simulation.cumulative_choice(rows),
        simulation.cumulative_chance(tables.dynamics, tables.ending),
        draw(seeds),
    )


@VARIANTS
@given(situation=situations(), max_steps=st.sampled_from([1, 3, 10**6]))
def test_sample_episodes_equals_its_twin(variant, situation, max_steps):
    tables, choice, chance, seed = situation
    symbol = simulation.symbol_table(tables)
    results = []
    for sample in (variant(rollout.sample_episodes), reference.sample_episodes):
        starts = np.empty(31, dtype=np.int64)
        rng = np.random.default_rng(seed)
        symbols = sample(
            choice, chance, tables.successor, symbol, tables.start, max_steps, starts, rng
        )
        results.append((symbols, starts, rng.random()))
    np.testing.assert_array_equal(results[0][0], results[1][0])
    np.testing.assert_array_equal(results[0][1], results[1][1])
    assert results[0][2] == results[1][2]


@VARIANTS
@given(
    situation=situations(),
    max_steps=st.sampled_from([1, 3, 10**6]),
    n_ended=st.integers(0, 2),
    per_step=st.booleans(),
)
def test_play_episodes_equals_its_twin(variant, situation, max_steps, n_ended, per_step):
    tables, choice, chance, seed = situation
    ended = np.arange(tables.n_states) >= tables.n_states - n_ended
    ended.setflags(write=False)
    results = [
        play(
            choice,
            chance,
            tables.successor,
            tables.gain,
            ended,
            tables.start,
            max_steps,
            per_step,
            30,
            np.random.default_rng(seed),
        )
        for play in (variant(rollout.play_episodes), reference.play_episodes)
    ]
    np.testing.assert_allclose(results[0], results[1], rtol=1e-12, atol=1e-12)


@VARIANTS
@given(seed=seeds, shape=st.tuples(st.integers(1, 4), st.integers(1, 5)))
def test_bare_draws_equal_their_twin(variant, seed, shape):
    chance = np.random.default_rng(seed).dirichlet(np.ones(shape[1]), shape[0]).cumsum(axis=1)
    chance[:, -1] = 1.0
    results = [
        draw(chance, 100, np.random.default_rng(seed))
        for draw in (variant(bare_draws.draw_categories), reference.draw_categories)
    ]
    assert results[0] == results[1]


def test_kernels_are_compiled_once():
    """One set of types for every argument: a second signature would mean a second compilation."""
    process = nm.domain("cheat_mab")
    process.sample(2)
    process.sample(2, policy=process.optimal_policy, max_steps=3)
    process.play(2)
    process.play(2, policy=process.optimal_policy, evaluation=True)
    for kernel in (rollout.sample_episodes, rollout.play_episodes):
        assert len(kernel.signatures) == 1


def test_rounding_never_ends_an_episode_that_cannot_end():
    probability = np.array([[[0.1] * 10]])
    assert probability.cumsum()[-1] < 1.0
    chance = simulation.cumulative_chance(probability, np.zeros((1, 1)))
    assert chance[0, 0, -1] == 1.0


def test_padding_is_never_drawn():
    """The last possible outcome takes all that is left, not the padding behind it."""
    probability = np.array([[[0.1] * 10 + [0.0, 0.0]]])
    chance = simulation.cumulative_chance(probability, np.zeros((1, 1)))
    assert (chance[0, 0] <= np.nextafter(1.0, 0.0)).sum() == 9


def test_impossible_actions_are_never_drawn():
    choice = simulation.cumulative_choice(np.array([[0.0, 0.3, 0.7, 0.0]]))
    assert choice.tolist() == [[0.0, 0.3, 1.0, 1.0]]
