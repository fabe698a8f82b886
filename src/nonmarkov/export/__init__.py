"""One door for models out and in: the suffix of a file says in which language."""

from nonmarkov.export.loading import load_model
from nonmarkov.export.saving import save_model, to_aalpy, write_pomdp

__all__ = ["load_model", "save_model", "to_aalpy", "write_pomdp"]
