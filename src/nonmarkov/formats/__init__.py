"""Models in the languages of other programs: .pomdp, PRISM, Graphviz, AALpy."""

from nonmarkov.formats.model import Model, Step
from nonmarkov.formats.pomdp import Pomdp, read_pomdp

__all__ = ["Model", "Pomdp", "Step", "read_pomdp"]
