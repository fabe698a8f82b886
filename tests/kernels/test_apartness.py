"""Tests of apartness against slow twins, exact expectations, and automata worked out by hand."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nonmarkov.kernels import apartness
from nonmarkov.kernels.evidence import Log
from nonmarkov.testing.strategies import seeds

from ..reference import apartness as reference

NOWHERE = -1


def some_counts(rng, *shape):
    """Counts of which many are 0."""
    return rng.integers(0, 9, shape).astype(float) * (rng.random(shape) < 0.7)


def some_automaton(rng, n_states, n_symbols):
    return rng.integers(NOWHERE, n_states, (n_states, n_symbols)).astype(np.int32)


def partition(representative):
    """The set of states of every state."""
    return [{int(q) for q in np.flatnonzero(representative == r)} for r in representative]


# --- statistics -----------------------------------------------------------------------------------


@given(seed=seeds, kinds=st.integers(1, 5))
def test_the_mixture_equals_its_twin(seed, kinds):
    rng = np.random.default_rng(seed)
    counts, prior = some_counts(rng, kinds), rng.random(kinds) + 0.1
    expected = reference.log_mixture(counts, prior)
    assert apartness.log_mixture(counts, prior) == pytest.approx(expected, abs=1e-9)


@given(seed=seeds, kinds=st.integers(1, 5))
def test_the_likelihood_equals_its_twin(seed, kinds):
    counts = some_counts(np.random.default_rng(seed), kinds)
    expected = reference.log_likelihood(counts)
    assert apartness.log_likelihood(counts) == pytest.approx(expected, abs=1e-9)


@given(seed=seeds, samples=st.integers(1, 4), kinds=st.integers(1, 4))
def test_evalues_equal_their_twin(seed, samples, kinds):
    rng = np.random.default_rng(seed)
    counts, older = some_counts(rng, samples, kinds), some_counts(rng, samples, kinds)
    expected = reference.log_evalue(counts.tolist(), older.tolist(), 0.5)
    assert apartness.log_evalue(counts, older, 0.5) == pytest.approx(expected, abs=1e-9)


def test_nothing_seen_says_nothing():
    nothing = np.zeros((2, 3))
    assert apartness.log_evalue(nothing, nothing, 0.5) == 0.0


def test_one_sample_alone_never_speaks_against_itself():
    for counts in product(range(6), repeat=3):
        sample = np.array([counts], dtype=float)
        assert apartness.log_evalue(sample, np.zeros((1, 3)), 0.5) <= 1e-12


def test_different_samples_bring_evidence_and_equal_ones_do_not():
    older = np.zeros((2, 2))
    different, equal = np.array([[20.0, 0.0], [0.0, 20.0]]), np.array([[10.0, 10.0]] * 2)
    assert apartness.log_evalue(different, older, 0.5) > 20.0
    assert apartness.log_evalue(equal, older, 0.5) < 0.0


def test_older_counts_make_the_evidence_sharper():
    counts = np.array([[10.0, 0.0], [0.0, 10.0]])
    blank = apartness.log_evalue(counts, np.zeros((2, 2)), 0.5)
    assert apartness.log_evalue(counts, 5.0 * counts, 0.5) > blank


@pytest.mark.parametrize("share", [0.01, 0.5, 1.0])
def test_a_share_of_the_stake_is_bet(share):
    for log_e in (-20.0, -1.0, 0.0, 1.0, 29.0, 31.0, 600.0):
        expected = math.log(1.0 - share + share * math.exp(log_e))
        assert apartness.mix(log_e, share) == pytest.approx(expected, abs=1e-6)


# --- expectations ---------------------------------------------------------------------------------


def expectation(chances, draws, choose, value):
    """The mean of `value(counts)` after some draws, over everything that can happen.

    choose(counts): the sample to draw from next, or None to stop.
    """

    def go_on(counts, left):
        sample = choose(counts) if left else None
        if sample is None:
            return value(counts)
        total = 0.0
        for kind, chance in enumerate(chances):
            counts[sample, kind] += 1.0
            total += chance * go_on(counts, left - 1)
            counts[sample, kind] -= 1.0
        return total

    return go_on(np.zeros((2, len(chances))), draws)


def in_turn(counts):
    return int(counts.sum()) % 2


def where_less_was_earned(counts):
    """The sample whose last kind was drawn less often so far; in doubt the one drawn less."""
    return int(np.lexsort((counts.sum(axis=1), counts[:, -1]))[0])


def until_it_looks_apart(counts):
    """In turn, but only as long as that brings no evidence."""
    return None if evalue(counts) > 1.0 else in_turn(counts)


def evalue(counts, older=None):
    older = np.zeros_like(counts) if older is None else older
    return math.exp(apartness.log_evalue(counts, older, 0.5))


@pytest.mark.parametrize("chances", [(0.5, 0.5), (0.9, 0.1), (0.2, 0.3, 0.5)])
@pytest.mark.parametrize("choose", [in_turn, where_less_was_earned, until_it_looks_apart])
def test_the_mean_of_an_evalue_is_at_most_one(chances, choose):
    draws = 10 if len(chances) == 2 else 7
    assert expectation(chances, draws, choose, evalue) <= 1.0 + 1e-12


def test_the_mean_is_at_most_one_whatever_the_older_counts_are():
    older = np.array([[7.0, 0.0], [1.0, 3.0]])
    mean = expectation((0.6, 0.4), 10, where_less_was_earned, lambda c: evalue(c, older))
    assert mean <= 1.0 + 1e-12


def test_the_mean_of_an_evalue_is_more_than_one_if_the_samples_differ():
    """Two coins: the mean over the number of heads of each."""
    mean = sum(
        binomial(6, heads, 0.9) * binomial(6, other, 0.1) * evalue(flips(6, heads, other))
        for heads, other in product(range(7), repeat=2)
    )
    assert mean > 5.0


def binomial(n, k, p):
    return math.comb(n, k) * p**k * (1.0 - p) ** (n - k)


def flips(n, *heads):
    return np.array([[k, n - k] for k in heads], dtype=float)


# --- mergers --------------------------------------------------------------------------------------


def fold(successor, p, q):
    table = successor.copy()
    folded = apartness.fold(successor, table, p, q)
    assert (table == successor).all()
    return folded


@given(seed=seeds, n_states=st.integers(2, 7), n_symbols=st.integers(1, 3))
def test_folding_equals_its_twin(seed, n_states, n_symbols):
    rng = np.random.default_rng(seed)
    successor = some_automaton(rng, n_states, n_symbols)
    p, q = rng.permutation(n_states)[:2]
    folded = fold(successor, p, q)
    assert partition(folded) == reference.fold(successor.tolist(), p, q)
    assert all(folded[representative] == representative for representative in folded)


def test_folding_a_cycle_merges_what_follows():
    """0 -> 1 -> 2 -> 3 -> 0: if 0 and 2 are one, then so are 1 and 3."""
    cycle = np.array([[1], [2], [3], [0]], dtype=np.int32)
    assert partition(fold(cycle, 0, 2)) == [{0, 2}, {1, 3}, {0, 2}, {1, 3}]
    assert partition(fold(cycle, 0, 1)) == [{0, 1, 2, 3}] * 4


def test_folding_states_without_edges_merges_nothing_else():
    chain = np.array([[1, 2], [NOWHERE, NOWHERE], [NOWHERE, NOWHERE]], dtype=np.int32)
    assert partition(fold(chain, 1, 2)) == [{0}, {1, 2}, {1, 2}]


def test_a_state_inherits_the_edges_of_what_is_merged_into_it():
    """0 has no edge of its own until 1 is merged into it; then 2, merged too, must follow 3."""
    successor = np.array([[NOWHERE, 2], [3, 1], [4, NOWHERE], [NOWHERE] * 2, [NOWHERE] * 2])
    folded = fold(successor.astype(np.int32), 0, 1)
    assert partition(folded) == [{0, 1, 2}, {0, 1, 2}, {0, 1, 2}, {3, 4}, {3, 4}]


def test_folding_leaves_the_automaton_as_it_was():
    cycle = np.array([[1], [2], [3], [0]], dtype=np.int32)
    fold(cycle, 0, 2)
    assert cycle.ravel().tolist() == [1, 2, 3, 0]


@given(seed=seeds, n_states=st.integers(1, 5), n_actions=st.integers(1, 3))
def test_evalues_of_mergers_equal_their_twin(seed, n_states, n_actions):
    rng = np.random.default_rng(seed)
    counts = some_counts(rng, n_states, n_actions, 3)
    older = some_counts(rng, n_states, n_actions, 3)
    classes = np.array([rng.integers(q + 1) for q in range(n_states)])
    classes = classes[classes[classes]].astype(np.int32)
    expected = reference.merge_evalue(classes.tolist(), counts.tolist(), older.tolist(), 0.5)
    found = apartness.merge_evalue(classes, counts, older, 0.5)
    assert found == pytest.approx(expected, abs=1e-9)


def test_nothing_is_said_against_no_merger():
    counts = np.full((3, 2, 2), 5.0)
    classes = np.arange(3).astype(np.int32)
    assert apartness.merge_evalue(classes, counts, counts, 0.5) == 0.0


@given(seed=seeds, n_states=st.integers(1, 5))
def test_pairs_are_judged_at_once_and_by_what_follows(seed, n_states):
    rng = np.random.default_rng(seed)
    successor = some_automaton(rng, n_states, 4)
    counts, older = some_counts(rng, n_states, 2, 2), some_counts(rng, n_states, 2, 2)
    found = apartness.pair_evalues(successor, counts, older, 0.5, math.inf)
    for p, q in product(range(n_states), repeat=2):
        if p >= q:
            assert found[p, q] == 0.0
            continue
        at_once = np.arange(n_states)
        at_once[q] = p
        both = [at_once.tolist(), fold(successor, p, q).tolist()]
        evidence = [reference.merge_evalue(c, counts.tolist(), older.tolist(), 0.5) for c in both]
        expected = math.log(sum(math.exp(e) for e in evidence) / 2.0)
        assert found[p, q] == pytest.approx(expected, abs=1e-9)


def test_states_that_differ_only_later_are_told_apart_by_what_follows():
    """0 and 1 do the same, but lead to 2 and 3, which do not."""
    successor = np.array([[2, 2], [3, 3], [NOWHERE] * 2, [NOWHERE] * 2], dtype=np.int32)
    counts = np.array([[[30, 30]], [[30, 30]], [[60, 0]], [[0, 60]]], dtype=float)
    values = apartness.pair_evalues(successor, counts, np.zeros_like(counts), 0.5, 10.0)
    assert values[0, 1] > 10.0
    assert values[2, 3] > 10.0


def test_states_that_look_very_much_the_same_are_not_apart():
    """One action, so that the whole stake is on it, and many outcomes, all equally frequent."""
    counts = np.full((2, 1, 30), 200.0)
    successor = np.zeros((2, 31), dtype=np.int32)
    values = apartness.pair_evalues(successor, counts, np.zeros_like(counts), 2 / 30, 5.0)
    assert values[0, 1] < 0.0


# --- edges ----------------------------------------------------------------------------------------


@given(seed=seeds, n_edges=st.integers(0, 5))
def test_edges_are_judged_by_what_follows_them_and_what_follows_otherwise(seed, n_edges):
    rng = np.random.default_rng(seed)
    counts, older = some_counts(rng, 3, 2, 2), some_counts(rng, 3, 2, 2)
    target = rng.integers(3, size=n_edges).astype(np.int32)
    follow = np.floor(counts[target] * rng.random((n_edges, 2, 2)))
    found = apartness.edge_evalues(target, follow, counts, older, 0.5)
    for edge, q in enumerate(target):
        # As if the edge led to a state of its own that was merged into its target.
        two = np.stack([follow[edge], counts[q] - follow[edge]]).tolist()
        start = np.stack([older[q], older[q]]).tolist()
        expected = reference.merge_evalue([0, 0], two, start, 0.5)
        assert found[edge] == pytest.approx(expected, abs=1e-9)


@given(seed=seeds, n_states=st.integers(1, 4), n_symbols=st.integers(1, 4))
def test_frozen_automata_are_read_as_by_hand(seed, n_states, n_symbols):
    rng = np.random.default_rng(seed)
    successor = some_automaton(rng, n_states, n_symbols)
    ends = rng.random(n_symbols) < 0.2
    lengths = rng.integers(1, 6, size=5)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    symbols = rng.integers(n_symbols, size=starts[-1]).astype(np.int32)
    log = Log(symbols, starts, np.repeat(np.arange(5, dtype=np.int32), lengths))
    counts, edges = apartness.read_frozen(log, ends, successor, 1, 4)
    expected = np.zeros_like(counts)
    before = [NOWHERE] * symbols.size
    for episode in range(1, 4):
        q, edge = 0, NOWHERE
        for step in range(starts[episode], starts[episode + 1]):
            if q == NOWHERE:
                break
            s = symbols[step]
            expected[q, s] += 1
            before[step] = edge
            edge, q = q * n_symbols + s, NOWHERE if ends[s] else successor[q, s]
    assert (counts == expected).all()
    assert edges.tolist() == before


def test_the_more_outcomes_the_weaker_the_prior():
    assert apartness.concentration_for(2) == apartness.concentration_for(4) == 0.5
    assert apartness.concentration_for(20) == 0.1
