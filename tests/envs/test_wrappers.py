"""Discretize and MarkovWrapper are environments like any other."""

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.utils.env_checker import check_env

import nonmarkov as nm
from nonmarkov.envs.examples import TMaze
from nonmarkov.errors import InvalidParameterError


class Drift(gymnasium.Env):
    """A number between two bounds that goes up or down."""

    def __init__(self, low=-1.0, high=1.0, shape=(2,)):
        self.action_space = spaces.Discrete(2)
        self.observation_space = spaces.Box(low, high, shape, np.float64)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = np.zeros(self.observation_space.shape)
        return self.place.copy(), {}

    def step(self, action):
        self.place = np.clip(self.place + (0.2 if action else -0.2), -1.0, 1.0)
        return self.place.copy(), 0.0, bool((self.place >= 1.0).all()), False, {}


class TestDiscretize:
    def test_bins_of_equal_width_lie_between_the_bounds(self):
        env = nm.Discretize(Drift(), bins=(2, 4))
        assert env.observation_space == spaces.MultiDiscrete([2, 4])
        assert [edges.tolist() for edges in env.edges] == [[0.0], [-0.5, 0.0, 0.5]]
        assert env.observation(np.array([-1.0, -1.0])).tolist() == [0, 0]
        assert env.observation(np.array([0.0, 0.1])).tolist() == [1, 2]
        assert env.observation(np.array([9.0, 1.0])).tolist() == [1, 3]

    def test_one_coordinate_is_one_number(self):
        env = nm.Discretize(Drift(shape=(1,)), bins=3)
        assert env.observation_space == spaces.Discrete(3)
        assert env.observation(np.array([0.9])) == 2

    @pytest.mark.filterwarnings("ignore")
    @pytest.mark.parametrize("shape", [(), (1,), (3,), (2, 2)])
    def test_it_is_a_gymnasium_environment(self, shape):
        check_env(nm.Discretize(Drift(shape=shape), bins=3), skip_render_check=True)

    def test_bins_from_data_are_about_equally_full(self):
        env = nm.Discretize.from_data(gymnasium.make("CartPole-v1"), 4, steps=2000, seed=3)
        env.action_space.seed(0)
        seen = [env.reset(seed=0)[0]]
        for _ in range(2000):
            observation, _, terminated, truncated, _ = env.step(env.action_space.sample())
            seen.append(env.reset()[0] if terminated or truncated else observation)
        shares = np.array([np.bincount(column, minlength=4) / 2001 for column in np.array(seen).T])
        assert (np.abs(shares - 0.25) < 0.1).all()

    def test_the_same_seed_gives_the_same_bins(self):
        first, second = (
            nm.Discretize.from_data(gymnasium.make("CartPole-v1"), 3, steps=200, seed=1).edges
            for _ in range(2)
        )
        assert all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))

    def test_endless_bounds_need_data(self):
        with pytest.raises(InvalidParameterError, match=r"Coordinate 1 .*from_data"):
            nm.Discretize(gymnasium.make("CartPole-v1"))

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({"bins": 0}, "bins must be at least 1"),
            ({"bins": (2, 2, 2)}, "one for each of 2 coordinates, got 3"),
            ({"bins": 2.5}, "bins must be one number or a list"),
            ({"edges": [[0.0]]}, "edges must be one list for each of 2"),
            ({"edges": [[0.0], [1.0, 0.5]]}, r"edges\[1\] must be finite numbers in increasing"),
            ({"edges": [[0.0], [np.nan]]}, r"edges\[1\]"),
        ],
    )
    def test_wrong_bins_are_refused(self, arguments, message):
        with pytest.raises(InvalidParameterError, match=message):
            nm.Discretize(Drift(), **arguments)

    def test_what_is_discrete_is_refused(self):
        with pytest.raises(InvalidParameterError, match="is for observations in a Box"):
            nm.Discretize(TMaze())


def t_maze_abstraction():
    """Remember the sign; unknown beyond the junction of the right one."""
    alphabet = nm.Alphabet((0, 1, 2, "(reset)"), ("(ended)", 0, 1, 2, 3), (0.0, -0.25, 4.0, -1.0))
    steps = [(0, "(reset)", 0, 0.0, 1), (0, "(reset)", 1, 0.0, 2), (1, 0, 2, -0.25, 1)]
    return nm.MarkovAbstraction(nm.Automaton.from_steps(alphabet, 3, steps))


class TestMarkovWrapper:
    def test_the_observation_is_the_state_of_the_history(self):
        env = nm.MarkovWrapper(TMaze(), t_maze_abstraction())
        assert env.observation_space == spaces.Discrete(4)
        first = {env.reset(seed=seed)[0] for seed in range(20)}
        assert first == {1, 2}
        seed = next(seed for seed in range(20) if env.reset(seed=seed)[0] == 1)
        env.reset(seed=seed)
        assert env.step(0)[0] == 1
        assert env.step(1)[0] == env.unknown == 3
        assert env.step(0)[0] == env.unknown

    @pytest.mark.filterwarnings("ignore")
    def test_it_is_a_gymnasium_environment(self):
        check_env(nm.MarkovWrapper(TMaze(), t_maze_abstraction()), skip_render_check=True)

    def test_abstractions_of_a_process_serve_its_environment(self):
        env = gymnasium.make("nonmarkov/RotatingMab-v0", k=3)
        process = env.unwrapped.process
        wrapped = nm.MarkovWrapper(env, nm.MarkovAbstraction(process.automaton))
        for seed in range(5):
            state, info = wrapped.reset(seed=seed)
            for action in (0, 1, 2, 0):
                assert info["state"] == process.states[state]
                state, _, terminated, _, info = wrapped.step(action)
                if terminated:
                    break

    def test_abstractions_of_other_worlds_are_refused(self):
        other = nm.MarkovAbstraction(nm.domain("cheat_mab").automaton)
        with pytest.raises(InvalidParameterError, match="was not learned in this environment"):
            nm.MarkovWrapper(TMaze(), other)
        with pytest.raises(InvalidParameterError, match="must be a MarkovAbstraction"):
            nm.MarkovWrapper(TMaze(), "automaton.json")
