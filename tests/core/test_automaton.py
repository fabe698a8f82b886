"""Automata as maps from histories to states."""

import numpy as np
import pytest

import nonmarkov as nm
from nonmarkov.core import UNDEFINED, Automaton
from nonmarkov.errors import AlphabetError, InvalidParameterError

ALPHABET = nm.Alphabet(("a", "b"), ("x", "y"), (0.0, 1.0))
STEPS = [(0, "a", "x", 0.0, 1), (1, "b", "y", 1.0, 0), (1, "a", "x", 0.0, 2)]


@pytest.fixture
def automaton():
    return Automaton.from_steps(ALPHABET, 3, STEPS)


def test_histories_lead_to_states(automaton):
    assert automaton.state_of([]) == 0
    assert automaton.state_of([("a", "x", 0.0)]) == 1
    assert automaton.state_of([("a", "x", 0.0), ("b", "y", 1.0)]) == 0
    assert automaton.state_of([("b", "y", 1.0)]) == UNDEFINED
    assert automaton.state_of([("b", "y", 1.0), ("a", "x", 0.0)]) == UNDEFINED


def test_candidates_are_not_safe(automaton):
    partial = Automaton(ALPHABET, 3, automaton.edges, candidates=(2,))
    assert partial.safe.tolist() == [True, True, False]
    assert not partial.is_safe(2)
    assert not partial.is_safe(UNDEFINED)
    assert partial.is_safe(1)


def test_edges_are_sorted_so_equal_automata_are_equal(automaton):
    again = Automaton.from_steps(ALPHABET, 3, reversed(STEPS))
    assert again == automaton
    assert hash(again) == hash(automaton)
    assert Automaton(ALPHABET, 3, automaton.edges, candidates=(2,)) != automaton


def test_an_automaton_can_be_read_over_another_alphabet(automaton):
    other = nm.Alphabet(("b", "a", "c"), ("y", "x"), (1.0, 0.0, 7.0))
    moved = automaton.over(other)
    for history in ([], [("a", "x", 0.0)], [("a", "x", 0.0), ("b", "y", 1.0)]):
        assert moved.state_of(history) == automaton.state_of(history)
    with pytest.raises(AlphabetError, match="action 'b'"):
        automaton.over(nm.Alphabet(("a",), ("x", "y"), (0.0, 1.0)))


def test_an_automaton_survives_json(automaton):
    import json

    partial = Automaton(ALPHABET, 3, automaton.edges, start=1, candidates=(2,))
    assert Automaton.from_content(json.loads(json.dumps(partial.to_content()))) == partial


@pytest.mark.parametrize(
    ("edges", "options", "message"),
    [
        ([(0, 0, 9)], {}, "states below 3"),
        ([(0, 99, 0)], {}, "symbols below 10"),
        ([(-1, 0, 0)], {}, "states below 3"),
        ([(0, 4, 0)], {}, "Termination symbols"),
        ([(0, 0, 0), (0, 0, 1)], {}, "state 0 has two edges"),
        ([(2, 0, 0)], {"candidates": (2,)}, "Candidate states have no edges"),
        ([], {"start": 3}, "start must be a state below 3"),
        ([(0, 0)], {}, r"edges must have shape \(E, 3\)"),
        ([], {"candidates": (3,)}, "a candidate must be a state below 3"),
    ],
)
def test_bad_structure_is_refused(edges, options, message):
    with pytest.raises(InvalidParameterError, match=message):
        Automaton(ALPHABET, 3, np.array(edges, dtype=np.int64), **options)


def test_numpy_numbers_are_plain_ones(automaton):
    import json

    partial = Automaton(
        ALPHABET, np.int64(3), automaton.edges, start=np.int64(1), candidates=(np.int64(2),)
    )
    assert json.loads(json.dumps(partial.to_content()))["candidates"] == [2]


def test_termination_is_no_part_of_a_history(automaton):
    with pytest.raises(AlphabetError, match="before termination"):
        automaton.state_of([("a", nm.END, 0.0)])
