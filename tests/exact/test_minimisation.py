"""Partition refinement against table filling; merging preserves the process."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import nonmarkov as nm
from nonmarkov.exact.minimisation import equivalence_classes, probability_names
from nonmarkov.testing.strategies import processes, seeds

from ..reference import exact as reference


def doubled(process, seed):
    """The same process with every state twice, successors to either copy."""
    rng = np.random.default_rng(seed)
    tables = process.tables
    n = tables.n_states
    copies = np.concatenate([tables.successor] * 2)
    copies = np.where(
        np.concatenate([tables.outcome] * 2) >= 0,
        copies + n * rng.integers(2, size=copies.shape),
        0,
    )
    from dataclasses import replace

    twice = replace(
        tables,
        probability=np.concatenate([tables.probability] * 2),
        outcome=np.concatenate([tables.outcome] * 2),
        successor=copies,
        termination=np.concatenate([tables.termination] * 2),
    )
    return nm.RegularProcess(process.alphabet, tuple(range(2 * n)), twice)


@given(processes(), seeds)
def test_classes_equal_table_filling(process, seed):
    process = doubled(process, seed)
    everything = np.arange(process.n_states)
    block = equivalence_classes(process.tables, everything)
    distinct = reference.distinct_pairs(process)
    for p in everything:
        for q in everything:
            assert (block[p] != block[q]) == ((p, q) in distinct)


@given(processes(), seeds)
def test_minimal_is_equivalent_and_canonical(process, seed):
    minimal = process.minimal()
    assert nm.distinguish(process, minimal) is None
    assert minimal.minimal() == minimal
    again = doubled(process, seed).minimal()
    assert again.tables == minimal.tables


def test_published_configurations_are_minimal(published):
    assert published.minimal().n_states == published.n_states


def test_unreachable_states_are_dropped():
    process = nm.RegularProcess.from_tables(
        np.ones((2, 1, 1, 1)),
        np.array([0, 1]).reshape(2, 1, 1, 1),
        actions=["a"],
        observations=["o"],
        rewards=[0.0],
        states=["here", "nowhere"],
        stop=0.5,
    )
    assert process.minimal().states == ("here",)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_names_do_not_depend_on_rounding(values):
    array = np.array(values)
    noisy = array + np.where(np.arange(array.size) % 2, 1e-13, -1e-13)
    names = probability_names(np.concatenate([array, noisy]))
    assert (names[: array.size] == names[array.size :]).all()


def test_close_and_distant_probabilities():
    names = probability_names(np.array([0.1 + 0.2, 0.3, 0.3 + 1e-6]))
    assert names.tolist() == [0, 0, 1]


def test_what_lies_between_joins_nothing():
    names = probability_names(0.5 + 0.9e-12 * np.arange(10))
    assert names.max() >= 4


def lottery(chances):
    """A state for each chance of a prize, reached by what was seen first."""

    def outcomes(state, action):
        if state == "start":
            return [(1 / len(chances), i, 0.0, i) for i in range(len(chances))]
        return [(chances[state], "prize", 1e10, None), (1 - chances[state], "nothing", 0.0, None)]

    return nm.RegularProcess.from_outcomes("start", ["draw"], outcomes, stop=0.1)


def test_small_chances_are_told_apart():
    process = lottery([1e-10, 9e-10])
    assert process.minimal().n_states == process.n_states
    assert process.minimal().optimal_value == process.optimal_value


def test_merging_is_never_noticed():
    process = lottery([0.5 + 0.9e-12 * i for i in range(12)])
    assert nm.distinguish(process, process.minimal()) is None


def test_random_stopping_does_not_blur_the_states():
    process = nm.domain("rotating_mab", k=3, stop=1 - 1e-9)
    assert process.minimal().n_states == 3
