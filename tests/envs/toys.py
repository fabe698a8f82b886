"""Small environments: some to learn in, and some that misbehave."""

import gymnasium
import numpy as np
from gymnasium import spaces

from nonmarkov.envs.examples import TMaze


class Echo(gymnasium.Env):
    """Repeat what was shown; spaces of all kinds, which agree on what is shown."""

    def __init__(self, observation_space, shows, action_space=None):
        self.observation_space, self.shows = observation_space, shows
        self.action_space = action_space or spaces.Discrete(2)
        actions = [self.action_space.start + i for i in range(2)] if action_space is None else None
        self.answers = actions or [np.zeros(2, np.int64), np.ones(2, np.int64)]

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = 5
        return self._show(), {}

    def _show(self):
        self.shown = int(self.np_random.integers(2))
        return self.shows[self.shown]

    def step(self, action):
        right = np.array_equal(action, self.answers[self.shown])
        self.left -= 1
        return self._show(), float(right), self.left == 0, False, {}


class Misbehaving(gymnasium.Env):
    """A coin to guess, until it does something wrong after some steps of all episodes together."""

    def __init__(self, fault="", after=400):
        self.action_space = spaces.Discrete(2)
        self.observation_space = spaces.Discrete(2)
        self.fault, self.after, self.steps = fault, after, 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = 4
        if self.steps >= self.after:
            if self.fault == "space":
                self.observation_space = spaces.Discrete(3)
            if self.fault == "reset":
                raise RuntimeError("no power")
        return 0, {}

    def step(self, action):
        self.steps += 1
        self.left -= 1
        paid, seen = float(action == 1), int(self.np_random.integers(2))
        if self.steps >= self.after:
            if self.fault == "nan":
                paid = float("nan")
            if self.fault == "text":
                paid = "much"
            if self.fault == "step":
                raise ValueError("the arm\nis stuck")
            if self.fault == "stranger":
                seen = 7
        ends = self.left == 0 and self.fault != "endless"
        return seen, paid, ends, False, {}


class Talking(gymnasium.Env):
    """Shows a new text and pays a new reward, as often as it is told to."""

    def __init__(self, texts=False, rewards=False):
        self.action_space = spaces.Discrete(2)
        self.observation_space = spaces.Text(20)
        self.texts, self.rewards, self.steps = texts, rewards, 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = 200
        return "hello", {}

    def step(self, action):
        self.steps += 1
        self.left -= 1
        text = f"number {self.steps}" if self.texts else "again"
        return text, self.steps / 7 if self.rewards else 1.0, self.left == 0, False, {}


def make_t_maze():
    """Return a T-maze; other processes can find this function."""
    return TMaze()
