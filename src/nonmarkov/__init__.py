"""Reinforcement learning where what happens next depends on the whole history."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from nonmarkov import errors
from nonmarkov.abstraction import MarkovAbstraction
from nonmarkov.core import (
    END,
    Alphabet,
    Automaton,
    EpisodeBatch,
    Experience,
    Experiment,
    Pdfa,
    Policy,
    RegularProcess,
    distinguish,
    histories,
)
from nonmarkov.domains import domain, domains
from nonmarkov.registration import register_when_gymnasium_is_imported

if TYPE_CHECKING:
    from nonmarkov.agents import E3, Certificate, ConditionalCertificate, MarkovAgent, Plan, RMax
    from nonmarkov.envs.discretize import Discretize
    from nonmarkov.envs.markov_wrapper import MarkovWrapper
    from nonmarkov.envs.process_env import ProcessEnv
    from nonmarkov.export import load_model, save_model, to_aalpy, write_pomdp
    from nonmarkov.formats.aalpy_machines import from_aalpy
    from nonmarkov.formats.pomdp import Pomdp, read_pomdp
    from nonmarkov.learning import AdaptiveLearner, StreamLearner, StreamSettings
    from nonmarkov.logs import read_log
    from nonmarkov.report.automaton_picture import save_automaton_picture
    from nonmarkov.report.process_picture import save_process_picture
    from nonmarkov.training import Agent, Evaluation, Result
    from nonmarkov.training.log_result import LogResult
    from nonmarkov.training.logged import learn_abstraction, learn_from_log

__version__ = "0.1.0"

__all__ = [
    "E3",
    "END",
    "AdaptiveLearner",
    "Agent",
    "Alphabet",
    "Automaton",
    "Certificate",
    "ConditionalCertificate",
    "Discretize",
    "EpisodeBatch",
    "Evaluation",
    "Experience",
    "Experiment",
    "LogResult",
    "MarkovAbstraction",
    "MarkovAgent",
    "MarkovWrapper",
    "Pdfa",
    "Plan",
    "Policy",
    "Pomdp",
    "ProcessEnv",
    "RMax",
    "RegularProcess",
    "Result",
    "StreamLearner",
    "StreamSettings",
    "distinguish",
    "domain",
    "domains",
    "errors",
    "from_aalpy",
    "histories",
    "learn_abstraction",
    "learn_from_log",
    "load_model",
    "read_log",
    "read_pomdp",
    "save_automaton_picture",
    "save_model",
    "save_process_picture",
    "to_aalpy",
    "write_pomdp",
]

# Names that a start would be slower with are imported when they are first asked for.
_LATER = {
    **dict.fromkeys(("Agent", "Evaluation", "Result"), "nonmarkov.training"),
    **dict.fromkeys(("AdaptiveLearner", "StreamLearner", "StreamSettings"), "nonmarkov.learning"),
    **dict.fromkeys(
        ("Certificate", "ConditionalCertificate", "E3", "MarkovAgent", "Plan", "RMax"),
        "nonmarkov.agents",
    ),
    **dict.fromkeys(("learn_abstraction", "learn_from_log"), "nonmarkov.training.logged"),
    "LogResult": "nonmarkov.training.log_result",
    "read_log": "nonmarkov.logs",
    **dict.fromkeys(("load_model", "save_model", "to_aalpy", "write_pomdp"), "nonmarkov.export"),
    **dict.fromkeys(("Pomdp", "read_pomdp"), "nonmarkov.formats.pomdp"),
    "from_aalpy": "nonmarkov.formats.aalpy_machines",
    "Discretize": "nonmarkov.envs.discretize",
    "MarkovWrapper": "nonmarkov.envs.markov_wrapper",
    "ProcessEnv": "nonmarkov.envs.process_env",
    "save_automaton_picture": "nonmarkov.report.automaton_picture",
    "save_process_picture": "nonmarkov.report.process_picture",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module 'nonmarkov' has no attribute {name!r}")
    return getattr(import_module(_LATER[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)


register_when_gymnasium_is_imported()
