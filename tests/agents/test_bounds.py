"""What the start is worth at most and at least, for all that an agent knows."""

import pytest
from hypothesis import given

import nonmarkov as nm
from nonmarkov.agents import Bounds
from nonmarkov.core import UNDEFINED
from nonmarkov.core.alphabet import Alphabet

from ..reference import bellman as reference
from ..reference.bellman import everything_about, experience
from .test_rmax import ARMS, BOTH, agent, over, records


@BOTH
@given(record=records())
def test_the_optimistic_value_is_the_higher_one(kind, record):
    bounds = agent(kind, v_max=8.0, epsilon=1e-3).bounds(record)
    assert bounds.gap >= 0.0
    if record.start == UNDEFINED:
        assert bounds == Bounds(8.0, 0.0)
        return
    for value, beyond in ((bounds.optimistic, 8.0), (bounds.pessimistic, 0.0)):
        exact = reference.values(record, 10, beyond)[0][record.start]
        assert value == pytest.approx(exact, abs=0.002)


@BOTH
def test_before_the_start_is_safe_everything_is_possible(kind):
    record = experience(ARMS, 1, [over(0, action, 10) for action in ARMS.actions], UNDEFINED)
    assert agent(kind, v_max=8.0).bounds(record) == Bounds(8.0, 0.0)


@BOTH
def test_bounds_are_those_of_the_start(kind):
    steps = [over(1, action, 10) for action in ARMS.actions]
    assert agent(kind).bounds(experience(ARMS, 2, steps, 0)) == Bounds(8.0, 0.0)
    assert agent(kind).bounds(experience(ARMS, 2, steps, 1)) == Bounds(0.0, 0.0)


@BOTH
def test_once_everything_is_known_the_bounds_meet(kind):
    process = nm.domain("rotating_mab", k=3, reward=1.0)
    tested = agent(kind, m=110, v_max=11.0, epsilon=0.2, p=1 / 11)
    assert tested.bounds(everything_about(process, 109)).gap == 11.0
    bounds = tested.bounds(everything_about(process, 110))
    assert bounds.gap < 0.2 / 4
    assert bounds.optimistic == pytest.approx(9.0, abs=0.2 / 4)


def test_once_everything_is_known_the_bounds_of_large_rewards_meet():
    process = nm.domain("rotating_mab", k=3)
    tested = agent(m=110, v_max=1100.0, epsilon=0.2, p=1 / 11)
    assert tested.bounds(everything_about(process, 110)).gap < 0.2 / 4


@BOTH
def test_a_loop_that_never_ended_is_worth_no_more_than_the_most(kind):
    """With a small m it may happen; more planning must not turn the bounds around."""
    alphabet = Alphabet(("a",), ("o",), (1.0,))
    record = experience(alphabet, 1, [(0, ("a", "o", 1.0), 10, 0)])
    tested = agent(kind, v_max=5.0, p=0.2)
    for _ in range(5):
        tested.exploit(record)
    bounds = tested.bounds(record)
    assert bounds.pessimistic <= bounds.optimistic <= 5.0
