"""Derivatives decide what the definitions of LTLf and LDLf say."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nonmarkov.logic.formulas import negate
from nonmarkov.logic.parsing import parse_formula
from nonmarkov.logic.progression import advance, begin, holds
from tests.reference.temporal import satisfies

NAMES = ("a", "b")

propositional = st.recursive(
    st.sampled_from(["a", "b", "true", "false"]),
    lambda inner: st.one_of(
        inner.map(lambda f: f"!({f})"),
        st.tuples(inner, st.sampled_from("&|"), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
    ),
    max_leaves=3,
)


def paths(inner):
    base = st.one_of(propositional.map(lambda f: f"({f})"), inner.map(lambda f: f"(({f})?)"))
    return st.recursive(
        base,
        lambda path: st.one_of(
            path.map(lambda p: f"({p})*"),
            st.tuples(path, st.sampled_from(["+", ";"]), path).map(
                lambda t: f"({t[0]} {t[1]} {t[2]})"
            ),
        ),
        max_leaves=4,
    )


def temporal(inner):
    return st.one_of(
        st.tuples(st.sampled_from(["!", "X", "WX", "F", "G"]), inner).map(
            lambda t: f"{t[0]}({t[1]})"
        ),
        st.tuples(inner, st.sampled_from(["&", "|", "->", "<->", "U", "R"]), inner).map(
            lambda t: f"(({t[0]}) {t[1]} ({t[2]}))"
        ),
        st.tuples(paths(inner), inner).map(lambda t: f"<{t[0]}>({t[1]})"),
        st.tuples(paths(inner), inner).map(lambda t: f"[{t[0]}]({t[1]})"),
    )


texts = st.recursive(st.sampled_from(["a", "b", "end", "last", "tt"]), temporal, max_leaves=5)
traces = st.lists(st.frozensets(st.sampled_from(NAMES)), max_size=5)


def read(formula, trace):
    normal = begin(formula)
    for step in trace:
        normal = advance(normal, step)
    return holds(normal)


@given(text=texts, trace=traces)
def test_derivatives_decide_the_semantics(text, trace):
    formula = parse_formula(text)
    assert read(formula, trace) == satisfies(formula, trace)


@given(text=texts, trace=traces)
def test_a_formula_or_its_negation_holds(text, trace):
    formula = parse_formula(text)
    assert read(negate(formula), trace) != read(formula, trace)
    assert satisfies(negate(formula), trace) != satisfies(formula, trace)


@pytest.mark.parametrize(
    ("text", "good", "bad"),
    [
        ("a", [{"a"}, set()], []),
        ("!a", [], [{"a"}]),
        ("X b", [set(), {"b"}], [{"b"}]),
        ("WX b", [set()], [set(), set()]),
        ("F a", [set(), {"a"}], [set(), set()]),
        ("G a", [], [{"a"}, set()]),
        ("a U b", [{"a"}, {"b"}], [{"a"}, {"a"}]),
        ("b R a", [{"a"}, {"a", "b"}, set()], [{"a"}, set()]),
        ("F(last & a)", [set(), {"a"}], [{"a"}, set()]),
        ("<true; true>end", [set(), set()], [set()]),
        ("<(!a*; a; !a*; a)*; !a*>end", [{"a"}, set(), {"a"}], [{"a"}]),
        ("[true*](<a>tt | end)", [{"a"}, {"a"}], [{"a"}, set()]),
        ("<((<b>tt)?; true)*; a>tt", [{"b"}, {"a"}], [set(), {"a"}]),
        ("a -> X b", [set()], [{"a"}]),
    ],
)
def test_examples(text, good, bad):
    formula = parse_formula(text)
    assert read(formula, [frozenset(step) for step in good])
    assert not read(formula, [frozenset(step) for step in bad])


@pytest.mark.parametrize(
    ("text", "states"),
    [
        ("F a & F b & F c & F d", 16),
        ("G((a -> X b) & (b -> WX(c | d)) & (e -> F f))", None),
        ("<true*; a; a; a; b; true*>end", None),
    ],
)
def test_automata_are_small(text, states):
    formula = parse_formula(text)
    steps = [frozenset({name}) for name in "abcdef"]
    found = [begin(formula)]
    for normal in found:
        for step in steps:
            if (after := advance(normal, step)) not in found:
                found.append(after)
    assert len(found) == states if states else len(found) < 40
