"""The agent that users hold: an abstraction and a policy, learned from episodes."""

import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from nonmarkov import stored
from nonmarkov.abstraction import MarkovAbstraction
from nonmarkov.checks import MOST, check_integer
from nonmarkov.controllers import save_controller
from nonmarkov.core import Experience, Policy, RegularProcess
from nonmarkov.errors import FileFormatError, InvalidParameterError, NonMarkovError
from nonmarkov.files import UNREADABLE, read_bytes, write_atomically
from nonmarkov.training import saving
from nonmarkov.training.decisions import Merge, Split
from nonmarkov.training.evaluation import Evaluation
from nonmarkov.training.habitats import AnyHabitat, EnvHabitat, habitat_of, stored_habitat
from nonmarkov.training.interface import AnyCertificate, Change
from nonmarkov.training.interruption import Interruption
from nonmarkov.training.methods import (
    METHODS,
    check_settings,
    obstacle_to_certificates,
)
from nonmarkov.training.progress import progress_bar
from nonmarkov.training.result import Result
from nonmarkov.training.settings import EVERY, Settings

Callback = Callable[[Evaluation], None]
ChangeCallback = Callable[[Change], None]


class Agent:
    """Learns to act in a process or an environment whose state it does not see.

    world      a RegularProcess; or an environment of Gymnasium with a few actions and
               observations, the id of one, or a function that makes one.
    method     "apart" needs no knowledge of the process and the fewest episodes. The others are for
               comparison: "paper" (RMax Abstraction), "random-sampling", "rmax" (on the last
               observation), "oracle" (on the true abstraction, which the others have to find).
    max_steps  where to cut off an episode of an environment that does not end before; by default
               its own limit, or 1,000.
    settings   epsilon, delta, evaluate_every, evaluation_episodes; and for the paper's agents
               mu, n, d, alpha, alpha_0, counts, propagation, m, v_max, planner, on_change: see
               `nonmarkov.training.settings.Settings`. For the paper's own configurations they
               default to the published ones; mu=None, n=None asks for the search instead.
    """

    def __init__(
        self,
        world: Any,
        method: str = "apart",
        *,
        seed: int = 0,
        max_steps: int | None = None,
        **settings: Any,
    ) -> None:
        check_settings(method, settings)
        seed = check_integer("seed", seed, at_least=0)
        habitat = habitat_of(world, max_steps)
        self._begin(habitat, method, seed, habitat.make_settings(settings))

    def _begin(self, habitat: AnyHabitat, method: str, seed: int, settings: Settings) -> None:
        self._habitat, self.method, self.seed, self.settings = habitat, method, seed, settings
        self._method = METHODS[method]
        training, evaluating = map(np.random.default_rng, np.random.SeedSequence(seed).spawn(2))
        self._generators = {"training": training, "evaluating": evaluating}
        self._training = habitat.make_training(self._method, settings, training, seed)
        self._evaluator = habitat.make_evaluator(settings.evaluation_episodes, evaluating)
        self._greedy: tuple[int, Policy] | None = None  # made for this version of the training
        self._evaluated: Policy | None = None  # what was last prepared for evaluation
        self._seconds = 0.0
        self._curve: list[Evaluation] = []
        self._steps_noted = (0, 0)

    def __repr__(self) -> str:
        return f"Agent({self._habitat!r}, method={self.method!r}, {self.episodes:,} episodes)"

    @property
    def process(self) -> RegularProcess:
        """The process that the agent lives in; environments have none to show."""
        return self._habitat.process

    # --- learning -------------------------------------------------------------------------------

    def learn(
        self,
        episodes: int,
        *,
        until_certified: bool = False,
        workers: int = 1,
        ray: str | None = None,
        progress: bool | None = None,
        callback: Callback | None = None,
        change_callback: ChangeCallback | None = None,
    ) -> Result:
        """Train for so many more episodes, and return how it went.

        until_certified: stop at the first evaluation that passes; "paper" needs mu and n then.
        workers: processes that play an environment; the result does not depend on their number.
        ray: a Ray cluster that plays instead: its address, or "local" for one of `workers` cores.
        progress: a bar on standard error; by default if that is a terminal.
        callback: called with every new point of the curve.
        change_callback: called with every change of the automaton, before the next evaluation.
        Ctrl-C ends training after the current stretch; the result says `interrupted`.
        """
        check_integer("episodes", episodes, at_least=1, at_most=MOST)
        self._check_learning(until_certified, callback, change_callback)
        goal, began, before = self.episodes + episodes, time.perf_counter(), self.episodes
        with (
            self._habitat.hired(workers, ray),
            Interruption() as interruption,
            progress_bar(episodes, progress) as show,
        ):
            if not self._curve:
                self._note(callback)
            while self.episodes < goal and not interruption.requested:
                self._run(min(goal, self._next_evaluation()), change_callback)
                due = self.episodes in (goal, self._next_evaluation(-1))
                if due and self._curve[-1].episodes < self.episodes:
                    self._note(callback)
                    if until_certified and self.certificate().passed:
                        break
                show(self.episodes - before, self._training, self._curve[-1].score)
            if self._curve[-1].episodes < self.episodes:
                self._note(callback)
        return self._result(before, time.perf_counter() - began, interruption.requested)

    def _run(self, until: int, change_callback: ChangeCallback | None) -> None:
        """Play on for a while, and tell what has changed."""
        started, known = time.perf_counter(), len(self._training.changes)
        self._training.run(until)
        self._seconds += time.perf_counter() - started
        if change_callback is not None:
            for change in self._training.changes[known:]:
                change_callback(change)

    def _result(self, before: int, seconds: float, interrupted: bool) -> Result:
        return Result(
            self.method,
            self.episodes,
            tuple(self._curve),
            self._curve[-1].score,
            self.n_states,
            seconds,
            (self.episodes - before) / seconds,
            self.certificate(),
            interrupted,
        )

    def _check_learning(self, until_certified: bool, *callbacks: object) -> None:
        if until_certified and (obstacle := self._obstacle()):
            raise InvalidParameterError(f"until_certified cannot be reached: {obstacle}.")
        for callback in callbacks:
            if callback is not None and not callable(callback):
                raise InvalidParameterError(f"callback must be a function, got {callback!r}.")

    def _next_evaluation(self, offset: int = 0) -> int:
        """Return the next number of episodes with an evaluation, or with -1 the last one."""
        every = self.settings.evaluate_every
        if every is None and self._method.learner is None:
            return _next_of_many(self.episodes + min(0, offset))
        every = every or EVERY
        return (self.episodes // every + 1 + offset) * every

    def _note(self, callback: Callback | None) -> None:
        """Evaluate, and add a point to the curve."""
        if self._evaluated is not self.policy:
            self._evaluated = self.policy
            self._evaluator.prepare(self._evaluated)
        exact, sampled = self._evaluator.scores()
        safe, outside = self._training.steps
        gone = self.episodes - self._curve[-1].episodes if self._curve else 0
        before, self._steps_noted = self._steps_noted, (safe, outside)
        point = Evaluation(
            self.episodes,
            exact,
            self.n_states,
            sampled,
            self._training.n_candidates,
            (safe - before[0]) / max(1, gone),
            (outside - before[1]) / max(1, gone),
            self._seconds,
        )
        self._curve.append(point)
        if callback is not None:
            callback(point)

    # --- what was learned -----------------------------------------------------------------------

    @property
    def episodes(self) -> int:
        """Episodes trained so far."""
        return self._training.episodes

    @property
    def curve(self) -> tuple[Evaluation, ...]:
        """All evaluations so far."""
        return tuple(self._curve)

    @property
    def n_states(self) -> int:
        """Number of safe states."""
        return self._training.n_states

    @property
    def changes(self) -> tuple[Change, ...]:
        """What changed in the automaton so far, each with its evidence."""
        return tuple(self._training.changes)

    @property
    def merges(self) -> tuple[Merge, ...]:
        """Where every observed edge leads, with what speaks for it.

        For the paper's agents this is empty: their `changes` list every merge and promotion.
        """
        return tuple(self._training.merges)

    @property
    def splits(self) -> tuple[Split, ...]:
        """Why any two states are not one, the least different first; empty as `merges` is."""
        return tuple(self._training.splits)

    @property
    def experience(self) -> Experience:
        """What was seen in the safe states: every step with its count.

        For the paper's agents since the state last changed, see the setting `on_change`.
        """
        return self._training.experience()

    @property
    def abstraction(self) -> MarkovAbstraction:
        """The abstraction learned so far; partial while something is undecided."""
        return MarkovAbstraction(self._training.automaton)

    @property
    def policy(self) -> Policy:
        """The greedy policy; what it does on histories that are not covered depends on the method.

        "apart" takes the most likely state then, the others act uniformly.
        """
        version = self._training.version
        if self._greedy is None or self._greedy[0] != version:
            self._greedy = version, self._training.policy()
        return self._greedy[1]

    @property
    def portrait(self) -> Policy:
        """The same policy on the abstraction alone, to look at."""
        return self._training.portrait()

    def score(self, episodes: int | None = None, *, seed: int = 0) -> float:
        """Return the expected score of the policy: exact, or the mean of so many episodes.

        In environments it is the mean sum of rewards of an episode, by default of 100.
        """
        return self._habitat.score(self.policy, episodes, seed)

    def certificate(self) -> AnyCertificate:
        """Return how near to optimal the policy is, how sure that is, and on which conditions."""
        return self._training.certificate()

    def _obstacle(self) -> str:
        return obstacle_to_certificates(self._method, self.settings, self.n_states)

    # --- files ----------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the agent to one file, with all that it takes to go on learning.

        Training that goes on from a file gives exactly what it would have given without. A
        callback of `learn` may save as well, to continue after a crash.
        """
        write_atomically(path, stored.pack(saving.KIND, self._state()))

    def export(self, path: str | os.PathLike[str]) -> None:
        """Write the policy as a table that runs without this library: policy.json, .c or .py."""
        save_controller(self.policy, path)

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], *, env: Any = None, max_steps: int | None = None
    ) -> "Agent":
        """Return the agent in a file that `save` wrote; loading never runs code of a file.

        env: the environment it lives in; files do not hold it. Without, it can only be looked at.
        """
        content = stored.unpack(saving.KIND, read_bytes(path), path)
        agent = cls.__new__(cls)
        try:
            agent._restore(content, env, max_steps)
        except (*UNREADABLE, NonMarkovError) as error:
            raise FileFormatError(f"{path} does not hold a valid agent: {error}") from None
        return agent

    def _state(self) -> dict[str, Any]:
        return {
            **self._habitat.state(),
            "method": self.method,
            "seed": self.seed,
            "settings": saving.settings_state(self.settings),
            "generators": {n: saving.generator_state(r) for n, r in self._generators.items()},
            "training": self._training.state(),
            "curve": saving.curve_state(self._curve),
            "seconds": self._seconds,
            "steps_noted": list(self._steps_noted),
        }

    def _restore(self, content: stored.Stored, env: Any, max_steps: int | None) -> None:
        habitat = stored_habitat(content, env, max_steps)
        settings = saving.read_settings(content.part("settings"))
        self._begin(habitat, content.text("method"), content.integer("seed"), settings)
        for name, generator in self._generators.items():
            saving.set_generator(generator, content.part("generators").part(name))
        if isinstance(habitat, EnvHabitat):
            habitat.restore(content.part("environment"), content.part("training").integer("steps"))
        self._training.restore(content.part("training"))
        self._curve = saving.read_curve(content, "curve", self.episodes)
        self._seconds = content.real("seconds")
        safe, outside = content.plain("steps_noted")
        self._steps_noted = (int(safe), int(outside))


def _next_of_many(episodes: int) -> int:
    """Return the next number of episodes at which to evaluate, each a fifth more than the last."""
    due = 20
    while due <= episodes:
        due = max(due + 4, due * 6 // 5)
    return due
