"""Value iteration against its slow twin, compiled and plain, and against numbers worked by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nonmarkov as nm
from nonmarkov.agents import E3, RMax
from nonmarkov.kernels.bellman import OUTSIDE, OVER, sweep_values
from nonmarkov.testing.strategies import seeds

from ..reference import bellman as reference

VARIANTS = pytest.mark.parametrize("variant", [lambda k: k, lambda k: k.py_func], ids=["jit", "py"])


@st.composite
def models(draw):
    """Steps of all pairs, also of those that are said to be unknown; some pairs have none."""
    rng = np.random.default_rng(draw(seeds))
    n_states, n_actions = draw(st.integers(0, 5)), draw(st.integers(1, 3))
    sizes = rng.integers(0, 4, size=n_states * n_actions)
    shares = [rng.dirichlet(np.ones(size)) for size in sizes if size]
    return (
        np.concatenate([[0], np.cumsum(sizes)]),
        np.concatenate([*shares, []]),
        rng.integers(-3, 9, size=sizes.sum()).astype(np.float64),
        rng.choice([OUTSIDE, OVER, *range(n_states)], size=sizes.sum()).astype(np.int32),
        rng.random((n_states, n_actions)) < draw(st.sampled_from([0.3, 0.8, 1.0])),
    )


@VARIANTS
@given(
    model=models(),
    beyond=st.sampled_from([0.0, 1.0, 20.0]),
    guess=st.sampled_from([-5.0, 0.0, 20.0]),
    sweeps=st.sampled_from([1, 2, 5, 60]),
    tolerance=st.sampled_from([0.0, 1e-3, 1.0]),
    ceiling=st.sampled_from([5.0, 20.0, np.inf]),
)
def test_value_iteration_equals_its_twin(variant, model, beyond, guess, sweeps, tolerance, ceiling):
    known = model[-1]
    results = []
    for sweep in (variant(sweep_values), reference.sweep_values):
        values, worth = np.full(len(known), guess), np.full(known.shape, np.nan)
        made = sweep(*model, beyond, ceiling, values, worth, sweeps, tolerance)
        results.append((made, values, worth))
    assert results[0][0] == results[1][0]
    np.testing.assert_allclose(results[0][1], results[1][1], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(results[0][2], results[1][2], rtol=1e-12, atol=1e-12)


def solve(steps, known, beyond, sweeps=10_000, tolerance=0.0):
    """Sweep over one step for every pair: (probability, gain, successor)."""
    known = np.array(known)
    probability, gain, successor = np.array(steps, dtype=np.float64).T.copy()
    values, worth = np.zeros(len(known)), np.empty(known.shape)
    made = sweep_values(
        np.arange(known.size + 1),
        probability,
        gain,
        successor.astype(np.int32),
        known,
        beyond,
        np.inf,
        values,
        worth,
        sweeps,
        tolerance,
    )
    return made, values.tolist(), worth.tolist()


def test_a_loop_that_ends_sometimes_is_worth_a_geometric_series():
    made, values, worth = solve([(0.9, 2.0, 0)], [[True]], beyond=7.0)
    assert values == pytest.approx([18.0])
    assert worth == [values]
    assert made < 1000


def test_outside_is_worth_what_lies_beyond_and_the_end_nothing():
    steps = [(0.5, 1.0, OUTSIDE), (0.5, 1.0, OVER), (1.0, 100.0, OVER)]
    _, values, worth = solve(steps, [[True, True, False]], beyond=8.0)
    assert worth == [[4.5, 0.5, 8.0]]
    assert values == [8.0]


def test_new_values_are_used_as_soon_as_they_are_there():
    """Every state leads to the one before: one sweep is enough, another one sees that."""
    steps = [(1.0, 1.0, OVER), (1.0, 1.0, 0), (1.0, 1.0, 1)]
    assert solve(steps, [[True]] * 3, 0.0, sweeps=1)[:2] == (1, [1.0, 2.0, 3.0])
    assert solve(steps, [[True]] * 3, 0.0)[:2] == (2, [1.0, 2.0, 3.0])


def test_a_change_as_small_as_the_tolerance_is_the_last_one():
    """Changes are 1, 1/2, 1/4 and so on."""
    steps = [(0.5, 2.0, 0)]
    assert [solve(steps, [[True]], 0.0, 100, t)[0] for t in (1.0, 0.25, 0.24)] == [1, 3, 4]
    assert solve(steps, [[True]], 0.0, sweeps=2)[:2] == (2, [1.5])


def test_costs_are_no_reason_to_stay_at_the_guess():
    assert solve([(0.5, -2.0, 0)], [[True]], beyond=0.0)[1] == pytest.approx([-2.0])


def test_the_kernel_is_compiled_once():
    """One set of types for both agents and all that they ask: no second compilation."""
    experience = reference.everything_about(nm.domain("rotating_mab", k=2), 110)
    RMax(1, 1100.0, 0.1, 0.1, 1 / 11).plan(experience)
    signatures = list(sweep_values.signatures)
    for agent in (RMax(1, 1100.0, 0.1, 0.1, 1 / 11), E3("pac", 1100.0, 0.1, 0.1, 1 / 11)):
        agent.plan(experience)
        agent.exploit(experience)
        agent.bounds(experience)
    assert sweep_values.signatures == signatures
