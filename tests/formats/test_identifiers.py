"""Names for labels: valid, and never one for two."""

import re

from hypothesis import given
from hypothesis import strategies as st

from nonmarkov.core import Alphabet
from nonmarkov.errors import AlphabetError
from nonmarkov.formats.identifiers import identifiers, legend, texts

words = st.text(max_size=4) | st.sampled_from(["a b", "a_b", "x_a_b", "x_0", "x_1", "T", "x", "1"])
plain = words | st.integers(-2, 2) | st.floats(-2, 2) | st.none() | st.booleans()
labels = st.lists(plain | st.tuples(plain, plain), min_size=1, max_size=8)


def distinct(values):
    try:
        return Alphabet(tuple(values), ("o",), (0.0,)).actions
    except AlphabetError:
        return ()


@given(values=labels)
def test_identifiers_are_valid_and_differ(values):
    values = distinct(values)
    names = identifiers(values, "x", ("T", "x_1"))
    assert sorted(names) == list(range(len(values)))
    assert len(set(names.values())) == len(values)
    assert not {"T", "x_1"} & set(names.values())
    assert all(re.fullmatch("[A-Za-z][A-Za-z0-9_]*", name) for name in names.values())
    assert all("\n" not in line and line.isascii() for line in legend(values, names))


@given(values=labels)
def test_texts_differ_and_can_be_written(values):
    values = distinct(values)
    for one_line in (True, False):
        written = texts(values, one_line=one_line)
        assert len(set(written)) == len(values)
        assert all(text.encode() and "\0" not in text for text in written if text)
        assert not one_line or all(text.isprintable() for text in written)


def test_good_names_are_kept():
    assert identifiers(["left", "T", "go on"], "action", ("T",)) == {
        0: "left",
        1: "action_T",
        2: "action_go_on",
    }
    assert legend(["left", "T"], {0: "left", 1: "action_T"}) == ['action_T is "T"']
    assert texts(["1", "one"]) == ["1", "one"]
    assert texts(["1", 1]) == ['"1"', "1"]
