"""Reinforcement learning where what happens next depends on the whole history."""

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
    "RegularProcess",
    "distinguish",
    "domain",
    "domains",
    "errors",
    "histories",
]

register_when_gymnasium_is_imported()
