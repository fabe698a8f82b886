"""Where agents live: a process, which is known exactly, or an environment, which is only played."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from nonmarkov.core import Alphabet, Policy, RegularProcess
from nonmarkov.core.alphabet import RESET
from nonmarkov.errors import FileFormatError, InvalidParameterError
from nonmarkov.stored import Stored
from nonmarkov.training import saving
from nonmarkov.training.evaluation import EnvEvaluator, Evaluator, ProcessEvaluator
from nonmarkov.training.explorer import Explorer
from nonmarkov.training.interface import Training
from nonmarkov.training.methods import Method, make_training
from nonmarkov.training.published import published_for
from nonmarkov.training.settings import Settings, make_settings

if TYPE_CHECKING:
    from nonmarkov.training.env_world import EnvWorld


class Habitat(Protocol):
    """What an agent needs to know of where it lives."""

    def make_settings(self, given: dict[str, Any]) -> Settings:
        """Return what was given, and defaults."""

    def make_training(
        self, method: Method, settings: Settings, rng: np.random.Generator, seed: int
    ) -> Training:
        """Return a training that is about to begin."""

    def make_evaluator(self, episodes: int, rng: np.random.Generator) -> Evaluator:
        """Return what evaluates policies here."""

    def score(self, policy: Policy, episodes: int | None, seed: int) -> float:
        """Return the expected score of a policy: exact if it can be, or the mean of episodes."""

    @contextmanager
    def hired(self, workers: int, ray: str | None = None) -> Iterator[None]:
        """Let so many processes play, or a cluster."""

    def state(self) -> dict[str, Any]:
        """Return what a file must hold of it."""


class ProcessHabitat:
    """A process."""

    def __init__(self, process: RegularProcess) -> None:
        self.process = process

    def __repr__(self) -> str:
        return repr(self.process)

    def make_settings(self, given: dict[str, Any]) -> Settings:
        """Return what was given, then what was published, then the defaults."""
        return make_settings(published_for(self.process), given)

    def make_training(
        self, method: Method, settings: Settings, rng: np.random.Generator, seed: int
    ) -> Training:
        """Return a training that is about to begin."""
        del seed
        return make_training(self.process, method, settings, rng)

    def make_evaluator(self, episodes: int, rng: np.random.Generator) -> Evaluator:
        """Return what evaluates policies here."""
        return ProcessEvaluator(self.process, episodes, rng)

    def score(self, policy: Policy, episodes: int | None, seed: int) -> float:
        """Return the exact score of a policy, or the mean of episodes."""
        if episodes is None:
            return self.process.score(policy)
        return self.process.play(episodes, policy=policy, seed=seed, evaluation=True).mean

    @contextmanager
    def hired(self, workers: int, ray: str | None = None) -> Iterator[None]:
        """Refuse company: a kernel plays faster than it could be told to."""
        for name, value, default in (("workers", workers, 1), ("ray", ray, None)):
            if value != default:
                raise InvalidParameterError(
                    f"{name} is for environments, got {value!r}; a process is played by compiled "
                    f"code. `nonmarkov sweep` does many runs at once."
                )
        yield

    def state(self) -> dict[str, Any]:
        """Return the process."""
        return {"process": saving.process_state(self.process)}


class EnvHabitat:
    """An environment of Gymnasium."""

    def __init__(self, env: Any, max_steps: int | None = None) -> None:
        from nonmarkov.envs.crew import Crew

        self._crew = Crew(env, max_steps)
        self._world: EnvWorld | None = None

    def __repr__(self) -> str:
        return repr(self._crew.stage.env)

    @property
    def process(self) -> RegularProcess:
        """Nothing: an environment cannot be looked into."""
        raise InvalidParameterError(
            "The agent lives in an environment, of which no process is known; nothing can be "
            "computed exactly."
        )

    def make_settings(self, given: dict[str, Any]) -> Settings:
        """Return what was given, then the defaults."""
        return make_settings(None, given)

    def make_training(
        self, method: Method, settings: Settings, rng: np.random.Generator, seed: int
    ) -> Training:
        """Return a training that is about to begin."""
        from nonmarkov.training.env_world import EnvWorld

        if method.learner is not None:
            raise InvalidParameterError(
                f'In an environment only method="apart" works, got {method.title!r}: the others '
                f"need the tables of a process."
            )
        self._world = EnvWorld(self._crew, seed)
        return Explorer(self._world, settings.epsilon, settings.delta, rng)

    def make_evaluator(self, episodes: int, rng: np.random.Generator) -> Evaluator:
        """Return what evaluates policies here."""
        return EnvEvaluator(self._crew, episodes, rng)

    def score(self, policy: Policy, episodes: int | None, seed: int) -> float:
        """Return the mean sum of rewards of some episodes."""
        evaluator = EnvEvaluator(self._crew, episodes or 100, np.random.default_rng(seed))
        evaluator.prepare(policy)
        return evaluator.scores()[1]

    @contextmanager
    def hired(self, workers: int, ray: str | None = None) -> Iterator[None]:
        """Let so many processes play, or a cluster."""
        with self._crew.hired(workers, ray):
            yield

    def state(self) -> dict[str, Any]:
        """Return the symbols seen so far; the environment itself is not saved."""
        assert self._world is not None
        return {"environment": self._world.alphabet.to_content()}

    def restore(self, stored: Stored, steps: int) -> None:
        """Go on with the stored symbols."""
        assert self._world is not None
        self._world.adopt(_stored_alphabet(stored), steps)


def _stored_alphabet(stored: Stored) -> Alphabet:
    parts = {name: stored.plain(name) for name in ("actions", "observations", "rewards")}
    return Alphabet.from_content(parts)


AnyHabitat = ProcessHabitat | EnvHabitat


def habitat_of(subject: Any, max_steps: int | None) -> AnyHabitat:
    """Return the habitat of an agent from what a user gave."""
    if isinstance(subject, RegularProcess):
        if max_steps is not None:
            raise InvalidParameterError("max_steps is for environments; a process ends by itself.")
        return ProcessHabitat(subject)
    if isinstance(subject, str) or hasattr(subject, "step") or callable(subject):
        return EnvHabitat(subject, max_steps)
    raise InvalidParameterError(
        f"An agent needs a RegularProcess or an environment, got {type(subject).__name__}; "
        f"nm.domain(name) and nm.RegularProcess.from_outcomes make a process, gymnasium.make(id) "
        f"an environment."
    )


def stored_habitat(content: Stored, env: Any, max_steps: int | None) -> AnyHabitat:
    """Return the habitat of a stored agent.

    Environments are not in files. Without one, an agent can be looked at, but not train.
    """
    if content.has("process"):
        if env is not None:
            raise FileFormatError("it lives in a process, which the file holds; leave out env")
        return ProcessHabitat(saving.read_process(content.part("process")))
    if env is None:
        from nonmarkov.envs.stage import EmptyStage

        actions = _stored_alphabet(content.part("environment")).actions
        return EnvHabitat(EmptyStage(tuple(a for a in actions if a != RESET)))
    return EnvHabitat(env, max_steps)
