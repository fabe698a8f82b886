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


def play_episodes(choice, chance, successor, gain, ended, start, max_steps, n_episodes, rng):
    outcomes = terminations = 0
    returns, scores = [], []
    for _ in range(n_episodes):
        state, rewards = start, []
        while len(rewards) < max_steps and not ended[state]:
            action = draw(choice[state], rng.random())
            entry = draw(chance[state, action], rng.random())
            if entry == chance.shape[2]:
                terminations += 1
                break
            rewards.append(gain[state, action, entry])
            state = successor[state, action, entry]
        outcomes += len(rewards)
        returns.append(sum(rewards))
        scores.append(sum(rewards) / len(rewards) if rewards else 0.0)
    returns, scores = np.array(returns), np.array(scores)
    sums = [returns.sum(), (returns**2).sum(), scores.sum(), (scores**2).sum()]
    return np.array([outcomes, terminations, *sums])


def draw_categories(chance, n_draws, rng):
    return sum(draw(chance[i % len(chance)], rng.random()) for i in range(n_draws))
