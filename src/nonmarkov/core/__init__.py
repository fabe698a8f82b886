"""The paper's objects: small frozen records with names, and what is defined on them."""

from nonmarkov.core import histories
from nonmarkov.core.alphabet import END, Alphabet
from nonmarkov.core.automaton import UNDEFINED, Automaton
from nonmarkov.core.episodes import EpisodeBatch
from nonmarkov.core.equivalence import Experiment, distinguish
from nonmarkov.core.experience import Experience
from nonmarkov.core.pdfa import Pdfa
from nonmarkov.core.policy import Policy
from nonmarkov.core.process import RegularProcess
from nonmarkov.core.simulation import PlayStatistics

__all__ = [
    "END",
    "UNDEFINED",
    "Alphabet",
    "Automaton",
    "EpisodeBatch",
    "Experience",
    "Experiment",
    "Pdfa",
    "PlayStatistics",
    "Policy",
    "RegularProcess",
    "distinguish",
    "histories",
]
