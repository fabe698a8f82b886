"""Markov abstractions: maps from histories to states that preserve the dynamics."""

from nonmarkov.abstraction.definition import Violation, find_violation
from nonmarkov.abstraction.induced_mdp import induced_mdp
from nonmarkov.abstraction.markov_abstraction import MarkovAbstraction
from nonmarkov.abstraction.representation import represent_dynamics

__all__ = [
    "MarkovAbstraction",
    "Violation",
    "find_violation",
    "induced_mdp",
    "represent_dynamics",
]
