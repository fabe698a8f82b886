"""Stage: episodes in, automaton out."""

from nonmarkov.learning.adaptive import AdaptiveLearner
from nonmarkov.learning.apart import ApartLearner, Revision
from nonmarkov.learning.changes import StructuralChange
from nonmarkov.learning.fixed import FixedAbstraction, last_observation
from nonmarkov.learning.settings import StreamSettings
from nonmarkov.learning.similarity import Verdict
from nonmarkov.learning.stream import StreamLearner

__all__ = [
    "AdaptiveLearner",
    "ApartLearner",
    "FixedAbstraction",
    "Revision",
    "StreamLearner",
    "StreamSettings",
    "StructuralChange",
    "Verdict",
    "last_observation",
]
