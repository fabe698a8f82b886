"""The seven domains of the paper, by name."""

import inspect
from typing import Any

from nonmarkov.core import RegularProcess
from nonmarkov.domains.cheat_mab import CheatMab
from nonmarkov.domains.domain import Domain
from nonmarkov.domains.enemy_corridor import EnemyCorridor
from nonmarkov.domains.flickering_grid import FlickeringGrid
from nonmarkov.domains.malfunction_mab import MalfunctionMab
from nonmarkov.domains.reset_rotating_mab import ResetRotatingMab
from nonmarkov.domains.rotating_mab import RotatingMab
from nonmarkov.domains.rotating_maze import RotatingMaze
from nonmarkov.registry import Registry, unknown_name

DOMAINS: Registry[type[Domain]] = Registry(
    "domain",
    {
        "rotating_mab": RotatingMab,
        "reset_rotating_mab": ResetRotatingMab,
        "malfunction_mab": MalfunctionMab,
        "cheat_mab": CheatMab,
        "rotating_maze": RotatingMaze,
        "flickering_grid": FlickeringGrid,
        "enemy_corridor": EnemyCorridor,
    },
)


def make_domain(name: str, **parameters: Any) -> Domain:
    """Return the domain of that name; its parameters are checked when it is built."""
    kind = DOMAINS[name]
    known = kind.defaults()
    for parameter in parameters:
        if parameter not in known:
            raise unknown_name(f"parameter of {name}", parameter, known)
    return kind(**parameters)


def domain(name: str, **parameters: Any) -> RegularProcess:
    """Return the process of a domain: `domain("rotating_maze", k=3)`."""
    return make_domain(name, **parameters).build()


def domains() -> dict[str, dict[str, Any]]:
    """Return the name of every domain, with its parameters and their default values.

    A default of None is worked out from the other parameters; the domain's module says how.
    """
    return {name: kind.defaults() for name, kind in DOMAINS.items()}


def data_sheet(name: str) -> str:
    """Return the description of a domain, as at the top of its module."""
    return inspect.getdoc(inspect.getmodule(DOMAINS[name])) or ""
