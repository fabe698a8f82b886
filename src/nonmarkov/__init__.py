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
    from nonmarkov.envs.process_env import ProcessEnv
    from nonmarkov.report.process_picture import save_process_picture

__version__ = "0.1.0"

__all__ = [
    "END",
    "Alphabet",
    "Automaton",
    "EpisodeBatch",
    "Experiment",
    "MarkovAbstraction",
    "Pdfa",
    "Policy",
    "ProcessEnv",
    "RegularProcess",
    "distinguish",
    "domain",
    "domains",
    "errors",
    "histories",
    "save_process_picture",
]

# Names whose modules need a heavy library are imported when they are first asked for.
_LATER = {
    "ProcessEnv": "nonmarkov.envs.process_env",
    "save_process_picture": "nonmarkov.report.process_picture",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module 'nonmarkov' has no attribute {name!r}")
    return getattr(import_module(_LATER[name]), name)


register_when_gymnasium_is_imported()
