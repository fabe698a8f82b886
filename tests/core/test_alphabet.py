"""Symbols and their indices."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nonmarkov as nm
from nonmarkov.core.alphabet import Alphabet
from nonmarkov.errors import AlphabetError, InvalidParameterError

labels = st.recursive(
    st.none()
    | st.text(max_size=5)
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3).map(tuple),
    max_leaves=4,
)


@st.composite
def alphabets(draw):
    return Alphabet(
        tuple(draw(st.lists(labels, min_size=1, max_size=4, unique=True))),
        tuple(draw(st.lists(labels, min_size=1, max_size=4, unique=True))),
        tuple(draw(st.lists(st.integers(-5, 5), min_size=1, max_size=3, unique=True))),
    )


@given(alphabets())
def test_every_symbol_has_its_own_index(alphabet):
    symbols = [alphabet.symbol(i) for i in range(alphabet.n_symbols)]
    assert [alphabet.symbol_index(*symbol) for symbol in symbols] == list(range(alphabet.n_symbols))


@given(alphabets())
def test_an_alphabet_survives_json(alphabet):
    import json

    assert Alphabet.from_content(json.loads(json.dumps(alphabet.to_content()))) == alphabet


def test_termination_comes_after_all_outcomes():
    alphabet = Alphabet(("a", "b"), ("x",), (0.0, 1.0))
    assert alphabet.symbol(2) == ("a", nm.END, 0.0)
    assert alphabet.symbol_index("b", nm.END, 0.0) == 5
    assert repr(nm.END) == "END"


def test_numpy_scalars_are_plain_labels():
    alphabet = Alphabet((np.int64(3),), (np.str_("x"),), (np.float64(1),))
    assert alphabet.actions == (3,)
    assert type(alphabet.actions[0]) is int
    assert alphabet.symbol_index(np.int64(3), "x", np.float32(1.0)) == 0


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ((("a", "a"), ("x",), (0.0,)), "action 'a' appears twice"),
        (((1, True), ("x",), (0.0,)), "action True appears twice"),
        (((), ("x",), (0.0,)), "at least one action"),
        ((("a",), ([1, 2],), (0.0,)), "Turn it into a tuple"),
        ((("a",), (float("nan"),), (0.0,)), "must be finite"),
        ((("a",), (np.zeros(2),), (0.0,)), "A label must be a string"),
    ],
)
def test_bad_labels_are_refused(parts, message):
    with pytest.raises(AlphabetError, match=message):
        Alphabet(*parts)


def test_bad_rewards_are_refused():
    with pytest.raises(InvalidParameterError, match="a reward must be a finite number"):
        Alphabet(("a",), ("x",), (float("inf"),))


def test_an_alphabet_that_does_not_fit_is_refused():
    with pytest.raises(AlphabetError, match="symbols; at most"):
        Alphabet(tuple(range(2000)), tuple(range(2000)), tuple(range(2000)))


def test_unknown_labels_are_named():
    alphabet = Alphabet(tuple(range(20)), ("x",), (0.0,))
    with pytest.raises(AlphabetError, match=r"action 99 is not in the alphabet.* \.\.\."):
        alphabet.action_index(99)
    with pytest.raises(AlphabetError, match="observation 'y'"):
        alphabet.outcome_index("y", 0.0)
    with pytest.raises(AlphabetError, match=r"reward 0\.5"):
        alphabet.outcome_index("x", 0.5)
    with pytest.raises(AlphabetError, match=r"observation \['x'\]"):
        alphabet.outcome_index(["x"], 0.0)
