"""Assembly: the only package that knows all stages."""

from nonmarkov.training.agent import Agent
from nonmarkov.training.evaluation import Evaluation
from nonmarkov.training.methods import METHODS
from nonmarkov.training.published import PUBLISHED
from nonmarkov.training.result import Result
from nonmarkov.training.settings import Settings

__all__ = ["METHODS", "PUBLISHED", "Agent", "Evaluation", "Result", "Settings"]
