"""RMax against exact values, slow twins, and small worlds worked out by hand."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nonmarkov as nm
from nonmarkov.agents import E3, RMax
from nonmarkov.agents.model import FINE, enough_sweeps, greedy_rows
from nonmarkov.core import UNDEFINED
from nonmarkov.core.alphabet import Alphabet
from nonmarkov.errors import InvalidParameterError
from nonmarkov.kernels.bellman import sweep_values
from nonmarkov.testing import random_process
from nonmarkov.testing.strategies import processes, seeds

from ..reference import bellman as reference
from ..reference.bellman import everything_about, experience

BOTH = pytest.mark.parametrize("kind", [RMax, E3])
ARMS = Alphabet(("left", "middle", "right"), ("o",), (0.0, 1.0, 3.0))


def agent(kind=RMax, m=10, v_max=8.0, epsilon=0.1, delta=0.1, p=0.2):
    return kind(m, v_max, epsilon, delta, p)


def over(state, action, count):
    """Steps that were answered by termination."""
    return (state, (action, nm.END, 0.0), count, UNDEFINED)


def once(*pay):
    """One state whose actions pay and end, each seen ten times; None for nine times."""
    steps = []
    for action, reward in zip(ARMS.actions, pay, strict=True):
        # The state behind ends whatever one does.
        steps += [(0, (action, "o", reward or 0.0), 9 if reward is None else 10, 1)]
        steps += [over(1, action, 10)]
    return experience(ARMS, 2, steps)


def with_ends(alphabet, n_states, steps, p, start=0):
    """Experience with steps and as many terminations as stopping with p makes, or a few more."""
    seen = experience(alphabet, n_states, steps).visits
    missing = np.ceil(seen * p / (1.0 - p)).astype(int)
    steps = [*steps, *(over(q, alphabet.actions[a], missing[q, a]) for q, a in np.argwhere(seen))]
    return experience(alphabet, n_states, steps, start)


@st.composite
def records(draw):
    """Experience that is in parts too thin, ends at a frontier, and starts anywhere or nowhere.

    Steps end with 0.2 or more and pay 2 or less: nothing is worth more than 8.
    """
    rng = np.random.default_rng(draw(seeds))
    alphabet = Alphabet(tuple(range(draw(st.integers(1, 3)))), ("o", "u"), (0.0, 1.0, 2.0))
    n_states = draw(st.integers(1, 4))
    steps = []
    for state in range(n_states):
        for symbol in rng.permutation(alphabet.n_symbols)[: rng.integers(alphabet.n_symbols)]:
            label = alphabet.symbol(int(symbol))
            if label[1] is not nm.END:
                target = int(rng.integers(-1, n_states))
                steps.append((state, label, int(rng.integers(1, 9)), target))
    return with_ends(alphabet, n_states, steps, 0.2, int(rng.integers(-1, n_states)))


# --- values ---------------------------------------------------------------------------------------


@BOTH
@given(record=records(), beyond=st.sampled_from([0.0, 8.0]))
def test_values_equal_those_of_the_twin(kind, record, beyond):
    tested = agent(kind, epsilon=1e-4)
    worth = tested.solve(record, beyond)
    values, pairs = reference.values(record, 10, beyond)
    np.testing.assert_allclose(worth.values, values, atol=1e-6)
    np.testing.assert_allclose(worth.pairs, pairs, atol=1e-6)


@pytest.mark.parametrize(
    ("name", "k"),
    [("rotating_mab", 3), ("reset_rotating_mab", 4), ("malfunction_mab", 3), ("cheat_mab", 3)],
)
def test_once_everything_is_known_values_are_those_of_the_process(name, k):
    """All probabilities are multiples of 1/110, so the counts are exact."""
    process = nm.domain(name, k=k)
    record = everything_about(process, 110)
    assert (record.visits == 110).all()
    tested = agent(m=110, v_max=1100.0, epsilon=0.2, p=process.stop)
    for beyond in (1100.0, 0.0):
        for _ in range(3):
            worth = tested.solve(record, beyond)
        np.testing.assert_allclose(worth.values, process.solution.values, rtol=0, atol=0.2 / 100)
    assert process.is_epsilon_optimal(policy_of(process, tested.exploit(record)), 0.0)
    assert process.is_epsilon_optimal(policy_of(process, tested.plan(record).policy), 0.0)


def policy_of(process, rows):
    return nm.Policy(process.automaton, rows)


@settings(max_examples=20)
@given(processes())
def test_once_everything_is_known_the_policy_is_optimal(process):
    """Also where rewards are negative: nothing unknown is left that could look better."""
    record = everything_about(process, 10**12)
    tested = agent(m=10**11, v_max=9.0 / process.stop, epsilon=0.01, p=process.stop)
    for policy in (tested.plan(record).policy, tested.exploit(record)):
        assert process.is_epsilon_optimal(policy_of(process, policy), 0.01)


def test_with_rewards_up_to_one_the_first_values_are_accurate_enough():
    process = nm.domain("rotating_mab", k=3, reward=1.0)
    record = everything_about(process, 110)
    for beyond in (11.0, 0.0):
        tested = agent(m=110, v_max=11.0, epsilon=0.1, p=1 / 11)
        np.testing.assert_allclose(tested.solve(record, beyond).values, 9.0, rtol=0, atol=0.1 / 8)


@pytest.mark.parametrize("epsilon", [0.2, 2.0, 100.0])
def test_with_large_rewards_the_first_values_are_accurate_enough(epsilon):
    process = nm.domain("rotating_mab", k=3)
    record = everything_about(process, 110)
    for beyond in (1100.0, 0.0):
        tested = agent(m=110, v_max=1100.0, epsilon=epsilon, p=1 / 11)
        values = tested.solve(record, beyond).values
        np.testing.assert_allclose(values, 900.0, rtol=0, atol=epsilon / 8)


@pytest.mark.parametrize(
    ("epsilon", "p", "sweeps"),
    [(0.2, 1 / 11, 67), (0.1, 0.5, 11), (1.0, 0.2, 19), (16.0, 0.5, 0), (1000.0, 0.5, 0)],
)
def test_sweeps_are_as_many_as_the_theory_asks_for_and_one(epsilon, p, sweeps):
    assert sweeps == max(0, math.ceil(math.log(8 / (epsilon * p)) / p))
    assert enough_sweeps(epsilon, p) == sweeps + 1


def test_sweeps_are_made_until_the_values_are_fine():
    """From the guess 0 the k-th sweep adds 2 / 2^k; a thousandth of 0.1 * 0.1 is small enough."""
    alphabet = Alphabet(("a",), ("o",), (2.0,))
    record = experience(alphabet, 1, [(0, ("a", "o", 2.0), 5, 0), over(0, "a", 5)])
    tested = agent(epsilon=0.1, p=0.1)
    assert 2 / 2**18 <= FINE * 0.1 * 0.1 < 2 / 2**17
    first = tested.solve(record, 0.0).values
    assert first.tolist() == [2.0 - 2 / 2**18]
    # From there, there is nothing left to do but to see that.
    assert tested.solve(record, 0.0, first).values.tolist() == [2.0 - 2 / 2**19]


# --- the unknown ----------------------------------------------------------------------------------


@BOTH
def test_pairs_are_known_from_m_visits_on(kind):
    known = agent(kind, m=10).known(once(1.0, None, 0.0))
    assert known.tolist() == [[True, False, True], [True, True, True]]


def test_unknown_pairs_are_worth_the_most_in_training_and_nothing_after():
    record, tested = once(1.0, None, 0.0), agent(v_max=8.0)
    assert tested.solve(record, 8.0).pairs[0].tolist() == [1.0, 8.0, 0.0]
    assert tested.solve(record, 0.0).pairs[0].tolist() == [1.0, 0.0, 0.0]
    assert tested.plan(record).policy[0].tolist() == [0.0, 1.0, 0.0]
    assert tested.exploit(record)[0].tolist() == [1.0, 0.0, 0.0]


def test_outside_is_worth_the_most_in_training_and_nothing_after():
    """Left leads outside half of the time and ends otherwise; middle pays and ends."""
    steps = [
        (0, ("left", "o", 0.0), 5, UNDEFINED),
        over(0, "left", 5),
        (0, ("middle", "o", 1.0), 10, 1),
        over(0, "right", 10),
        *(over(1, action, 10) for action in ARMS.actions),
    ]
    record, tested = experience(ARMS, 2, steps), agent(v_max=8.0)
    assert tested.solve(record, 8.0).pairs[0].tolist() == [4.0, 1.0, 0.0]
    assert tested.solve(record, 0.0).pairs[0].tolist() == [0.0, 1.0, 0.0]
    assert tested.plan(record).policy[0].tolist() == [1.0, 0.0, 0.0]
    assert tested.exploit(record)[0].tolist() == [0.0, 1.0, 0.0]


def test_the_unknown_attracts_from_afar():
    """Two steps to the left something is unknown; to the right there is a small reward."""
    steps = []
    for state in (0, 1):
        steps += [(state, ("left", "o", 0.0), 8, state + 1), over(state, "left", 2)]
        steps += [(state, ("right", "o", 3.0), 8, 3), over(state, "right", 2)]
        steps += [over(state, "middle", 10)]
    steps += [over(3, action, 10) for action in ARMS.actions]
    record, tested = experience(ARMS, 4, steps), agent(v_max=8.0)
    worth = tested.solve(record, 8.0)
    assert worth.values == pytest.approx([0.64 * 8.0, 0.8 * 8.0, 8.0, 0.0])
    assert tested.plan(record).policy[:2].tolist() == [[1.0, 0.0, 0.0]] * 2
    assert tested.exploit(record)[:2].tolist() == [[0.0, 0.0, 1.0]] * 2


@BOTH
def test_an_abstraction_without_states_has_an_empty_plan(kind):
    plan = agent(kind, m="pac").plan(experience(ARMS, 0, [], UNDEFINED))
    assert plan.policy.shape == plan.goals.shape == (0, 3)
    assert agent(kind).exploit(experience(ARMS, 0, [], UNDEFINED)).shape == (0, 3)


# --- ties -----------------------------------------------------------------------------------------


def test_ties_are_broken_at_random():
    assert agent().plan(once(None, None, None)).policy[0] == pytest.approx([1 / 3] * 3)
    assert agent().plan(once(None, 1.0, None)).policy[0].tolist() == [0.5, 0.0, 0.5]
    assert agent().exploit(once(1.0, 0.0, 1.0))[0].tolist() == [0.5, 0.0, 0.5]


def test_what_value_iteration_cannot_tell_apart_is_a_tie():
    assert agent(epsilon=0.5).tie == pytest.approx(0.001)
    for pay, row in ((0.9991, [0.5, 0.5, 0.0]), (0.9989, [0.0, 1.0, 0.0])):
        alphabet = Alphabet(ARMS.actions, ("o",), (0.0, pay, 1.0))
        steps = [(0, ("left", "o", pay), 10, 1), (0, ("middle", "o", 1.0), 10, 1)]
        steps += [over(0, "right", 10), *(over(1, action, 10) for action in ARMS.actions)]
        record = experience(alphabet, 2, steps)
        assert agent(epsilon=0.5).exploit(record)[0].tolist() == row
        assert agent(epsilon=0.5).plan(record).policy[0].tolist() == row


def test_rows_are_shared_among_the_best():
    rows = greedy_rows(np.array([[1.0, 3.0, 3.0], [0.0, -1.0, -2.0], [5.0, 5.0, 5.0]]), 0.5)
    np.testing.assert_allclose(rows, [[0, 0.5, 0.5], [1, 0, 0], [1 / 3, 1 / 3, 1 / 3]])


# --- goals ----------------------------------------------------------------------------------------


@BOTH
@given(record=records(), m=st.integers(1, 30))
def test_goals_are_m(kind, record, m):
    goals = agent(kind, m=m).plan(record).goals
    assert goals.dtype == np.int64
    assert goals.tolist() == np.full(record.visits.shape, m).tolist()


@BOTH
def test_the_goals_of_the_theory_worked_out_by_hand(kind):
    """V_max = 2, epsilon = 1/2, p = 1/4, S = 2, A = 3, delta = 0.1: 256 (2 + ln 60)."""
    tested = agent(kind, m="pac", v_max=2.0, epsilon=0.5, delta=0.1, p=0.25)
    assert tested.threshold(once(1.0, None, None)) == 1561
    assert (tested.goals(once(1.0, None, None)) == 1561).all()


@given(
    n_states=st.integers(1, 200),
    v_max=st.sampled_from([1.0, 11.0, 1100.0]),
    epsilon=st.sampled_from([0.01, 0.2, 3.0]),
    delta=st.sampled_from([0.001, 0.3]),
    p=st.sampled_from([1 / 101, 1 / 11, 0.5]),
)
def test_the_goals_of_the_theory(n_states, v_max, epsilon, delta, p):
    tested = agent(m="pac", v_max=v_max, epsilon=epsilon, delta=delta, p=p)
    exact = v_max**2 * (n_states + math.log(n_states * 3 / delta)) / (epsilon**2 * p**2)
    goal = tested.threshold(experience(ARMS, n_states, []))
    assert exact - 1e-9 * exact <= goal < exact + 1 + 1e-9 * exact


def test_a_larger_abstraction_asks_for_more_visits():
    """So pairs may become unknown again."""
    tested = agent(m="pac", v_max=1.0, epsilon=1.0, p=0.5)
    small, large = (
        experience(ARMS, n, [over(0, action, 30) for action in ARMS.actions]) for n in (1, 20)
    )
    assert tested.threshold(small) == 18
    assert tested.known(small)[0].all()
    assert not tested.known(large).any()


# --- warm starts ----------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("seed", range(20))
def test_a_warm_start_gives_the_policy_of_a_fresh_agent(kind, seed):
    """One agent sees more and more, another is made anew each time."""
    rng = np.random.default_rng(seed)
    process = random_process(rng, n_states=4, n_actions=3, stop=0.2)
    veteran, complete = agent(kind, v_max=5.0, epsilon=1e-3), everything_about(process, 1000)
    for share in (0.005, 0.01, 0.02, 0.5):
        record = thinned(complete, share, 0.2, rng)
        fresh = agent(kind, v_max=5.0, epsilon=1e-3)
        np.testing.assert_array_equal(veteran.plan(record).policy, fresh.plan(record).policy)
        np.testing.assert_array_equal(veteran.exploit(record), fresh.exploit(record))


def thinned(record, share, p, rng):
    """Only a random part of the steps, ended as often as they should be."""
    counts = rng.binomial(record.count, share)
    labels = [record.alphabet.symbol(int(symbol)) for symbol in record.symbol]
    steps = [
        step
        for step in zip(record.state, labels, counts, record.successor, strict=True)
        if step[2] > 0 and step[1][1] is not nm.END
    ]
    return with_ends(record.alphabet, record.n_states, steps, p, record.start)


def test_what_has_been_thrown_away_leaves_no_trace():
    """A loop paid, all statistics were reset, now it pays no more: as good as the unknown."""
    alphabet = Alphabet(("loop", "other"), ("o",), (0.0, 1.0))
    paid, unpaid = (
        experience(alphabet, 1, [(0, ("loop", "o", pay), 8, 0), over(0, "loop", 2)])
        for pay in (1.0, 0.0)
    )
    tested = agent(v_max=5.0, epsilon=1e-3, p=0.2)
    assert tested.exploit(paid).tolist() == [[1.0, 0.0]]
    assert tested.exploit(unpaid).tolist() == [[0.5, 0.5]]


def test_an_abstraction_that_has_grown_is_solved_from_the_start():
    small, tested = once(1.0, None, 0.0), agent()
    tested.plan(small)
    large = experience(ARMS, 3, [over(q, action, 10) for q in range(3) for action in ARMS.actions])
    assert tested.solve(large, 8.0).values.tolist() == [0.0] * 3
    assert tested.solve(small, 8.0).values.tolist() == [8.0, 0.0]


def test_what_has_been_answered_is_not_changed_by_the_next_question():
    tested = agent()
    first = tested.solve(once(3.0, 1.0, 0.0), 0.0)
    tested.solve(once(0.0, 1.0, 0.0), 0.0)
    assert first.values.tolist() == [3.0, 0.0]
    assert first.pairs[0].tolist() == [3.0, 1.0, 0.0]


def test_solving_does_not_change_the_experience():
    record = once(1.0, None, 3.0)
    columns = [record.visits, record.state, record.symbol, record.count, record.successor]
    before = [column.copy() for column in columns]
    agent().plan(record)
    agent(E3).plan(record)
    for column, copy in zip(columns, before, strict=True):
        np.testing.assert_array_equal(column, copy)


# --- bad input ------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize(
    ("name", "value", "complaint"),
    [
        ("m", 0, "m must be at least 1, got 0"),
        ("m", -3, "m must be at least 1, got -3"),
        ("m", 1.5, "m must be an integer, got 1.5"),
        ("m", True, "m must be an integer, got True"),
        ("m", "PAC", "m must be an integer, got 'PAC'"),
        ("v_max", 0.0, "v_max must be positive, at least 1e-09, got 0.0"),
        ("v_max", -1.0, "v_max must be positive, at least 1e-09, got -1.0"),
        ("v_max", math.inf, "v_max must be a finite number, got inf"),
        ("epsilon", 0.0, "epsilon must be positive, at least 1e-09, got 0.0"),
        ("epsilon", -0.1, "epsilon must be positive, at least 1e-09, got -0.1"),
        ("epsilon", "small", "epsilon must be a finite number, got 'small'"),
        ("delta", 0.0, r"delta must lie in \(0, 1\), got 0.0"),
        ("delta", 1.0, r"delta must lie in \(0, 1\), got 1.0"),
        ("p", 0.0, r"p must lie in \(0, 1\), got 0.0"),
        ("p", 1.0, r"p must lie in \(0, 1\), got 1.0"),
        ("p", math.nan, "p must be a finite number, got nan"),
    ],
)
def test_bad_parameters_are_refused(kind, name, value, complaint):
    with pytest.raises(InvalidParameterError, match=f"^{complaint}"):
        agent(kind, **{name: value})


def test_a_v_max_without_a_point_is_no_reason_to_compile_again():
    record = once(1.0, None, 0.0)
    agent(v_max=7.0).plan(record)
    signatures = list(sweep_values.signatures)
    agent(v_max=7).plan(record)
    assert sweep_values.signatures == signatures
