"""Processes from rules of temporal logic: the same as by hand, and clear about mistakes."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import nonmarkov as nm
from nonmarkov.errors import (
    AlphabetError,
    FormulaError,
    InvalidParameterError,
    InvalidProcessError,
)
from nonmarkov.logic.parsing import parse_formula
from tests.reference.temporal import satisfies

EVEN = "<(!win*; win; !win*; win)*; !win*>end"


def bandit(first, second):
    """Return what two arms do that win with the given chances."""
    return {
        arm: [(chance, "win", 100.0), (1 - chance, "lose", 0.0)]
        for arm, chance in (("left", first), ("right", second))
    }


def rotating():
    rules = [(EVEN, bandit(0.9, 0.2)), ("true", bandit(0.2, 0.9))]
    return nm.RegularProcess.from_formulas(["left", "right"], rules, stop=1 / 11)


def test_the_rotating_bandit_is_a_formula():
    process, known = rotating(), nm.domain("rotating_mab", k=2)
    assert process.minimal().n_states == known.n_states == 2
    assert process.optimal_value == pytest.approx(known.optimal_value)
    assert process.optimal_score == pytest.approx(known.optimal_score)


texts = st.sampled_from(
    ["F win", "G(left -> lose)", EVEN, "X X lose", "lose U win", "[right*]<left>tt", "WX WX win"]
)


@given(
    first=texts, second=texts, steps=st.lists(st.tuples(st.booleans(), st.booleans()), max_size=6)
)
def test_after_every_history_the_first_rule_that_holds_decides(first, second, steps):
    chances = [(0.9, 0.1), (0.5, 0.3), (0.2, 0.7)]
    rules = [(f, bandit(*c)) for f, c in zip([first, second, "true"], chances, strict=True)]
    process = nm.RegularProcess.from_formulas(["left", "right"], rules, stop=0.1)
    history = [
        ("left" if arm else "right", "win" if won else "lose", 100.0 if won else 0.0)
        for arm, won in steps
    ]
    trace = [{action, observation} for action, observation, _ in history]
    rule = next(i for i, (f, _) in enumerate(rules) if satisfies(parse_formula(f), trace))
    after = nm.histories.dynamics(process, history, "left")
    assert after["win", 100.0] == pytest.approx(0.9 * chances[rule][0])


def test_fluents_are_the_entries_of_a_tuple_and_outcomes_can_end_the_episode():
    walk = {"go": [(0.5, ("key", "door"), 0.0), (0.5, ("door",), 0.0)]}
    leave = {"go": [(1.0, (), 10.0, nm.END)]}
    process = nm.RegularProcess.from_formulas(
        ["go"], [("F(key & door)", leave), ("true", walk)], horizon=20, stop=0.01
    )
    history = [("go", ("door",), 0.0), ("go", ("key", "door"), 0.0)]
    assert set(nm.histories.dynamics(process, history, "go")) == {((), 10.0), nm.END}
    over = [*history, ("go", (), 10.0)]
    assert nm.histories.dynamics(process, over, "go") == {nm.END: 1.0}


def test_other_properties_can_be_given():
    rules = [("F rich", {0: [(1.0, 0, 0.0)]}), ("true", {0: [(0.5, 0, 5.0), (0.5, 0, 1.0)]})]
    process = nm.RegularProcess.from_formulas(
        [0], rules, stop=0.1, propositions=lambda a, o, r: ["rich"] if r > 2 else []
    )
    assert process.n_states == 2


def test_exclusive_rules_are_accepted():
    rules = [("F win", bandit(0.9, 0.2)), ("!F win", bandit(0.2, 0.9))]
    ordered = nm.RegularProcess.from_formulas(["left", "right"], rules, stop=0.1)
    checked = nm.RegularProcess.from_formulas(["left", "right"], rules, stop=0.1, exclusive=True)
    assert checked == ordered


@pytest.mark.parametrize(
    ("rules", "error", "message"),
    [
        ([("F win", bandit(1, 0))], InvalidProcessError, "No rule holds after the empty history"),
        ([("!F(win)", bandit(1, 0))], InvalidProcessError, "after the history [('left', 'win'"),
        ([("F wim", bandit(1, 0))], FormulaError, "Did you mean 'win'"),
        ([("F(win", bandit(1, 0))], FormulaError, "column 6"),
        ([("true", {"left": [(1.0, "win", 0.0)]})], InvalidProcessError, "'right'"),
        ([("true", bandit(1, 0) | {"up": []})], InvalidProcessError, "'up'"),
        ([("true",)], InvalidProcessError, "rules[0] must be (formula"),
        ([], InvalidProcessError, "rules must be a list"),
        ("true", InvalidProcessError, "rules must be a list"),
        ([("true", bandit(0.5, 0.5) | {"left": [(0.5, "win", 1)]})], InvalidProcessError, "to 0.5"),
        (
            [("true", bandit(1, 0) | {"left": [(1.0, "win")]})],
            InvalidProcessError,
            "expected (prob",
        ),
        (
            [("true", bandit(1, 0) | {"left": [(1.0, "left", 0.0)]})],
            InvalidProcessError,
            "'left' is the name of an action and of an observation",
        ),
    ],
)
def test_mistakes_are_named(rules, error, message):
    with pytest.raises(error, match=re.escape(message)):
        nm.RegularProcess.from_formulas(["left", "right"], rules, stop=0.1)


def test_overlapping_rules_are_named():
    rules = [("F win", bandit(0.9, 0.2)), ("true", bandit(0.2, 0.9))]
    with pytest.raises(InvalidProcessError, match="'F win' and 'true' both hold after the history"):
        nm.RegularProcess.from_formulas(["left", "right"], rules, stop=0.1, exclusive=True)


def test_too_many_states_are_refused():
    later = "F(win" + " & X(true" * 12 + " & lose" + ")" * 13
    rules = [(later, bandit(0.9, 0.2)), ("true", bandit(0.2, 0.9))]
    with pytest.raises(InvalidProcessError, match="More than 100 states"):
        nm.RegularProcess.from_formulas(["left", "right"], rules, stop=0.1, limit=100)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"propositions": 3}, "propositions must be a function, got 3"),
        ({"propositions": lambda a, o, r: "win"}, "must give a list of names, got 'win'"),
        ({"propositions": lambda a, o, r: 3}, "must give a list of names, got 3"),
        ({"exclusive": "yes"}, "exclusive must be True or False"),
    ],
)
def test_wrong_options_are_named(options, message):
    with pytest.raises(InvalidParameterError, match=re.escape(message)):
        nm.RegularProcess.from_formulas(
            ["left", "right"], [("true", bandit(1, 0))], stop=0.1, **options
        )


def test_observations_must_be_labels():
    rules = [("true", {"go": [(1.0, ["a", "list"], 0.0)]})]
    with pytest.raises(AlphabetError, match="Turn it into a tuple first"):
        nm.RegularProcess.from_formulas(["go"], rules, stop=0.1)
