"""Stage: episodes in, automaton out."""

from nonmarkov.learning.adaptive import AdaptiveLearner
from nonmarkov.learning.fixed import FixedAbstraction, last_observation
from nonmarkov.learning.settings import StreamSettings
from nonmarkov.learning.similarity import Verdict
from nonmarkov.learning.stream import StreamLearner, StructuralChange

__all__ = [
    "AdaptiveLearner",
    "FixedAbstraction",
    "StreamLearner",
    "StreamSettings",
    "StructuralChange",
    "Verdict",
    "last_observation",
]
