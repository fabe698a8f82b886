"""The methods by name: which learner, which exploration."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from nonmarkov.agents import AGENTS, Certificate, MarkovAgent
from nonmarkov.agents.rmax import PAC
from nonmarkov.core import RegularProcess
from nonmarkov.errors import InvalidParameterError
from nonmarkov.learning import AdaptiveLearner, FixedAbstraction, StreamLearner, last_observation
from nonmarkov.registry import Registry
from nonmarkov.training.decisions import Merge, Split
from nonmarkov.training.explorer import Explorer
from nonmarkov.training.interface import Training
from nonmarkov.training.settings import PAPER_ONLY, Settings
from nonmarkov.training.trainer import Learner, Trainer
from nonmarkov.training.worlds import ProcessWorld


@dataclass(frozen=True)
class Method:
    """One of the agents that can be compared."""

    title: str
    learner: Callable[[RegularProcess, Settings], Learner] | None  # None: no mu, n, d at all
    uniform: bool = False  # acts uniformly while training
    given: str = ""  # why the abstraction need not be learned
    obstacle: str = ""  # why no certificate can pass


def _stream(process: RegularProcess, settings: Settings) -> Learner:
    stream = settings.stream()
    if settings.mu is None:
        return AdaptiveLearner(process.alphabet, stream)
    return StreamLearner(process.alphabet, stream)


def _last_observation(process: RegularProcess, settings: Settings) -> Learner:
    del settings
    return FixedAbstraction(last_observation(process))


def _truth(process: RegularProcess, settings: Settings) -> Learner:
    del settings
    return FixedAbstraction(process.minimal().automaton.over(process.alphabet))


METHODS: Registry[Method] = Registry(
    "method",
    {
        "apart": Method("the automaton that best explains all episodes", None),
        "paper": Method("RMax Abstraction", _stream),
        "random-sampling": Method("Random Sampling", _stream, uniform=True),
        "rmax": Method(
            "RMax on the last observation",
            _last_observation,
            given="the last observation determines what happens next",
            obstacle="nothing shows that the last observation is all that matters",
        ),
        "oracle": Method(
            "RMax on the true abstraction", _truth, given="the process is as its tables say"
        ),
    },
)


class PaperTraining(Trainer):
    """Algorithm 1 with a termination test."""

    def __init__(
        self, process: RegularProcess, method: Method, settings: Settings, rng: np.random.Generator
    ) -> None:
        assert method.learner is not None
        super().__init__(
            process,
            method.learner(process, settings),
            make_planner(process, settings),
            rng,
            uniform=method.uniform,
            on_change=settings.on_change,
        )
        self._process, self._method, self._settings = process, method, settings

    @property
    def merges(self) -> tuple[Merge, ...]:
        """None besides those among the changes."""
        return ()

    @property
    def splits(self) -> tuple[Split, ...]:
        """None besides the promotions among the changes."""
        return ()

    def certificate(self) -> Certificate:
        """Return the result of the termination test, with what it depends on."""
        bounds = self.agent.bounds(self.experience())
        return Certificate(
            self._settings.epsilon,
            self._settings.delta,
            bounds.optimistic,
            bounds.pessimistic,
            self.episodes,
            assumptions(self._process, self._method, self._settings),
            obstacle_to_certificates(self._method, self._settings, self.n_states),
        )


def make_training(
    process: RegularProcess, method: Method, settings: Settings, rng: np.random.Generator
) -> Training:
    """Return a training that is about to begin."""
    if method.learner is None:
        return Explorer(ProcessWorld(process), settings.epsilon, settings.delta, rng)
    return PaperTraining(process, method, settings, rng)


def check_settings(name: str, given: dict[str, object]) -> None:
    """Refuse settings of the paper's agent for a method that needs none of them."""
    if METHODS[name].learner is None:
        for setting in given:
            if setting in PAPER_ONLY:
                raise InvalidParameterError(
                    f"{setting} is a setting of the paper's agents; {name!r} finds out for itself. "
                    f'Leave it out, or choose method="paper".'
                )


def make_planner(process: RegularProcess, settings: Settings) -> MarkovAgent:
    """Return the second module, with half of epsilon and its share of delta.

    Theorem 2 shares half of delta among the hypotheses, one run of the agent on each.
    """
    if isinstance(settings.planner, MarkovAgent):
        return settings.planner
    v_max = highest_value(process, settings)
    delta = settings.delta / 2.0 / settings.stream().most_hypotheses(process.alphabet)
    epsilon = settings.epsilon / 2.0
    return AGENTS[settings.planner](settings.m, v_max, epsilon, delta, stopping(process))


def stopping(process: RegularProcess) -> float:
    """Return p, the probability that a step is the last; without random stopping, a guess."""
    return process.stop if process.stop > 0.0 else 1.0 / (process.horizon + 1)


def highest_value(process: RegularProcess, settings: Settings) -> float:
    """Return V_max."""
    if min(process.rewards) < 0.0:
        raise InvalidParameterError(
            f"The paper's agents need rewards that are not negative, got {min(process.rewards)}. "
            f"A constant added to all rewards helps, unless episodes can end early, where it "
            f"changes what is optimal; a planner of your own may take any rewards."
        )
    if not isinstance(settings.v_max, str):
        return float(settings.v_max)
    highest = max(process.rewards)
    if highest == 0.0:
        raise InvalidParameterError("All rewards are 0: there is nothing to learn a policy for.")
    return highest if settings.v_max == "reward" else highest / stopping(process)


def obstacle_to_certificates(method: Method, settings: Settings, n_states: int) -> str:
    """Return why no certificate can pass, or nothing."""
    if method.obstacle or method.learner is None:
        return method.obstacle
    planner = settings.planner
    if isinstance(planner, MarkovAgent) and type(planner).bounds is MarkovAgent.bounds:
        return f"{type(planner).__name__} has no bounds"
    if method.given:
        return ""
    if settings.n is None:
        return "mu and n are searched for, so a wrong merge of states may not be noticed yet"
    if n_states > settings.n:
        return f"{n_states} states were found, more than n = {settings.n}"
    return ""


def assumptions(process: RegularProcess, method: Method, settings: Settings) -> tuple[str, ...]:
    """Return what a certificate depends on."""
    parts = []
    if method.given:
        parts.append(method.given)
    elif settings.mu is not None:
        parts += [
            f"prefixes of length {settings.d} tell any two states apart by mu = {settings.mu:g}",
            f"the process has at most n = {settings.n} states",
        ]
    if not method.given and settings.stream().propagation:
        parts.append("suffixes that decided about one state may be used again for the next ones")
    if isinstance(settings.planner, MarkovAgent):
        return (*parts, f"the bounds of {type(settings.planner).__name__} are right")
    if settings.m != PAC:
        parts.append(f"m = {settings.m:,} visits make the model of a pair accurate enough")
    bound = highest_value(process, settings)
    return (*parts, f"no history is worth more than V_max = {bound:g}")
