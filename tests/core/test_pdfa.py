"""Probabilistic automata."""

import numpy as np
import pytest

import nonmarkov as nm
from nonmarkov.core import Automaton, Pdfa
from nonmarkov.errors import ImpossibleHistoryError, InvalidParameterError

ALPHABET = nm.Alphabet(("a",), ("x", "y"), (0.0,))
LOOP = Automaton.from_steps(ALPHABET, 1, [(0, "a", "x", 0.0, 0), (0, "a", "y", 0.0, 0)])


def test_probabilities_multiply_along_the_string():
    pdfa = Pdfa(LOOP, np.array([0.5, 0.3]), np.array([[0.2]]))
    episode = [("a", "x", 0.0), ("a", "y", 0.0), ("a", nm.END, 0.0)]
    assert pdfa.probability_of(episode) == pytest.approx(0.5 * 0.3 * 0.2)
    assert pdfa.probability_of(episode[1:], episode[:1]) == pytest.approx(0.3 * 0.2)
    assert pdfa.probability_of(episode[:2]) == pytest.approx(0.15)


def test_a_missing_edge_has_probability_zero():
    only_x = Automaton.from_steps(ALPHABET, 1, [(0, "a", "x", 0.0, 0)])
    pdfa = Pdfa(only_x, np.array([0.8]), np.array([[0.2]]))
    assert pdfa.probability_of([("a", "y", 0.0), ("a", nm.END, 0.0)]) == 0.0


def test_a_history_without_a_state_has_no_future():
    only_x = Automaton.from_steps(ALPHABET, 1, [(0, "a", "x", 0.0, 0)])
    pdfa = Pdfa(only_x, np.array([0.8]), np.array([[0.2]]))
    with pytest.raises(ImpossibleHistoryError, match="no state of the automaton"):
        pdfa.probability_of([("a", nm.END, 0.0)], [("a", "y", 0.0)])


@pytest.mark.parametrize(
    ("probability", "termination", "message"),
    [
        ([0.5], [[0.5]], "2 entries"),
        ([0.5, 0.3], [0.2], "termination must have shape"),
        ([0.5, 0.3], [[0.3]], "must sum to 1"),
        ([np.nan, 0.3], [[0.3]], "must sum to 1"),
        ([1.5, -0.7], [[0.2]], "must not be negative"),
    ],
)
def test_bad_probabilities_are_refused(probability, termination, message):
    with pytest.raises(InvalidParameterError, match=message):
        Pdfa(LOOP, np.array(probability), np.array(termination))
