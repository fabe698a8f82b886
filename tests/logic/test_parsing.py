"""Formulas from text: how operators bind, and what is said about mistakes."""

import contextlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nonmarkov.errors import FormulaError
from nonmarkov.logic.formulas import propositions
from nonmarkov.logic.parsing import parse_formula


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("a & b | c", "(a & b) | c"),
        ("a | b -> c", "(a | b) -> c"),
        ("a -> b -> c", "a -> (b -> c)"),
        ("a <-> b -> c", "a <-> (b -> c)"),
        ("a U b & c", "(a U b) & c"),
        ("a U b U c", "a U (b U c)"),
        ("!a & b", "(!a) & b"),
        ("F G a", "F(G(a))"),
        ("!F a", "G !a"),
        ("!(a U b)", "!a R !b"),
        ("!<a>b", "[a]!b"),
        ("!X a", "WX !a"),
        ("<a;b+c>d", "<(a;b)+c>d"),
        ("<a & b;c*>tt", "<(a & b);(c)*>tt"),
        ("<(a;b)*>end", "<((a;b))*>end"),
        ('"a" & b', "a && b"),
    ],
)
def test_operators_bind_as_documented(text, same):
    assert parse_formula(text) == parse_formula(same)


def test_quoted_names_may_be_anything():
    formula = parse_formula(r'F("arm 0" & "F" & "say \"hi\"" & été)')
    assert propositions(formula) == {"arm 0", "F", 'say "hi"', "été"}


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("F(a", 4, "expected ')', got the end"),
        ("a &", 4, "expected a proposition"),
        ("", 1, "got the end"),
        ("a b", 3, "expected an operator or the end, got 'b'"),
        ("a = b", 3, "'=' is no part"),
        ("a & U", 5, "got 'U'"),
        ("<F a>b", 5, "a temporal formula in a path"),
        ("<a;>b", 4, "got '>'"),
        ("[a>b", 3, "expected ']'"),
        ("(" * 100 + "a", 61, "within each other"),
        ("<(a;b*>c", 7, "expected ')'"),
    ],
)
def test_errors_name_the_column(text, column, message):
    with pytest.raises(FormulaError) as caught:
        parse_formula(text)
    assert f"column {column}:" in str(caught.value)
    assert message in str(caught.value)


@pytest.mark.parametrize("text", [None, 3, ("a",), "a & " * 2000])
def test_what_is_no_formula_is_refused(text):
    with pytest.raises(FormulaError, match="A formula"):
        parse_formula(text)


def test_nested_paths_are_read_in_reasonable_time():
    text = "a"
    for _ in range(14):
        text = f"<(({text})?; (b;c)*)>tt"
    assert propositions(parse_formula(text)) == {"a", "b", "c"}


words = st.sampled_from(
    [*"abXFGUR!&|()<>[];+*?", "->", "<->", "WX", "end", "tt", '"', "é", "3", " "]
)


@given(text=st.lists(words, max_size=12).map(" ".join))
def test_any_text_is_read_or_refused(text):
    with contextlib.suppress(FormulaError):
        assert propositions(parse_formula(text)) <= {"a", "b", "é", *re.findall('"(.*?)"', text)}
