"""Reading .pomdp files: every form of the format, and errors that name line and column."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nonmarkov as nm
from nonmarkov.errors import FileFormatError, TooManyBeliefsError
from nonmarkov.formats.pomdp_reading import parse_pomdp

TIGER = """
# The tiger problem
discount: 0.75
values: reward
states: tiger-left tiger-right
actions: listen open-left open-right
observations: hear-left hear-right
start: uniform

T: listen identity   # nothing moves
T: open-left
uniform
T: open-right uniform

O: listen
0.85 0.15
0.15 0.85
O: open-left uniform
O: open-right : * uniform

R: listen : * : * : * -1
R: open-left : tiger-left : * : * -100
R: open-left : tiger-right : * : * 10
R: open-right : 0 : * : * 10
R: open-right : 1 : * : * -100
"""

SMALL = """
discount: 0.9
values: reward
states: 3
actions: 2
observations: 2
"""
ROWS = "T: * identity\nO: * uniform\n"


def small(text, rows=ROWS):
    return parse_pomdp(SMALL + text + rows)


def test_the_tiger_is_read():
    tiger = parse_pomdp(TIGER)
    assert tiger.discount == 0.75
    assert tiger.states == ("tiger-left", "tiger-right")
    assert tiger.transition[0].tolist() == [[1, 0], [0, 1]]
    assert tiger.transition[1:].tolist() == [[[0.5, 0.5]] * 2] * 2
    assert tiger.observation[0].tolist() == [[0.85, 0.15], [0.15, 0.85]]
    assert tiger.rewards.matrix(0, 1).tolist() == [[-1.0] * 2] * 2
    assert [tiger.rewards.matrix(1, s)[0, 0] for s in (0, 1)] == [-100.0, 10.0]
    assert [tiger.rewards.matrix(2, s)[1, 1] for s in (0, 1)] == [10.0, -100.0]
    assert tiger.start.tolist() == [0.5, 0.5]


def test_the_tiger_without_enough_beliefs_says_so():
    with pytest.raises(TooManyBeliefsError, match="More than 50 beliefs"):
        parse_pomdp(TIGER).to_process(limit=50)


def test_values_are_those_of_a_solver_of_discounted_mdps():
    """Where the state is seen, the optimal value is `discount` times the discounted one."""
    text = """
    discount: 0.8  values: cost
    states: low high  actions: wait pump  observations: see-low see-high
    start: low
    T: wait : low 0.9 0.1
    T: wait : high : high 1
    T: pump : * : low 1.0
    O: * : low : see-low 1
    O: * : high : see-high 1.0
    R: wait : low : * : * 1
    R: wait : high : * : * 5
    R: pump : * : * : * 2
    """
    model = parse_pomdp(text)
    value, cost = np.zeros(2), np.array([[1, 5], [2, 2]])
    for _ in range(2000):
        value = (-cost + 0.8 * model.transition @ value).max(axis=0)
    process = model.to_process()
    assert process.stop == pytest.approx(0.2)
    assert process.optimal_value == pytest.approx(0.8 * value[0])


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("start: 0.2 0.3 0.5", [0.2, 0.3, 0.5]),
        ("start: 1", [0, 1, 0]),
        ("start: uniform", [1 / 3, 1 / 3, 1 / 3]),
        ("start include: 0 2", [0.5, 0, 0.5]),
        ("start exclude: 0", [0, 0.5, 0.5]),
        ("start: 0.333333 0.333333 0.333334", [0.333333, 0.333333, 0.333334]),
        ("", [1 / 3, 1 / 3, 1 / 3]),
    ],
)
def test_all_forms_of_start(text, start):
    assert small(text + "\n").start == pytest.approx(start)


def test_names_of_states_can_start_and_be_keywords():
    text = SMALL.replace("states: 3", "states: a start T")
    model = parse_pomdp(text + "start: T\n" + ROWS)
    assert model.states == ("a", "start", "T")
    assert model.start.tolist() == [0, 0, 1]
    assert parse_pomdp(text + "start include: T start\n" + ROWS).start.tolist() == [0, 0.5, 0.5]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("T: 0 : 1 : 2 0.5\nT: 0 : 1 : 1 0.5", [0, 0.5, 0.5]),
        ("T: 0 : 1\n0.1 0.2\n0.7", [0.1, 0.2, 0.7]),
        ("T: 0 : 1 uniform", [1 / 3, 1 / 3, 1 / 3]),
        ("T: 0\n1 0 0  0.5 0 0.5  0 0 1", [0.5, 0, 0.5]),
        ("T: 0 uniform", [1 / 3, 1 / 3, 1 / 3]),
        ("T: 0 identity", [0, 1, 0]),
        ("T: * : 1 reset", [0.25, 0.75, 0]),
        ("T: * : * : * 0\nT:*:*:0 1.0", [1, 0, 0]),
        ("T: 0 : 1 : 1 0\nT: 0 : 1 : 0 1e0", [1, 0, 0]),
        ("T: 0 : 1 0.333333 0.333333 0.333333", [1 / 3, 1 / 3, 1 / 3]),
    ],
)
def test_all_forms_of_transitions(text, expected):
    model = parse_pomdp(f"{SMALL}start: 0.25 0.75 0\n{ROWS}{text}\n")
    assert model.transition[0, 1] == pytest.approx(expected)
    assert model.transition[1].sum(axis=1) == pytest.approx([1, 1, 1])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("O: 1 : 2 : 0 1\nO: 1 : 2 : 1 0.0", [1, 0]),
        ("O: 1 : 2 0.2 0.8", [0.2, 0.8]),
        ("O: 1 : 2 uniform", [0.5, 0.5]),
        ("O: 1\n1 0\n1 0\n0.3 0.7", [0.3, 0.7]),
        ("O: * : * 0 1", [0, 1]),
    ],
)
def test_all_forms_of_observations(text, expected):
    assert small("", ROWS + text).observation[1, 2] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("R: 1 : 0 : 2 : 1 -3.5", [[0, 0], [0, 0], [0, -3.5]]),
        ("R: 1 : 0 : 2 4 +5", [[0, 0], [0, 0], [4, 5]]),
        ("R: 1 : 0\n1 2\n3 4\n5 6", [[1, 2], [3, 4], [5, 6]]),
        ("R: * : * : * : * 1\nR: 1 : 0 : 1 : * .5", [[1, 1], [0.5, 0.5], [1, 1]]),
    ],
)
def test_all_forms_of_rewards(text, expected):
    assert small("", ROWS + text).rewards.matrix(1, 0).tolist() == expected


def test_costs_are_negative_rewards():
    for word in ("cost", "costs"):
        text = SMALL.replace("reward", word) + ROWS + "R: * : * : * : * 2"
        assert parse_pomdp(text).rewards.matrix(0, 0)[0, 0] == -2.0


def test_sinks_end_the_episode():
    model = small("start: 0\n", ROWS + "T: * : 0 : 0 0\nT: * : 0 : 2 1\nR: * : 0 : 2 : * 7\n")
    assert model.to_process().states == (0, None)
    assert model.to_process(stop=0.0, horizon=3).optimal_value == pytest.approx(7.0)
    assert model.to_process(sinks_end=False).states == (0, 2)
    assert model.to_process().optimal_value == pytest.approx(0.9 * 7.0)
    assert small("start: 2\n").to_process().states == (2,)  # an episode has to begin somewhere


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("T: * identity\nO: * uniform\nT: 0 : 1 0.5 0.4 0", (9, 1), "sums to 0.9, not to 1"),
        (
            "T: 0 identity\nO: * uniform",
            (8, 13),
            "action 1 and state 0 sums to 0, not to 1; no line",
        ),
        ("T: * identity\nO: * uniform\nO: * : 1 0.5 0.6", (9, 1), "end state 1 sums to 1.1"),
        ("T: 0 : 7 uniform", (7, 8), "'7' is none of the states, which are 0, 1, 2"),
        ("T: up identity", (7, 4), "'up' is none of the actions"),
        ("T: 0 : 1 0.5 0.5", (7, 10), "needs 3 numbers, got 2 and then the end of the file"),
        ("T: 0 1 0 0 0 1 0 0 0", (7, 6), "needs 3 x 3 numbers, got 8"),
        ("T: 0 : 1 : 1 1.5", (7, 14), "a probability from 0 to 1, got 1.5"),
        ("T: 0 : 1 : 1 -0.5", (7, 14), "a probability from 0 to 1, got -0.5"),
        ("T: 0 : 1 : 1 x", (7, 14), "needs 1 number, got 0 and then 'x'"),
        ("T 0 identity", (7, 3), "expected ':', got '0'"),
        ("R: 0 1 1", (7, 1), "R must name actions and states"),
        ("R: 0 : 1 : 1 : 0 uniform", (7, 18), "needs 1 number"),
        ("start: 0.5 0.4 0\n", (7, 1), "start probabilities sum to 0.9"),
        ("start: 0.5 0.5\n", (7, 8), "start needs 3 numbers, got 2"),
        ("start: nowhere\n", (7, 8), "'nowhere' is none of the states"),
        ("start include:\nT: * identity", (8, 1), "at least one state"),
        ("start exclude: 0 1 2\n", (7, 1), "leaves no state over"),
        ("start: 1\nstart: 2", (8, 1), "start is given twice"),
        ("states: 2", (7, 1), "states is given twice"),
        ("T: * identity\nstart: 0", (8, 1), "start must come before the first T"),
        ("foo: 3", (7, 1), "expected discount, values"),
        ("T: * identity\nfoo", (8, 1), "expected T, O or R, got 'foo'"),
        ("T: 0 : 0 : 0 1e999", (7, 14), "expected a number"),
    ],
)
def test_errors_name_line_and_column(text, place, message):
    with pytest.raises(FileFormatError) as caught:
        parse_pomdp(SMALL + text, "my.pomdp")
    assert str(caught.value).startswith(f"my.pomdp, line {place[0]}, column {place[1]}: ")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("states: 3", "", "states is missing"),
        ("states: 3", "states: 0", "must be from 1 to"),
        ("states: 3", "states: 99999999999999999999", "must be from 1 to"),
        ("states: 3", "states: 9000", "at most 30,000,000 are read"),
        ("states: 3", "states: a b a", "the name 'a' twice"),
        ("states: 3", "states:", "expected how many states there are"),
        ("observations: 2", "", "observations is missing"),
        ("discount: 0.9", "discount: 1.2", "a probability from 0 to 1, got 1.2"),
        ("discount: 0.9", "discount: high", "expected a number, got 'high'"),
        ("values: reward", "values: money", "values must be reward or cost"),
    ],
)
def test_mistakes_in_the_preamble_are_named(old, new, message):
    with pytest.raises(FileFormatError, match=r"line .*column") as caught:
        parse_pomdp(SMALL.replace(old, new) + ROWS)
    assert message in str(caught.value)


def test_files_are_read_and_must_be_text(tmp_path):
    (tmp_path / "tiger.pomdp").write_text(TIGER)
    assert nm.read_pomdp(tmp_path / "tiger.pomdp").states == ("tiger-left", "tiger-right")
    (tmp_path / "noise.pomdp").write_bytes(b"discount: 0.9 \xff\xfe")
    with pytest.raises(FileFormatError, match="no text in UTF-8: byte 14"):
        nm.read_pomdp(tmp_path / "noise.pomdp")
    with pytest.raises(FileNotFoundError):
        nm.read_pomdp(tmp_path / "none.pomdp")


@given(data=st.data())
def test_any_text_is_read_or_refused_with_a_place(data):
    """Words of a good file, dropped, doubled, swapped and replaced."""
    words = re.findall(r"\S+|\n", TIGER)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(words) - 1))
        other = data.draw(
            st.sampled_from([*set(words), "", "1e400", "-", "é", "99", "reset", "R:"])
        )
        words[at : at + data.draw(st.integers(0, 2))] = [other]
    error = refusal(" ".join(words))
    assert error is None or re.search(r"line \d+, column \d+: ", str(error))


def refusal(text):
    try:
        parse_pomdp(text)
    except FileFormatError as error:
        return error
    return None
