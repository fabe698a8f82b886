"""Ways to write a process down, and what is said when one is wrong."""

import numpy as np
import pytest
from hypothesis import given

import nonmarkov as nm
from nonmarkov.core.beliefs import joint_outcomes
from nonmarkov.errors import (
    AlphabetError,
    EndlessProcessError,
    InvalidParameterError,
    InvalidProcessError,
    TooManyBeliefsError,
)
from nonmarkov.testing import check_process
from nonmarkov.testing.strategies import processes

from ..reference.exact import all_histories

STAY = [(1.0, "o", 0.0, "s")]


def make(outcomes, **options):
    options = {"stop": 0.1} | options
    return nm.RegularProcess.from_outcomes("s", ["a", "b"], lambda s, a: outcomes, **options)


class TestOutcomes:
    def test_states_are_found_from_the_start(self, weather):
        assert weather.states == ("dry", "wet")
        assert weather.actions == ("fast", "slow")
        assert weather.observations == ("arrived", "skidded")
        assert weather.rewards == (0.0, 1.0, 3.0)
        assert (weather.stop, weather.horizon) == (1 / 11, 10)

    def test_equal_outcomes_are_added_up(self):
        process = make([(0.5, "o", 0.0, "s"), (0.5, "o", 0.0, "s")])
        assert process.tables.probability.max() == 1.0

    def test_impossible_outcomes_are_ignored(self):
        process = make([(1.0, "o", 0.0, "s"), (0.0, "never", 9.0, "nowhere")])
        assert process.n_states == 1
        assert process.observations == ("o",)

    def test_dust_of_rounding_is_swept_away(self):
        process = make([(0.7, "o", 0.0, "s"), (0.3, "p", 0.0, "s"), (1 - 0.7 - 0.3, "q", 0, "t")])
        assert process.states == ("s",)
        process = make([(0.9, "o", 0.0, "s"), (0.1, "p", 0.0, "s"), (1 - 0.9 - 0.1, "q", 0, "t")])
        assert process.states == ("s",)

    def test_the_horizon_follows_from_random_stopping(self):
        assert make(STAY, stop=1 / 16).horizon == 15
        assert make(STAY, stop=0.9).horizon == 1

    @pytest.mark.parametrize(
        ("outcomes", "message"),
        [
            ([(0.5, "o", 0.0, "s")], r"state 's', action 'a': probabilities sum to 0\.5, not to 1"),
            ([(1.5, "o", 0.0, "s"), (-0.5, "p", 0.0, "s")], "state 's', action 'a'.*negative"),
            ([(0.5, "o", 0.0, "s"), (0.5, "o", 0.0, "t")], "state 's', action 'a'.*from_pomdp"),
            ([(1.0, "o", 0.0)], "expected .probability, observation, reward, next_state."),
            ([5], "expected .probability, observation, reward, next_state."),
            ([], "sum to 0, not to 1"),
        ],
    )
    def test_bad_outcomes_are_refused(self, outcomes, message):
        # Without any outcome there would be no observation to speak of.
        with pytest.raises(InvalidProcessError, match=message):
            make(outcomes, observations=["o", "p"], rewards=[0.0])

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"stop": 1.0}, "stop must be 0, or a probability from 1e-09 to below 1"),
            ({"stop": -0.1}, "stop must be 0, or a probability"),
            ({"stop": 1e-17}, "stop must be 0, or a probability"),
            ({"stop": 1e-8}, "horizon must be at most 1000000"),
            ({"stop": 0.0}, "horizon is missing"),
            ({"stop": float("nan")}, "stop must be a finite number"),
            ({"horizon": 0}, "horizon must be at least 1, got 0"),
            ({"horizon": 2.5}, "horizon must be an integer"),
        ],
    )
    def test_bad_stopping_is_refused(self, options, message):
        with pytest.raises(InvalidParameterError, match=message):
            make(STAY, **options)

    def test_infinitely_many_states_are_refused(self):
        with pytest.raises(InvalidProcessError, match="More than 100 states are reachable"):
            nm.RegularProcess.from_outcomes(
                0, ["a"], lambda s, a: [(1.0, "o", 0.0, s + 1)], stop=0.1, limit=100
            )

    def test_nothing_is_no_list_of_outcomes(self):
        with pytest.raises(InvalidProcessError, match="state 's', action 'a': expected a list of"):
            make(None)

    @pytest.mark.parametrize("observations", [None, ["o"]])
    def test_an_episode_cannot_begin_with_its_end(self, observations):
        with pytest.raises(InvalidProcessError, match="start must be a hidden state, got None"):
            nm.RegularProcess.from_outcomes(
                None, ["a"], lambda s, a: STAY, stop=0.1, observations=observations, rewards=[0.0]
            )

    def test_outcomes_must_be_a_function_and_actions_a_list(self):
        with pytest.raises(InvalidParameterError, match="outcomes must be a function, got 5"):
            nm.RegularProcess.from_outcomes("s", ["a"], 5, stop=0.1)
        with pytest.raises(InvalidParameterError, match="actions must be a list of labels, got 5"):
            nm.RegularProcess.from_outcomes("s", 5, lambda s, a: STAY, stop=0.1)

    def test_hidden_states_are_labels(self):
        with pytest.raises(AlphabetError, match="Turn it into a tuple first"):
            make([(1.0, "o", 0.0, ["s"])])

    @pytest.mark.parametrize("reward", [1e300, -1e300, 1.1e100])
    def test_rewards_beyond_all_sums_are_refused(self, reward):
        with pytest.raises(InvalidParameterError, match="'s', action 'a': a reward must lie betw"):
            make([(1.0, "o", reward, "s")])
        with pytest.raises(InvalidParameterError, match="a reward must lie between"):
            nm.RegularProcess.from_mdp([[[1.0]]], [[reward]], stop=0.1)

    @pytest.mark.filterwarnings("error")
    def test_the_largest_rewards_overflow_nowhere(self):
        process = make([(0.5, "o", 1e100, "s"), (0.5, "o", -1e100, "s")], stop=1e-6)
        played = process.play(20, evaluation=True)
        assert np.isfinite([process.optimal_value, played.mean, played.error]).all()

    def test_a_nan_probability_is_refused(self):
        with pytest.raises(InvalidParameterError, match="a probability must be a finite number"):
            make([(float("nan"), "o", 0.0, "s")])

    def test_an_alphabet_that_does_not_fit_names_the_place(self):
        with pytest.raises(AlphabetError, match="state 's', action 'a': observation 'o'"):
            make(STAY, observations=["x"])

    def test_an_endless_process_names_the_state(self):
        with pytest.raises(EndlessProcessError, match="From state 's' some policy avoids"):
            make(STAY, stop=0.0, horizon=5)

    def test_one_endless_policy_is_enough(self):
        def outcomes(state, action):
            return [(1.0, "o", 0.0, state if action == "wait" else None)]

        with pytest.raises(EndlessProcessError, match="'s'"):
            nm.RegularProcess.from_outcomes("s", ["go", "wait"], outcomes, horizon=5)


class TestFunctions:
    def test_tau_and_theta_make_the_same_process(self, weather):
        def theta(state, action):
            if action == "slow":
                return {("arrived", 1.0): 1.0}
            good = 0.7 if state == "dry" else 0.1
            return {("arrived", 3.0): good, ("skidded", 0.0): 1 - good}

        def tau(state, action, observation, reward):
            if action == "slow":
                return "dry"
            return "wet" if observation == "skidded" else state

        process = nm.RegularProcess.from_functions(
            "dry", ["fast", "slow"], tau, theta, stop=1 / 11, horizon=10
        )
        assert nm.distinguish(process, weather) is None
        assert process.states == weather.states

    def test_tau_and_theta_must_be_functions(self):
        with pytest.raises(InvalidParameterError, match="tau must be a function, got 5"):
            nm.RegularProcess.from_functions("s", ["a"], 5, lambda s, a: {}, stop=0.1)
        with pytest.raises(InvalidParameterError, match="theta must be a function, got None"):
            nm.RegularProcess.from_functions("s", ["a"], lambda s, a, o, r: s, None, stop=0.1)

    def test_theta_must_be_a_mapping(self):
        with pytest.raises(InvalidProcessError, match="theta must return a mapping"):
            nm.RegularProcess.from_functions("s", ["a"], lambda *_: "s", lambda *_: [1], stop=0.1)


class TestTables:
    @given(processes())
    def test_tables_give_the_process_back(self, process):
        alphabet, tables = process.alphabet, process.tables
        shape = (*tables.termination.shape, alphabet.n_outcomes)
        probability, successor = np.zeros(shape), np.zeros(shape, dtype=int)
        state, action, entry = np.nonzero(tables.outcome >= 0)
        place = (state, action, tables.outcome[state, action, entry])
        probability[place] = tables.probability[state, action, entry]
        successor[place] = tables.successor[state, action, entry]
        dense = (*shape[:2], len(process.observations), len(process.rewards))
        again = nm.RegularProcess.from_tables(
            probability.reshape(dense),
            successor.reshape(dense),
            actions=process.actions,
            observations=process.observations,
            rewards=process.rewards,
            states=process.states,
            start=tables.start,
            stop=process.stop,
            horizon=process.horizon,
        )
        assert again == process

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"probability": [[[[0.9]]]]}, "state 0, action 'a': probabilities sum to 0.9"),
            ({"successor": [[[[7]]]]}, "state 0, action 'a': a successor is no state below 1"),
            ({"probability": [[[0.9]]]}, "must have shape"),
            ({"probability": [[[["x"]]]]}, "probability must hold float64"),
            ({"successor": [[[[0.5]]]]}, "successor must hold int64, got float64"),
            ({"actions": ["a", "b"]}, r"must have shape \(Q, 2, 1, 1\)"),
            ({"termination": [0.5]}, r"termination must have shape \(1, 1\)"),
            ({"states": ["p", "q"]}, "states must name all 1 states"),
            ({"start": 4}, "start must be a state below 1"),
        ],
    )
    def test_bad_tables_are_refused(self, change, message):
        tables = {
            "probability": [[[[1.0]]]],
            "successor": [[[[0]]]],
            "actions": ["a"],
            "observations": ["o"],
            "rewards": [1.0],
            "stop": 0.1,
        } | change
        with pytest.raises((InvalidProcessError, InvalidParameterError), match=message):
            nm.RegularProcess.from_tables(**tables)

    def test_rows_may_miss_one_by_rounding(self):
        process = nm.RegularProcess.from_tables(
            [[[[1.0 + 5e-10]]]], [[[[0]]]], actions="a", observations="o", rewards=[1.0], stop=1e-6
        )
        assert process.optimal_value == pytest.approx((1 - 1e-6) / 1e-6, rel=1e-9)

    def test_states_out_of_reach_must_end_as_well(self):
        with pytest.raises(EndlessProcessError, match="From state 1"):
            nm.RegularProcess.from_tables(
                np.ones((2, 1, 1, 1)) * [[[[0.0]]], [[[1.0]]]],
                np.ones((2, 1, 1, 1), dtype=int),
                actions="a",
                observations="o",
                rewards=[1.0],
                termination=[[1.0], [0.0]],
                horizon=3,
            )


class TestMdp:
    def test_an_mdp_abstracts_histories_to_the_last_observation(self):
        rng = np.random.default_rng(0)
        transition = rng.dirichlet(np.ones(4), size=(4, 2))
        process = nm.RegularProcess.from_mdp(transition, rng.integers(3, size=(4, 2)), stop=0.1)
        check_process(process)
        for _, symbol, successor in process.automaton.edges.tolist():
            assert process.alphabet.symbol(symbol)[1] == process.states[successor]

    def test_its_value_is_the_discounted_one(self):
        """Two states, swap or stay, reward 1 for staying in the second: a textbook sum."""
        transition = np.array([[[1, 0], [0, 1]], [[0, 1], [1, 0]]], dtype=float)
        reward = np.array([[0, 0], [1, 0]], dtype=float)
        process = nm.RegularProcess.from_mdp(transition, reward, stop=0.1)
        # 0.9 for the swap, then 1 for ever with 0.9: 0.9 * (0.9 / 0.1).
        assert process.optimal_value == pytest.approx(0.9 * 9.0)

    def test_rewards_may_depend_on_the_next_state(self):
        transition = np.full((2, 1, 2), 0.5)
        reward = np.array([[[0.0, 1.0]], [[0.0, 1.0]]])
        process = nm.RegularProcess.from_mdp(transition, reward, stop=0.5)
        assert process.optimal_value == pytest.approx(0.5)

    def test_bad_shapes_are_refused(self):
        with pytest.raises(InvalidProcessError, match=r"transition must have shape \(S, A, S\)"):
            nm.RegularProcess.from_mdp(np.ones((2, 1, 3)), np.ones((2, 1)), stop=0.1)
        with pytest.raises(InvalidProcessError, match="has 1 actions, but actions names 2"):
            nm.RegularProcess.from_mdp(
                np.ones((1, 1, 1)), np.ones((1, 1)), actions=["a", "b"], stop=0.1
            )
        with pytest.raises(InvalidProcessError, match="reward must have shape"):
            nm.RegularProcess.from_mdp(np.ones((1, 1, 1)), np.ones((3, 1)), stop=0.1)


def tiger(noise):
    """Cassandra's tiger, reset by opening a door; listening is right with 1 - noise."""

    def outcomes(side, action):
        if action == "listen":
            other = "right" if side == "left" else "left"
            return [(1 - noise, side, -1.0, side), (noise, other, -1.0, side)]
        reward = -100.0 if action == side else 10.0
        return [(0.5, "reset", reward, "left"), (0.5, "reset", reward, "right")]

    return outcomes


def rows_of(process, state, action):
    """The outcomes of a process in a state, as a user would write them."""
    a, tables = process.alphabet.action_index(action), process.tables
    for entry in np.flatnonzero(tables.outcome[state, a] >= 0):
        observation, reward = process.alphabet.outcome(int(tables.outcome[state, a, entry]))
        chance = float(tables.probability[state, a, entry])
        yield chance, observation, reward, int(tables.successor[state, a, entry])


def chance_from(process, state, past):
    """The probability of the outcomes of `past`, for its actions, from a state."""
    chance = 1.0
    for action, *seen in past:
        found = [row for row in rows_of(process, state, action) if list(row[1:3]) == seen]
        if not found:
            return 0.0
        chance, state = chance * found[0][0] * (1 - process.stop), found[0][3]
    return chance


class TestPomdp:
    start = {"left": 0.5, "right": 0.5}  # noqa: RUF012
    actions = ("listen", "left", "right")

    def test_finitely_many_beliefs_make_a_process(self):
        process = nm.RegularProcess.from_pomdp(self.start, self.actions, tiger(0.0), stop=0.1)
        assert process.n_states == 3
        check_process(process)
        # Listen once, then open the other door: (9/10)(-1) + (9/10)^2 10 per round of two.
        round_value = 0.9 * -1 + 0.81 * 10
        assert process.optimal_value == pytest.approx(round_value / (1 - 0.81))

    def test_infinitely_many_beliefs_are_refused(self):
        """With noise, every balance of left and right is another belief."""
        with pytest.raises(TooManyBeliefsError, match=r"More than 50 beliefs .* infinitely many"):
            nm.RegularProcess.from_pomdp(self.start, self.actions, tiger(0.15), stop=0.1, limit=50)

    def test_an_endless_approach_is_noticed_before_numbers_run_out(self):
        with pytest.raises(TooManyBeliefsError, match="infinitely many"):
            nm.RegularProcess.from_pomdp(self.start, self.actions, tiger(0.15), stop=0.1)

    def test_certainty_is_approached_and_never_reached(self):
        """A hundred consistent noises leave a doubt that a hundred others bring back."""
        with pytest.raises(TooManyBeliefsError):
            nm.RegularProcess.from_pomdp(
                self.start, self.actions, tiger(0.15), stop=0.1, limit=300, tolerance=1e-3
            )

    def test_the_tolerance_lets_converging_beliefs_arrive(self):
        """A coin that is turned unseen: beliefs halve their distance to the limit every time."""

        def outcomes(coin, _):
            return [(0.75, "turned", 0.0, coin), (0.25, "turned", 0.0, 1 - coin)]

        sizes = [
            nm.RegularProcess.from_pomdp(0, ["turn"], outcomes, stop=0.1, tolerance=t).n_states
            for t in (1e-3, 1e-6, 1e-9)
        ]
        # The n-th step moves by 2^-n, relatively; it is the first below the tolerance that counts.
        assert sizes == [10, 20, 30]

    @pytest.mark.parametrize("tolerance", [0.0, 1e-15, 1.0])
    def test_a_tolerance_out_of_range_is_refused(self, tolerance):
        with pytest.raises(InvalidParameterError, match="tolerance must lie in"):
            nm.RegularProcess.from_pomdp(
                self.start, self.actions, tiger(0.0), stop=0.1, tolerance=tolerance
            )

    def test_hidden_endings_are_beliefs_too(self):
        """One look may be the last, and nobody can tell: termination has probability 1/2."""

        def outcomes(_, action):
            return [(0.5, "look", 1.0, "on"), (0.5, "look", 1.0, None)]

        process = nm.RegularProcess.from_pomdp("on", ["go"], outcomes, horizon=10)
        assert process.optimal_value == pytest.approx(2.0)
        assert nm.histories.dynamics(process, [("go", "look", 1.0)], "go")[nm.END] == 0.5
        check_process(process)

    def test_what_is_given_is_checked(self):
        for start in (None, {None: 1.0}):
            with pytest.raises(InvalidProcessError, match="start must be a hidden state, got None"):
                nm.RegularProcess.from_pomdp(start, ["a"], lambda x, a: STAY, stop=0.1)
        with pytest.raises(InvalidParameterError, match="outcomes must be a function, got 5"):
            nm.RegularProcess.from_pomdp("x", ["a"], 5, stop=0.1)
        with pytest.raises(InvalidParameterError, match="observation must be a function, got 5"):
            joint_outcomes(lambda x, a: {}, 5, lambda x, a, o: {})

    def test_probabilities_are_checked(self):
        with pytest.raises(InvalidProcessError, match=r"hidden state 'x', action 'a'.*sum to 0\.5"):
            nm.RegularProcess.from_pomdp("x", ["a"], lambda x, a: [(0.5, "o", 0, "x")], stop=0.1)
        with pytest.raises(InvalidProcessError, match="first belief must sum to 1"):
            nm.RegularProcess.from_pomdp({"x": 0.5}, ["a"], lambda x, a: [], stop=0.1)

    @given(processes(max_states=4))
    def test_a_process_with_a_hidden_start_follows_bayes(self, process):
        """What is seen is as likely as from each possible start, on average."""
        try:
            hidden = nm.RegularProcess.from_pomdp(
                dict.fromkeys(range(process.n_states), 1 / process.n_states),
                process.actions,
                lambda state, action: rows_of(process, state, action),
                stop=process.stop,
                horizon=5,
                limit=200,
            )
        except TooManyBeliefsError:
            return
        for past in all_histories(hidden, 2):
            probability = 1.0
            for i, (action, *outcome) in enumerate(past):
                answers = nm.histories.dynamics(hidden, past[:i], action)
                probability *= answers[tuple(outcome)]
            starts = [chance_from(process, state, past) for state in range(process.n_states)]
            assert probability == pytest.approx(np.mean(starts), rel=1e-6)

    def test_the_three_functions_of_the_paper_are_joined(self):
        outcomes = joint_outcomes(
            transition=lambda x, a: {0: 0.25, 1: 0.75},
            observation=lambda x, a: {"o": 0.5, "p": 0.5},
            reward=lambda x, a, o: {1.0: 1.0} if o == "o" else {0.0: 1.0},
        )
        assert sorted(outcomes(0, "a")) == [
            (0.125, "o", 1.0, 0),
            (0.125, "p", 0.0, 0),
            (0.375, "o", 1.0, 1),
            (0.375, "p", 0.0, 1),
        ]
