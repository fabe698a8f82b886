"""Everything a user may set about an agent; defaults need no knowledge of the process."""

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from numbers import Integral, Real
from typing import Any

import numpy as np

from nonmarkov.agents import AGENTS, MarkovAgent
from nonmarkov.agents.rmax import PAC
from nonmarkov.checks import MOST, check_choice, check_fraction, check_integer, check_positive
from nonmarkov.errors import InvalidParameterError
from nonmarkov.learning.adaptive import COARSEST, FEWEST
from nonmarkov.learning.settings import StreamSettings
from nonmarkov.registry import unknown_name
from nonmarkov.training.published import Publication

ON_CHANGE = ("affected", "reset", "carry")
V_MAX = ("horizon", "reward")
EVERY = 15_000  # episodes between the evaluations of the paper's agents

# What the other methods have no use for.
PAPER_ONLY = (
    *("mu", "n", "d", "alpha", "alpha_0", "counts", "propagation"),
    *("m", "v_max", "planner", "on_change"),
)


@dataclass(frozen=True)
class Settings:
    """The parameters of Algorithm 1 and of its two modules.

    epsilon, delta   accuracy and error probability of the whole; half of each goes to each module
    mu, n            what the learner is told about the process; it searches for them without
    d, alpha, alpha_0, counts, propagation   see StreamSettings
    m                visits that make a pair of state and action known, or "pac"
    v_max            "horizon": r_max / p, "reward": r_max, for worlds that pay once, or a number
    planner          "rmax", "e3", or a MarkovAgent of your own
    on_change        what becomes of its statistics when the abstraction changes: "affected" starts
                     again in the states that have an edge which changed, "reset" everywhere,
                     which is the rule in the paper's text, "carry" nowhere
    evaluate_every   episodes between evaluations, of `evaluation_episodes` episodes each; by
                     default 15,000 as in the paper, and for "apart" whenever a fifth is added
    """

    epsilon: float = 0.2
    delta: float = 0.2
    mu: float | None = None
    n: int | None = None
    d: int = 4
    alpha: float = 2.0
    alpha_0: int = 128
    counts: str = "exact"
    propagation: bool | None = None
    m: int | str = 5000
    v_max: str | float = "horizon"
    planner: str | MarkovAgent = "rmax"
    on_change: str = "affected"
    evaluate_every: int | None = None
    evaluation_episodes: int = 50

    def __post_init__(self) -> None:
        check_positive("epsilon", self.epsilon)
        check_fraction("delta", self.delta)
        if (self.mu is None) != (self.n is None):
            raise InvalidParameterError(
                "mu and n are given both, or neither: without them the learner searches for both."
            )
        self.stream()
        if isinstance(self.m, str) and self.m != PAC:
            raise InvalidParameterError(f'm must be an integer or "{PAC}", got {self.m!r}.')
        if self.m != PAC:
            check_integer("m", self.m, at_least=1, at_most=MOST)
        self._check_planner()
        check_choice("on_change", self.on_change, ON_CHANGE)
        if self.evaluate_every is not None:
            check_integer("evaluate_every", self.evaluate_every, at_least=1, at_most=MOST)
        check_integer("evaluation_episodes", self.evaluation_episodes, at_least=1, at_most=10**7)

    def _check_planner(self) -> None:
        if isinstance(self.v_max, str):
            check_choice("v_max", self.v_max, V_MAX)
        else:
            check_positive("v_max", self.v_max)
        if not isinstance(self.planner, MarkovAgent):
            if not isinstance(self.planner, str):
                raise InvalidParameterError(
                    f"planner must be a name ({', '.join(AGENTS)}) or a MarkovAgent, got "
                    f"{self.planner!r}."
                )
            AGENTS[self.planner]

    def stream(self) -> StreamSettings:
        """Return the settings of the stream learner, or those it begins to search with.

        Its share of delta is one half.
        """
        return StreamSettings(
            mu=COARSEST if self.mu is None else self.mu,
            n=FEWEST if self.n is None else self.n,
            d=self.d,
            alpha=self.alpha,
            alpha_0=self.alpha_0,
            delta=self.delta / 2.0,
            counts=self.counts,
            propagation=self.propagation,
        )


def make_settings(publication: Publication | None, given: dict[str, Any]) -> Settings:
    """Return what was given, then what was published, then the defaults."""
    check_names(given)
    settings = Settings() if publication is None else Settings(**publication.settings)
    return replace(settings, **{name: _plain(value) for name, value in given.items()})


def _plain(value: Any) -> Any:
    """Return numbers as those that files hold, whatever library they come from."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, Real):
        return int(value) if isinstance(value, Integral) else float(value)
    return value


def check_names(given: Iterable[str]) -> None:
    """Refuse names that are no settings."""
    known = {field.name: None for field in fields(Settings)}
    for name in given:
        if name not in known:
            raise unknown_name("setting", name, known)
