"""An environment of Gymnasium, played by numbers of actions and labels of observations.

Everything that an environment can get wrong is noticed here and said in one line.
"""

from typing import Any

import gymnasium

from nonmarkov.core.alphabet import ENDED
from nonmarkov.envs.spaces import as_action, enumerate_actions, observation_encoder
from nonmarkov.errors import (
    FaultyEnvironmentError,
    InvalidParameterError,
    NonMarkovError,
    UnknownNameError,
)
from nonmarkov.labels import Label

MOST_STEPS = 1000  # of an episode, where the environment does not say


def open_environment(env: Any) -> "gymnasium.Env[Any, Any]":
    """Return an environment: itself, that of an id of Gymnasium, or what a function makes."""
    if isinstance(env, str):
        return make_environment(env)
    made = env() if callable(env) and not isinstance(env, gymnasium.Env) else env
    if not isinstance(made, gymnasium.Env):
        raise InvalidParameterError(
            f"env must be a gymnasium.Env, the id of one, or a function that makes one, got "
            f"{made!r}."
        )
    return made


def make_environment(name: str, **parameters: Any) -> "gymnasium.Env[Any, Any]":
    """Return the environment of an id of Gymnasium, with errors of ours."""
    try:
        return gymnasium.make(name, **parameters)
    except gymnasium.error.UnregisteredEnv as error:
        raise UnknownNameError(
            f"Gymnasium knows no environment {name!r}: {error} Write module:id to import a module "
            f"first; nm.domain(name) makes the processes of nonmarkov."
        ) from None
    except ModuleNotFoundError as error:
        raise UnknownNameError(
            f"The environment {name!r} needs a module that is missing: {error}."
        ) from None
    except (gymnasium.error.Error, TypeError) as error:
        raise InvalidParameterError(f"The environment {name!r} cannot be made: {error}") from None


class Stage:
    """One environment with its actions numbered and its observations named."""

    def __init__(self, env: "gymnasium.Env[Any, Any]", max_steps: int | None = None) -> None:
        self.env: Any = env
        self._spaces = (env.action_space, env.observation_space)
        self.actions = enumerate_actions(env.action_space)
        self._moves = [as_action(label) for label in self.actions]
        self._encode = observation_encoder(env.observation_space)
        limit = max_steps or (None if env.spec is None else env.spec.max_episode_steps)
        self.has_limit, self.max_steps = limit is not None, limit or MOST_STEPS

    def reset(self, seed: int) -> Label:
        """Begin an episode; return the label of what is seen first."""
        try:
            observation, _ = self.env.reset(seed=seed)
            spaces = (self.env.action_space, self.env.observation_space)
        except NonMarkovError:
            raise
        except Exception as error:
            raise _failed("reset", error) from error
        if spaces[0] is not self._spaces[0] or spaces[1] is not self._spaces[1]:
            self._compare(spaces)
        return self._encode(observation)

    def _compare(self, spaces: tuple[Any, Any]) -> None:
        for kind, before, now in zip(("action", "observation"), self._spaces, spaces, strict=True):
            if before != now:
                raise FaultyEnvironmentError(
                    f"The {kind} space changed from {before} to {now}. It must stay the same: use "
                    f"the largest one from the start."
                )
        self._spaces = spaces

    def step(self, action: int) -> tuple[Label, float, bool, bool]:
        """Take an action; return observation, reward, whether that ended the episode, or cut it."""
        try:
            observation, reward, terminated, truncated, _ = self.env.step(self._moves[action])
            paid = float(reward)
        except NonMarkovError:
            raise
        except Exception as error:
            raise _failed(f"step({self.actions[action]!r})", error) from error
        if not -1e300 < paid < 1e300:
            raise FaultyEnvironmentError(
                f"step({self.actions[action]!r}) returned the reward {paid!r}; rewards must be "
                f"finite numbers."
            )
        if terminated:
            return ENDED, paid, True, False
        return self._encode(observation), paid, False, bool(truncated)


class EmptyStage(Stage):
    """Stands for an environment that is not here: its actions are known, but nobody can play."""

    def __init__(self, actions: tuple[Label, ...]) -> None:
        self.env, self.actions = None, actions
        self.has_limit, self.max_steps = True, MOST_STEPS

    def reset(self, seed: int) -> Label:
        """Refuse to play."""
        del seed
        raise InvalidParameterError(
            "The agent was loaded without its environment, which no file holds; give it with "
            "Agent.load(path, env=...)."
        )


def _failed(call: str, error: Exception) -> FaultyEnvironmentError:
    reason = str(error).strip().splitlines()[0] if str(error).strip() else "no reason given"
    return FaultyEnvironmentError(
        f"The environment failed in {call}: {type(error).__name__}: {reason}. What was learned "
        f"before is kept."
    )
