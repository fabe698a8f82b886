"""Deep reinforcement learning on top of an abstraction: hopeless alone, easy with it."""

import gymnasium
import pytest

import nonmarkov as nm

pytest.importorskip(
    "stable_baselines3", reason="DEEP LEARNING IS NOT TESTED: pip install 'nonmarkov[deep]'"
)

STEPS = 6_000
EPISODES = 200


def make():
    return gymnasium.make("nonmarkov/RotatingMab-v0", k=2)


def trained_score(env):
    """The reward per step of PPO after some training."""
    import torch
    from stable_baselines3 import PPO

    torch.set_num_threads(1)  # small networks; threads would only wait for each other
    model = PPO("MlpPolicy", env, n_steps=128, seed=0, gamma=0.9, device="cpu", learning_rate=0.005)
    model.learn(STEPS)
    paid, steps = 0.0, 0
    for seed in range(EPISODES):
        observation, _ = env.reset(seed=seed)
        ended = False
        while not ended:
            action, _ = model.predict(observation, deterministic=True)
            observation, reward, terminated, truncated, _ = env.step(int(action))
            paid, steps, ended = paid + reward, steps + 1, terminated or truncated
    return paid / steps


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_what_fails_alone_works_on_the_wrapper():
    """The best arm pays 90 in 100 of the steps that do not end the episode, 10 in 11."""
    agent = nm.Agent(make(), seed=0, evaluation_episodes=2)
    agent.learn(400)
    best = 90.0 * 10 / 11
    alone = trained_score(make())
    wrapped = trained_score(nm.MarkovWrapper(make(), agent.abstraction))
    assert alone < 0.75 * best
    assert wrapped > 0.92 * best
