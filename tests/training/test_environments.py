"""Agents in environments: what they learn, and what they put up with."""

import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from hypothesis import given
from hypothesis import strategies as st

import nonmarkov as nm
from nonmarkov.core.alphabet import ENDED, RESET
from nonmarkov.envs.examples import TMaze
from nonmarkov.envs.playing import Chunk
from nonmarkov.envs.symbol_table import SymbolTable
from nonmarkov.errors import (
    EndlessEpisodesWarning,
    FaultyEnvironmentError,
    FileFormatError,
    InvalidParameterError,
    UnsuitableEnvironmentError,
)
from tests.envs.toys import Echo, Misbehaving, Talking, make_t_maze

from .kept_agents import assert_alike, contents

FEW = {"evaluation_episodes": 20}


@pytest.fixture(scope="module")
def t_maze():
    """An agent that has learned the T-maze."""
    agent = nm.Agent(TMaze(), seed=0, **FEW)
    agent.learn(200)
    return agent


def played(policy, env, episodes):
    """The mean sum of rewards, by the contract of policies."""
    rng, total = np.random.default_rng(0), 0.0
    for seed in range(episodes):
        observation, _ = env.reset(seed=seed)
        memory = policy.start(observation)
        for _ in range(100):
            action = policy.act(memory, rng)
            observation, reward, terminated, truncated, _ = env.step(action)
            total += reward
            if terminated or truncated:
                break
            memory = policy.update(memory, action, observation, reward)
    return total / episodes


class TestLearning:
    def test_what_was_seen_first_is_remembered(self, t_maze):
        """Three steps at -0.25 and 4 for turning as the sign said."""
        assert t_maze.score(200) == pytest.approx(3.25)
        assert played(t_maze.policy, TMaze(), 200) == pytest.approx(3.25)

    def test_results_are_those_of_processes(self, t_maze):
        assert t_maze.curve[-1].score == t_maze.curve[-1].sampled_score == pytest.approx(3.25)
        assert t_maze.episodes == 200
        assert t_maze.n_states == t_maze.abstraction.n_states >= 3
        assert t_maze.changes
        assert t_maze.merges
        assert t_maze.splits
        assert t_maze.experience.n_actions == 4
        assert "TMaze" in repr(t_maze)

    def test_the_certificate_says_what_it_depends_on(self, t_maze):
        found = t_maze.certificate()
        text = " ".join(str(found).split())
        assert "discounted by" in text
        assert "rewards lie between -1 and 4" in text
        assert found.pessimistic <= found.optimistic

    def test_certificates_come_near_what_is_true(self):
        """One state, two actions, four steps of which each pays 1 with the right action."""
        agent = nm.Agent(Misbehaving(), **FEW)
        agent.learn(2000)
        found = agent.certificate()
        # Of 5 steps of which each is the last with chance 1/5, and at most 4: 4/5 + ... + (4/5)^4.
        worth = sum(0.8**t for t in range(1, 5))
        assert found.pessimistic <= worth <= found.optimistic
        assert found.gap < 1.0

    def test_the_alphabet_is_what_was_seen(self, t_maze):
        alphabet = t_maze.abstraction.automaton.alphabet
        assert alphabet.actions == (0, 1, 2, RESET)
        assert set(alphabet.observations) == {ENDED, 0, 1, 2, 3}
        assert set(alphabet.rewards) == {0.0, -0.25, -1.0, 4.0}

    def test_nobody_chooses_a_reset(self, t_maze):
        policy = t_maze.policy
        assert (policy.table[:, -1] == 0.0).all()
        assert (policy.rows(np.array([-1]))[0] == [1 / 3, 1 / 3, 1 / 3, 0.0]).all()
        assert nm.Agent(TMaze()).policy.table[:, -1].tolist() == [0.0]

    @pytest.mark.parametrize(
        ("space", "shows"),
        [
            (spaces.Discrete(2, start=5), [5, 6]),
            (spaces.MultiDiscrete([2, 2]), [np.array([0, 1]), np.array([1, 0])]),
            (spaces.MultiBinary(2), [np.array([0, 1], np.int8), np.array([1, 0], np.int8)]),
            (spaces.Text(5), ["left", "right"]),
            (spaces.Tuple([spaces.Discrete(2), spaces.Text(3)]), [(0, "a"), (1, "a")]),
            (spaces.Dict({"x": spaces.Discrete(2)}), [{"x": 0}, {"x": 1}]),
        ],
        ids=lambda value: type(value).__name__,
    )
    def test_spaces_of_all_kinds(self, space, shows):
        env = Echo(space, shows)
        agent = nm.Agent(env, **FEW)
        agent.learn(150)
        assert played(agent.policy, env, 20) == 5.0

    def test_actions_of_several_parts(self):
        env = Echo(spaces.Discrete(2), [0, 1], spaces.MultiDiscrete([2, 2]))
        agent = nm.Agent(env, **FEW)
        agent.learn(300)
        assert played(agent.policy, env, 20) == 5.0

    def test_environments_by_id_and_by_function(self):
        for world in ("FrozenLake-v1", lambda: gymnasium.make("FrozenLake-v1")):
            assert nm.Agent(world, **FEW).learn(5).episodes == 5

    @pytest.mark.slow
    def test_negative_rewards_alone(self):
        """The cliff: 13 steps at -1."""
        agent = nm.Agent(gymnasium.make("CliffWalking-v1", max_episode_steps=200), **FEW)
        assert agent.learn(400).score == -13.0


class TestSeeds:
    def test_the_same_seed_gives_the_same_agent(self):
        one, other = (nm.Agent(TMaze(), seed=3, **FEW) for _ in range(2))
        for agent in (one, other):
            agent.learn(60)
        assert contents(one) == contents(other)
        assert contents(one) != contents(nm.Agent(TMaze(), seed=4, **FEW))

    @pytest.mark.slow
    def test_the_result_does_not_depend_on_the_number_of_workers(self):
        agents = [nm.Agent(make_t_maze, seed=1, **FEW) for _ in range(3)]
        for agent, workers in zip(agents, (1, 2, 3), strict=True):
            agent.learn(150, workers=workers)
        assert contents(agents[0]) == contents(agents[1]) == contents(agents[2])

    def test_workers_need_an_environment_that_can_be_made_again(self):
        agent = nm.Agent(TMaze(), **FEW)
        with pytest.raises(InvalidParameterError, match=r"workers: .* function at the top"):
            agent.learn(10, workers=2)
        with pytest.raises(InvalidParameterError, match="workers must be at least 1"):
            agent.learn(10, workers=0)
        with pytest.raises(InvalidParameterError, match="workers is for environments"):
            nm.Agent(nm.domain("rotating_mab")).learn(10, workers=2)


class TestFiles:
    def test_an_agent_goes_on_from_a_file_as_if_it_had_never_stopped(self, tmp_path):
        agent = nm.Agent(TMaze(), seed=2, **FEW)
        agent.learn(50)
        agent.save(tmp_path / "agent.nm")
        loaded = nm.Agent.load(tmp_path / "agent.nm", env=TMaze())
        assert contents(loaded) == contents(agent)
        for each in (agent, loaded):
            each.learn(50)
        assert contents(loaded) == contents(agent)
        assert loaded.policy == agent.policy
        agent.save(tmp_path / "agent.nm")
        again = nm.Agent.load(tmp_path / "agent.nm", env=TMaze())
        assert_alike(again._training.learner, agent._training.learner)

    def test_an_agent_that_has_seen_nothing_is_saved(self, tmp_path):
        nm.Agent(TMaze()).save(tmp_path / "agent.nm")
        assert nm.Agent.load(tmp_path / "agent.nm", env=TMaze()).episodes == 0

    def test_the_environment_is_not_in_the_file(self, t_maze, tmp_path):
        t_maze.save(tmp_path / "agent.nm")
        agent = nm.Agent.load(tmp_path / "agent.nm")
        assert agent.policy == t_maze.policy
        assert agent.certificate() == t_maze.certificate()
        assert contents(agent) == contents(t_maze)
        for use in (agent.score, lambda: agent.learn(10), lambda: agent.learn(10, workers=2)):
            with pytest.raises(InvalidParameterError, match=r"Agent\.load\(path, env=\.\.\.\)"):
                use()
        assert (agent.episodes, agent.policy) == (t_maze.episodes, t_maze.policy)

    def test_an_agent_lives_with_the_actions_it_learned_with(self, t_maze, tmp_path):
        t_maze.save(tmp_path / "agent.nm")
        with pytest.raises(FileFormatError, match="learned with the actions 0, 1, 2, but"):
            nm.Agent.load(tmp_path / "agent.nm", env="FrozenLake-v1")

    def test_an_agent_of_a_process_takes_no_environment(self, tmp_path):
        nm.Agent(nm.domain("rotating_mab")).save(tmp_path / "agent.nm")
        with pytest.raises(FileFormatError, match="lives in a process"):
            nm.Agent.load(tmp_path / "agent.nm", env=TMaze())


class TestFaults:
    @pytest.mark.parametrize(
        ("fault", "message"),
        [
            ("step", r"failed in step\(\d\): ValueError: the arm\. What"),
            ("reset", r"failed in reset: RuntimeError: no power"),
            ("nan", r"returned the reward nan; rewards must be finite"),
            ("text", r"failed in step\(\d\): ValueError: could not convert"),
            ("space", r"observation space changed from Discrete\(2\) to Discrete\(3\)"),
            ("stranger", r"7, does not belong to the observation space"),
        ],
    )
    def test_training_stops_and_what_was_learned_is_kept(self, fault, message, tmp_path):
        agent = nm.Agent(Misbehaving(fault, after=1000), evaluation_episodes=2)
        with pytest.raises((FaultyEnvironmentError, UnsuitableEnvironmentError), match=message):
            agent.learn(1000)
        assert 150 < agent.episodes < 250
        assert agent.policy.act(agent.policy.start(0)) == 1
        agent.save(tmp_path / "agent.nm")
        healed = nm.Agent.load(tmp_path / "agent.nm", env=Misbehaving())
        assert healed.episodes == agent.episodes
        assert healed.learn(50).score == 4.0

    def test_episodes_that_do_not_end_are_cut_off(self):
        agent = nm.Agent(Misbehaving("endless"), evaluation_episodes=2)
        with pytest.warns(
            EndlessEpisodesWarning, match=r"did not end within 1,000 steps.*max_steps"
        ):
            agent.learn(25)

    def test_where_to_cut_off_can_be_chosen(self):
        agent = nm.Agent(Misbehaving("endless"), max_steps=30, evaluation_episodes=2)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert agent.learn(100).score == 30.0
        with pytest.raises(InvalidParameterError, match="max_steps must be at least 1"):
            nm.Agent(TMaze(), max_steps=0)
        with pytest.raises(InvalidParameterError, match="max_steps is for environments"):
            nm.Agent(nm.domain("rotating_mab"), max_steps=5)

    def test_rewards_of_too_many_values_are_refused(self):
        agent = nm.Agent(Talking(rewards=True), **FEW)
        with pytest.raises(UnsuitableEnvironmentError, match=r"different rewards.*TransformReward"):
            agent.learn(100)
        assert agent.policy.start("hello") is not None

    def test_observations_that_never_return_are_refused(self):
        agent = nm.Agent(Talking(texts=True), evaluation_episodes=2)
        with pytest.raises(
            UnsuitableEnvironmentError, match=r"different observations in [\d,]+ st"
        ):
            agent.learn(2000)

    @pytest.mark.parametrize(
        ("world", "message"),
        [
            (lambda: gymnasium.make("CartPole-v1"), r"real numbers.*nm\.Discretize"),
            (lambda: gymnasium.make("Pendulum-v1"), r"actions must be Discrete"),
            (lambda: None, "env must be a gymnasium.Env"),
        ],
    )
    def test_unsuitable_environments_are_refused(self, world, message):
        with pytest.raises((UnsuitableEnvironmentError, InvalidParameterError), match=message):
            nm.Agent(world)

    @pytest.mark.parametrize("method", ["paper", "random-sampling", "rmax", "oracle"])
    def test_other_methods_need_a_process(self, method):
        with pytest.raises(InvalidParameterError, match='only method="apart" works'):
            nm.Agent(TMaze(), method)

    def test_there_is_no_process_to_look_at(self, t_maze):
        with pytest.raises(InvalidParameterError, match="no process is known"):
            t_maze.process  # noqa: B018


def chunk(steps):
    labels = list(dict.fromkeys(observation for _, observation, _ in steps))
    numbers = [labels.index(observation) for _, observation, _ in steps]
    actions, rewards = [a for a, _, _ in steps], [r for _, _, r in steps]
    return Chunk(labels, actions, numbers, rewards, [len(steps)], [False])


symbols = st.tuples(
    st.integers(0, 1), st.sampled_from([*"abcde", ENDED]), st.sampled_from([0.0, 1.0, -1.0, 2.5])
)


class TestGrowingAlphabets:
    @given(st.lists(st.lists(symbols, min_size=1, max_size=6), min_size=1, max_size=6))
    def test_symbols_keep_their_meaning_and_order_as_an_alphabet_grows(self, episodes):
        table = SymbolTable((0, 1))
        seen, alphabet = np.zeros(0, dtype=np.int32), table.alphabet
        for episode in episodes:
            new, starts = table.read([chunk(episode)])
            assert starts.tolist() == [0, len(episode)]
            grown = alphabet.renumbered(seen, table.alphabet)
            assert np.array_equal(np.argsort(seen, kind="stable"), np.argsort(grown, kind="stable"))
            seen, alphabet = np.concatenate([grown, new]), table.alphabet
        steps = [step for episode in episodes for step in episode]
        assert [alphabet.symbol(s) for s in seen.tolist()] == steps
        assert alphabet.is_final(seen).tolist() == [step[1] == ENDED for step in steps]
