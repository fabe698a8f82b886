"""What agents are given, what is asked of them, and what is said about the result."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nonmarkov as nm
from nonmarkov.agents import (
    AGENTS,
    E3,
    Bounds,
    Certificate,
    MarkovAgent,
    Plan,
    RMax,
    checked_plan,
    checked_policy,
)
from nonmarkov.core import UNDEFINED
from nonmarkov.core.alphabet import Alphabet
from nonmarkov.errors import InvalidParameterError, UnknownNameError

from ..reference.bellman import experience

ALPHABET = Alphabet(("push", "pull"), ("dark", "light", "fog"), (-1.0, 5.0))


def two_states():
    steps = [
        (1, ("pull", nm.END, 0.0), 2, UNDEFINED),
        (0, ("push", "light", 5.0), 3, 1),
        (0, ("pull", "fog", -1.0), 4, UNDEFINED),
        (0, ("push", "dark", -1.0), 1, 0),
    ]
    return experience(ALPHABET, 2, steps)


class TestExperience:
    def test_steps_are_read_by_their_symbols(self):
        record = two_states()
        assert (record.n_states, record.n_actions) == (2, 2)
        assert record.state.tolist() == [0, 0, 0, 1]
        assert record.action.tolist() == [0, 0, 1, 1]
        assert record.reward.tolist() == [-1.0, 5.0, -1.0, 0.0]
        assert record.terminated.tolist() == [False, False, False, True]

    @given(
        st.integers(1, 4),
        st.integers(1, 3),
        st.lists(st.floats(-9, 9), min_size=1, max_size=3, unique=True),
    )
    def test_all_symbols_are_read_as_the_alphabet_does(self, actions, observations, rewards):
        alphabet = Alphabet(tuple(range(actions)), tuple(range(observations)), tuple(rewards))
        symbols = [alphabet.symbol(index) for index in range(alphabet.n_symbols)]
        record = experience(alphabet, 1, [(0, symbol, 1, UNDEFINED) for symbol in symbols])
        assert record.action.tolist() == [action for action, _, _ in symbols]
        assert record.reward.tolist() == [reward for _, _, reward in symbols]
        assert record.terminated.tolist() == [o is nm.END for _, o, _ in symbols]

    def test_there_may_be_no_states_yet(self):
        record = experience(ALPHABET, 0, [], UNDEFINED)
        assert (record.n_states, record.n_actions) == (0, 2)
        assert record.action.size == record.reward.size == record.terminated.size == 0


GOOD = [[0.25, 0.75], [1.0, 0.0]]
GOALS = np.array([[3, 4], [5, 6]])


class TestPolicies:
    def test_a_good_policy_is_returned_as_an_array(self):
        rows = checked_policy("policy", GOOD, two_states())
        assert rows.dtype == np.float64
        assert rows.tolist() == GOOD

    def test_rounding_is_forgiven(self):
        checked_policy("policy", [[0.1] * 10, [1 / 10 + 5e-11] * 10], ten_actions())

    def test_more_than_rounding_is_not(self):
        with pytest.raises(InvalidParameterError, match="in state 1"):
            checked_policy("policy", [[0.1] * 10, [1 / 10 + 5e-10] * 10], ten_actions())

    @pytest.mark.parametrize(
        ("rows", "complaint"),
        [
            ([0.5, 0.5], r"exploit\(\) must have shape \(2, 2\), got \(2,\)"),
            (GOOD[:1], r"exploit\(\) must have shape \(2, 2\), got \(1, 2\)"),
            ([[1.0], [1.0]], r"exploit\(\) must have shape \(2, 2\), got \(2, 1\)"),
            (None, r"exploit\(\) must hold float64, got object"),
        ],
    )
    def test_the_shape_must_fit(self, rows, complaint):
        with pytest.raises(InvalidParameterError, match=complaint):
            checked_policy("exploit()", rows, two_states())

    @pytest.mark.parametrize(
        "row",
        [[0.5, 0.4], [0.6, 0.6], [0.0, 0.0], [1.5, -0.5], [math.nan, 1.0], [math.inf, 0.0]],
    )
    def test_every_row_must_be_a_distribution(self, row):
        """The first row that is none is named."""
        complaint = r"policy must be a distribution over the actions \('push', 'pull'\)"
        with pytest.raises(InvalidParameterError, match=complaint) as caught:
            checked_policy("policy", [GOOD[0], row], two_states())
        assert str(caught.value).endswith(f"got {row} in state 1.")

    @pytest.mark.parametrize("rows", [[["push"], ["pull"]], [[1.0], [0.5, 0.5]]])
    def test_what_is_no_table_of_numbers_is_refused(self, rows):
        with pytest.raises(InvalidParameterError, match="policy"):
            checked_policy("policy", rows, two_states())


def ten_actions():
    return experience(Alphabet(tuple(range(10)), ("o",), (0.0,)), 2, [])


class TestPlans:
    @pytest.mark.parametrize("dtype", [np.int64, np.int32, np.uint8])
    def test_a_good_plan_is_returned(self, dtype):
        plan = checked_plan(Plan(np.array(GOOD), GOALS.astype(dtype)), two_states())
        assert plan.policy.tolist() == GOOD
        assert plan.goals.tolist() == GOALS.tolist()
        assert plan.goals.dtype == np.int64

    @pytest.mark.parametrize("plan", [None, np.array(GOOD), (np.array(GOOD), GOALS)])
    def test_a_plan_must_be_one(self, plan):
        complaint = rf"^plan\(\) must return a Plan, got {type(plan).__name__}\.$"
        with pytest.raises(InvalidParameterError, match=complaint):
            checked_plan(plan, two_states())

    @pytest.mark.parametrize(
        ("goals", "complaint"),
        [
            (GOALS[0], r"have shape \(2, 2\), got \(2,\)"),
            (GOALS[:, :1], r"have shape \(2, 2\), got \(2, 1\)"),
            (GOALS.astype(float), "hold int64, got float64"),
            ([["many"]], "hold int64, got <U4"),
        ],
    )
    def test_goals_must_be_integers_of_the_right_shape(self, goals, complaint):
        with pytest.raises(InvalidParameterError, match=f"^goals must {complaint}"):
            checked_plan(Plan(np.array(GOOD), goals), two_states())

    def test_the_policy_of_a_plan_is_checked(self):
        with pytest.raises(InvalidParameterError, match=r"^policy must be a distribution"):
            checked_plan(Plan(np.array(GOOD) / 2, GOALS), two_states())
        with pytest.raises(InvalidParameterError, match=r"^policy must have shape"):
            checked_plan(Plan(np.array(GOOD).T[:1], GOALS), two_states())

    @pytest.mark.parametrize("kind", [RMax, E3])
    def test_the_plans_of_our_own_agents_are_good(self, kind):
        record = two_states()
        agent = kind(3, 10.0, 0.1, 0.1, 0.5)
        checked_plan(agent.plan(record), record)
        checked_policy("exploit()", agent.exploit(record), record)


class Lazy(MarkovAgent):
    def plan(self, experience):
        return Plan(self.exploit(experience), experience.visits + 1)

    def exploit(self, experience):
        return np.full(experience.visits.shape, 1.0 / experience.n_actions)


def test_an_agent_of_ones_own_needs_no_bounds():
    record = two_states()
    assert checked_plan(Lazy().plan(record), record).goals.tolist() == [[5, 5], [1, 3]]
    assert Lazy().bounds(record) == Bounds(math.inf, -math.inf)
    assert Lazy().bounds(record).gap == math.inf


@pytest.mark.parametrize("method", ["plan", "exploit"])
def test_an_agent_of_ones_own_needs_the_rest(method):
    half = type("Half", (MarkovAgent,), {method: getattr(Lazy, method)})
    with pytest.raises(TypeError, match="abstract"):
        half()


def test_the_gap_is_what_lies_between():
    assert Bounds(5.0, 3.5).gap == 1.5


def test_agents_are_found_by_name():
    assert dict(AGENTS) == {"rmax": RMax, "e3": E3}
    with pytest.raises(UnknownNameError, match="Markov agent"):
        AGENTS["rmx"]


class TestCertificate:
    def certificate(self, optimistic=3.0, pessimistic=2.96, epsilon=0.2):
        assumptions = ("the sun rises", "no history is worth more than V_max = 7")
        return Certificate(epsilon, 0.05, optimistic, pessimistic, 12_345, assumptions)

    @pytest.mark.parametrize(
        ("optimistic", "pessimistic", "passed"),
        [(3.0, 3.0, True), (3.24, 3.0, True), (3.25, 3.0, False), (4.0, 3.0, False)],
    )
    def test_it_is_passed_if_the_gap_is_below_a_quarter_of_epsilon(
        self, optimistic, pessimistic, passed
    ):
        certificate = self.certificate(optimistic, pessimistic, epsilon=1.0)
        assert certificate.gap == optimistic - pessimistic
        assert certificate.passed is passed

    def test_one_that_knows_nothing_does_not_pass(self):
        assert not self.certificate(math.inf, -math.inf).passed

    def test_it_says_what_it_found(self):
        text = " ".join(str(self.certificate()).split())
        assert text.startswith("Termination test passed after 12,345 episodes")
        for part in ("2.9600", "3.0000", "gap of 0.0400", "epsilon/4 = 0.05", "probability 0.95"):
            assert part in text

    def test_it_says_what_it_depends_on(self):
        _, assumptions = str(self.certificate()).split("provided that\n")
        assert assumptions == "  * the sun rises\n  * no history is worth more than V_max = 7"

    def test_it_says_if_it_is_not_passed(self):
        assert str(self.certificate(pessimistic=1.0)).startswith(
            "Termination test not passed after"
        )
