"""E3 in worlds small enough to see what it should do; what it shares with RMax is tested there."""

import pytest

import nonmarkov as nm
from nonmarkov.agents import E3
from nonmarkov.core import UNDEFINED
from nonmarkov.core.alphabet import Alphabet

from ..reference.bellman import everything_about, experience

ALPHABET = Alphabet(("stay", "leave", "end"), ("o",), (0.0, 1.0))


def agent(v_max=10.0, epsilon=2.0, p=0.1):
    """Explores from an escape probability of 0.1 on, unless told otherwise."""
    return E3(100, v_max, epsilon, 0.1, p)


def over(state, action, count=100):
    return (state, (action, nm.END, 0.0), count, UNDEFINED)


def paid_stay(state):
    """To stay pays 1 and is survived with 0.9."""
    return [(state, ("stay", "o", 1.0), 90, state), over(state, "stay", 10)]


def ended(state):
    return [over(state, action) for action in ALPHABET.actions]


def crossroads(out, target=UNDEFINED):
    """One can stay and be paid, or leave with some percent, or end."""
    leave = [(0, ("leave", "o", 0.0), out, target), over(0, "leave", 100 - out)]
    return [*paid_stay(0), *leave, over(0, "end")]


STAY, LEAVE = [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]


# --- wandering ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("counts", "row"),
    [
        ((0, 0, 0), [1 / 3] * 3),
        ((99, 50, 0), [1 / 3] * 3),
        ((100, 50, 0), [0.0, 0.5, 0.5]),
        ((0, 100, 99), [0.5, 0.0, 0.5]),
        ((100, 99, 100), [0.0, 1.0, 0.0]),
    ],
)
def test_in_unknown_states_unknown_actions_are_taken_equally_often(counts, row):
    """The known ones may pay as they like."""
    steps = [
        (0, (action, "o", 1.0), count, 0)
        for action, count in zip(ALPHABET.actions, counts, strict=True)
    ]
    assert agent().plan(experience(ALPHABET, 1, steps)).policy[0] == pytest.approx(row)


def test_to_be_evaluated_it_does_not_wander():
    record = experience(ALPHABET, 1, paid_stay(0))
    assert agent().plan(record).policy[0].tolist() == [0.0, 0.5, 0.5]
    assert agent().exploit(record)[0].tolist() == STAY


# --- exploring or exploiting ----------------------------------------------------------------------


@pytest.mark.parametrize(("out", "row"), [(100, LEAVE), (11, LEAVE), (10, LEAVE), (9, STAY)])
def test_it_explores_if_the_frontier_can_be_reached_and_else_exploits(out, row):
    """The probability that decides is epsilon / (2 V_max) = 0.1."""
    assert agent().plan(experience(ALPHABET, 1, crossroads(out))).policy[0].tolist() == row


@pytest.mark.parametrize(("out", "row"), [(11, LEAVE), (9, STAY)])
def test_a_state_with_an_unknown_action_is_a_place_to_explore(out, row):
    """All but the last action of state 1 are known, and none leads on."""
    steps = [*crossroads(out, target=1), over(1, "stay"), over(1, "leave"), over(1, "end", 99)]
    policy = agent().plan(experience(ALPHABET, 2, steps)).policy
    assert policy[0].tolist() == row
    assert policy[1].tolist() == [0.0, 0.0, 1.0]


def test_known_states_are_no_place_to_explore():
    steps = [*crossroads(100, target=1), *ended(1)]
    assert agent().plan(experience(ALPHABET, 2, steps)).policy[0].tolist() == STAY


@pytest.mark.parametrize(
    ("v_max", "epsilon", "row"), [(10.0, 5.0, LEAVE), (9.0, 5.0, STAY), (10.0, 5.5, STAY)]
)
def test_the_decision_depends_on_accuracy_and_highest_value(v_max, epsilon, row):
    """One leaves with 0.26, to be compared with 0.25, 0.278 and 0.275."""
    record = experience(ALPHABET, 1, crossroads(26))
    assert agent(v_max, epsilon).plan(record).policy[0].tolist() == row


@pytest.mark.parametrize(("epsilon", "row"), [(11.9, LEAVE), (12.1, STAY)])
def test_one_may_try_again_and_again(epsilon, row):
    """Out with 0.3, back with 0.5: in the end one is out with 0.6."""
    leave = [
        (0, ("leave", "o", 0.0), 30, UNDEFINED),
        (0, ("leave", "o", 1.0), 50, 0),
        over(0, "leave", 20),
    ]
    record = experience(ALPHABET, 1, [*paid_stay(0), *leave, over(0, "end")])
    assert agent(epsilon=epsilon, p=0.2).plan(record).policy[0].tolist() == row


@pytest.mark.parametrize(("epsilon", "rows"), [(7.9, [LEAVE, LEAVE]), (8.1, [STAY, LEAVE])])
def test_the_frontier_may_be_some_steps_away(epsilon, rows):
    """From state 1 one gets out with 0.8, from state 0 with 0.5 * 0.8 = 0.4."""
    out = [(1, ("leave", "o", 0.0), 80, UNDEFINED), over(1, "leave", 20)]
    steps = [*crossroads(50, target=1), *paid_stay(1), *out, over(1, "end")]
    policy = agent(epsilon=epsilon, p=0.2).plan(experience(ALPHABET, 2, steps)).policy
    assert policy.tolist() == rows


def test_on_the_way_out_only_the_probability_counts():
    """The other way out is paid, and less certain."""
    steps = [
        (0, ("stay", "o", 1.0), 50, UNDEFINED),
        over(0, "stay", 50),
        (0, ("leave", "o", 0.0), 60, UNDEFINED),
        over(0, "leave", 40),
        over(0, "end"),
    ]
    assert agent().plan(experience(ALPHABET, 1, steps)).policy[0].tolist() == LEAVE


def test_equal_ways_out_are_taken_equally_often():
    steps = [
        *[(0, (action, "o", 0.0), 60, UNDEFINED) for action in ("stay", "leave")],
        *[over(0, action, 40) for action in ("stay", "leave")],
        over(0, "end"),
    ]
    assert agent().plan(experience(ALPHABET, 1, steps)).policy[0].tolist() == [0.5, 0.5, 0.0]


def test_once_everything_is_known_it_exploits():
    process = nm.domain("cheat_mab", k=3)
    tested = E3(110, 1100.0, 0.01, 0.1, 1 / 11)
    record = everything_about(process, 110)
    policy = tested.plan(record).policy
    assert process.is_epsilon_optimal(nm.Policy(process.automaton, policy), 0.0)
    assert policy.tolist() == tested.exploit(record).tolist()
