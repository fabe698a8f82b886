"""Twins of kernels.rollout and kernels.bare_draws."""

import numpy as np


def draw(probabilities, u):
    """The first category whose cumulative probability exceeds u."""
    for category, total in enumerate(probabilities):
        if u < total:
            return category
    return len(probabilities)


def sample_episodes(choice, chance, successor, symbol, start, max_steps, starts, rng):
    symbols = []
    for episode in range(len(starts) - 1):
        starts[episode] = len(symbols)
        state, steps = start, 0
        while steps < max_steps:
            action = draw(choice[state], rng.random())
            entry = draw(chance[state, action], rng.random())
            symbols.append(symbol[state, action, entry])
            steps += 1
            if entry == chance.shape[2]:
                break
            state = successor[state, action, entry]
    starts[-1] = len(symbols)
    return np.array(symbols, dtype=np.int32)


def play_episodes(
    choice, chance, successor, gain, ended, start, max_steps, per_step, n_episodes, rng
):
    actions = 0
    earnings = []
    for _ in range(n_episodes):
        state, rewards = start, []
        while len(rewards) < max_steps and not ended[state]:
            action = draw(choice[state], rng.random())
            entry = draw(chance[state, action], rng.random())
            actions += 1
            if entry == chance.shape[2]:
                break
            rewards.append(gain[state, action, entry])
            state = successor[state, action, entry]
        earnings.append(sum(rewards) / max(1, len(rewards)) if per_step else sum(rewards))
    return np.array([actions, sum(earnings), sum(earned**2 for earned in earnings)])


def draw_categories(chance, n_draws, rng):
    return sum(draw(chance[i % len(chance)], rng.random()) for i in range(n_draws))
