"""Stage: experience on abstract states in, policy out."""

from nonmarkov.agents.certificate import Certificate
from nonmarkov.agents.conditional import ConditionalCertificate
from nonmarkov.agents.e3 import E3
from nonmarkov.agents.interface import Bounds, MarkovAgent, Plan, checked_plan, checked_policy
from nonmarkov.agents.rmax import RMax
from nonmarkov.registry import Registry

AGENTS: Registry[type[RMax] | type[E3]] = Registry("Markov agent", {"rmax": RMax, "e3": E3})

__all__ = [
    "AGENTS",
    "E3",
    "Bounds",
    "Certificate",
    "ConditionalCertificate",
    "MarkovAgent",
    "Plan",
    "RMax",
    "checked_plan",
    "checked_policy",
]
