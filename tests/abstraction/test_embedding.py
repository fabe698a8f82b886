"""Soundness: whether the safe part of an automaton is a part of the target."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nonmarkov as nm
from nonmarkov.abstraction.embedding import embedding
from nonmarkov.core import Automaton
from nonmarkov.core.alphabet import Alphabet
from nonmarkov.errors import AlphabetError
from nonmarkov.testing.strategies import processes, seeds

from .test_abstraction import cut, memoryless, with_clock


def matches_and_is_sound(automaton, process):
    abstraction = nm.MarkovAbstraction(automaton)
    return abstraction.matches(process), abstraction.is_sound(process)


def reached(automaton):
    """States that some string leads to."""
    found = [automaton.start]
    for state in found:
        found += {q for p, _, q in automaton.edges.tolist() if p == state} - set(found)
    return set(found)


# --- the target itself ----------------------------------------------------------------------------


def test_the_minimal_automaton_is_sound(published):
    assert nm.MarkovAbstraction(published.minimal().automaton).is_sound(published)


@given(processes())
def test_every_state_of_the_minimal_automaton_stands_for_itself(process):
    target = process.minimal().automaton
    assert embedding(target, process) == {state: state for state in range(target.n_states)}


@given(processes(), seeds)
def test_numbers_of_states_do_not_matter(process, seed):
    target = process.minimal().automaton
    number = np.random.default_rng(seed).permutation(target.n_states)
    edges = target.edges.copy()
    edges[:, [0, 2]] = number[edges[:, [0, 2]]]
    renamed = Automaton(process.alphabet, target.n_states, edges, int(number[target.start]))
    assert embedding(renamed, process) == {int(n): state for state, n in enumerate(number)}


@given(processes())
def test_the_order_of_labels_does_not_matter(process):
    alphabet = process.alphabet
    backwards = Alphabet(
        alphabet.actions[::-1], alphabet.observations[::-1], alphabet.rewards[::-1]
    )
    target = process.minimal().automaton
    assert embedding(target.over(backwards), process) == embedding(target, process)


def test_labels_that_the_process_does_not_have_are_refused():
    other = nm.domain("rotating_mab", k=3).automaton
    with pytest.raises(AlphabetError, match="belongs to another process"):
        embedding(other, nm.domain("rotating_mab", k=2))


# --- two states for one ---------------------------------------------------------------------------


@given(processes(), st.data())
def test_a_state_unfolded_is_markov_but_not_sound(process, data):
    """One edge leads to a copy of its successor, with the same edges from there on."""
    target = process.minimal().automaton
    changed = data.draw(st.integers(0, len(target.edges) - 1))
    edges, copy = target.edges.copy(), target.n_states
    original = int(edges[changed, 2])
    outgoing = edges[edges[:, 0] == original].copy()
    outgoing[:, 0] = copy
    edges[changed, 2] = copy
    unfolded = Automaton(process.alphabet, copy + 1, np.concatenate([edges, outgoing]))
    # Where no other way leads to the original, the copy has merely taken its place.
    sound = original not in reached(unfolded)
    assert matches_and_is_sound(unfolded, process) == (True, sound)


def test_a_clock_in_the_automaton_is_markov_but_not_sound():
    process = nm.domain("rotating_mab", k=3)
    assert matches_and_is_sound(with_clock(process.automaton, 2), process) == (True, False)


def test_a_process_with_equivalent_states_is_no_part_of_its_target():
    def outcomes(state, action):
        return [(0.5, "o", 1.0, (state + 1) % 2), (0.5, "u", 0.0, state)]

    process = nm.RegularProcess.from_outcomes(0, ["a"], outcomes, stop=0.5)
    assert (process.n_states, process.minimal().n_states) == (2, 1)
    assert matches_and_is_sound(process.automaton, process) == (True, False)
    assert embedding(process.minimal().automaton, process) == {0: 0}


def test_copies_that_nothing_leads_to_do_not_matter():
    process = nm.domain("rotating_mab", k=2)
    edges = process.automaton.edges
    unused = edges[edges[:, 0] == 1] + [1, 0, 0]
    larger = Automaton(process.alphabet, 3, np.concatenate([edges, unused]))
    assert embedding(larger, process) == {0: 0, 1: 1}


# --- one state for two ----------------------------------------------------------------------------


def test_one_state_for_all_is_not_sound(published):
    assert not nm.MarkovAbstraction(memoryless(published)).is_sound(published)


@pytest.mark.parametrize("wrong", [0, 1])
def test_a_wrong_merge_is_not_sound(wrong):
    """Three pulls of the secret, and one cheats; here the third leads back, or to the second."""
    process = nm.domain("cheat_mab", k=3)
    edges = process.automaton.edges.copy()
    edges[(edges[:, 0] == 2) & (edges[:, 2] == 3), 2] = wrong
    assert len(reached(Automaton(process.alphabet, 4, edges))) == 3
    merged = Automaton(process.alphabet, 3, edges[edges[:, 0] < 3])
    assert matches_and_is_sound(merged, process) == (False, False)


def test_a_wrong_merge_may_be_markov_for_one_step():
    """Two rooms look alike, but the next ones do not; those are out of sight of the automaton."""
    following = {"hall": ("left", "right"), "left": ("cellar",), "right": ("attic",)}

    def outcomes(place, action):
        rooms = following.get(place)
        if rooms is None:
            return [(1.0, place, 0.0, None)]
        return [(1.0 / len(rooms), f"door {i}", 0.0, room) for i, room in enumerate(rooms)]

    process = nm.RegularProcess.from_outcomes("hall", ["go"], outcomes, horizon=5)
    steps = [(0, "go", "door 0", 0.0, 1), (0, "go", "door 1", 0.0, 1), (1, "go", "door 0", 0.0, 2)]
    edges = Automaton.from_steps(process.alphabet, 3, steps).edges
    merged = Automaton(process.alphabet, 3, edges, candidates=(2,))
    assert matches_and_is_sound(merged, process) == (True, False)
    apart = edges.copy()
    apart[1, 2] = 2
    assert matches_and_is_sound(
        Automaton(process.alphabet, 4, [*apart[:2], [1, apart[2, 1], 3]], candidates=(3,)), process
    ) == (True, True)


# --- parts ----------------------------------------------------------------------------------------


@given(processes(), st.integers(0, 5))
def test_a_partial_automaton_is_sound_where_it_is_safe(process, keep):
    target = process.minimal().automaton
    partial = cut(target, keep)
    safe = {state: state for state in reached(partial) if state < keep}
    assert embedding(partial, process) == safe
    assert nm.MarkovAbstraction(partial).is_sound(process)


def test_an_automaton_that_claims_nothing_is_sound():
    process = nm.domain("rotating_mab", k=2)
    nothing = Automaton(process.alphabet, 1, np.empty((0, 3)), candidates=(0,))
    assert embedding(nothing, process) == {}
    assert nm.MarkovAbstraction(nothing).is_sound(process)


def test_a_candidate_may_stand_for_any_number_of_states():
    """All edges from the start lead to one candidate; as a safe state it would stand for two."""
    process = nm.domain("rotating_mab", k=3)
    edges = process.automaton.edges[process.automaton.edges[:, 0] == 0].copy()
    edges[:, 2] = 1
    frontier = Automaton(process.alphabet, 2, edges, candidates=(1,))
    assert embedding(frontier, process) == {0: 0}
    assert embedding(Automaton(process.alphabet, 2, edges), process) is None


def test_two_candidates_may_stand_for_one_state():
    process = nm.domain("rotating_mab", k=2)
    edges = process.automaton.edges[process.automaton.edges[:, 0] == 0].copy()
    wins = np.flatnonzero(edges[:, 2] == 1)
    edges[wins, 2] = [1, 2]
    assert embedding(Automaton(process.alphabet, 3, edges, candidates=(1, 2)), process) == {0: 0}
    assert embedding(Automaton(process.alphabet, 3, edges), process) is None


def test_a_missing_edge_claims_nothing():
    process = nm.domain("rotating_mab", k=2)
    for missing in range(len(process.automaton.edges)):
        edges = np.delete(process.automaton.edges, missing, axis=0)
        partial = Automaton(process.alphabet, 2, edges)
        assert embedding(partial, process) == {0: 0, 1: 1}


def test_what_is_wrong_behind_candidates_does_not_matter():
    process = nm.domain("cheat_mab", k=3)
    edges = process.automaton.edges.copy()
    edges[edges[:, 0] == 2, 2] = 0
    assert embedding(Automaton(process.alphabet, 4, edges), process) is None
    hidden = Automaton(process.alphabet, 4, edges[edges[:, 0] < 2], candidates=(2, 3))
    assert embedding(hidden, process) == {0: 0, 1: 1}


def test_the_start_must_be_the_right_one():
    process = nm.domain("cheat_mab", k=3)
    turned = Automaton(process.alphabet, 4, process.automaton.edges, start=1)
    assert embedding(turned, process) is None
