"""Grids of runs: the product of domains, parameters, methods, settings and seeds, from a TOML file.

    seeds = 5                                  # 0 to 4; or a list
    methods = ["apart", "paper"]

    [[runs]]
    domain = "rotating_maze"                   # or a list of names
    parameters = { success = 0.95 }            # what differs from the domain's defaults
    vary = { k = [1, 2] }                      # parameters with a list of values each

    [[runs]]
    domain = "cheat_mab"
    methods = ["paper"]                        # instead of those above; seeds, episodes likewise
    episodes = 200_000
    settings = { m = 5_000 }                   # of the agents; "none" for None
    vary_settings = { on_change = ["affected", "reset"] }

Without `episodes`, the paper's configurations are trained as long as in `nonmarkov reproduce
--full`, all others for 10,000 episodes.
"""

import itertools
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from nonmarkov.checks import MOST, check_integer
from nonmarkov.errors import InvalidParameterError, NonMarkovError
from nonmarkov.registry import unknown_name
from nonmarkov.results.specification import RunSpec

DEFAULT_EPISODES = 10_000
MOST_RUNS = 1_000_000
SHARED = ("seeds", "methods", "episodes")
OWN = ("domain", "parameters", "vary", "settings", "vary_settings")


def read_grid(path: Path) -> tuple[RunSpec, ...]:
    """Return the runs that a TOML file asks for."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidParameterError(f"{path} is no valid TOML: {error}.") from None
    try:
        return expand(content)
    except NonMarkovError as error:
        raise InvalidParameterError(f"{path}: {error}") from None


def expand(content: Mapping[str, Any]) -> tuple[RunSpec, ...]:
    """Return the runs that a table like the one above asks for, each once."""
    _check_names("the file", content, (*SHARED, "runs"))
    tables = content.get("runs")
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise InvalidParameterError("at least one table [[runs]] with a domain is needed.")
    shared = {name: content[name] for name in SHARED if name in content}
    specs: dict[str, RunSpec] = {}
    for number, table in enumerate(tables, 1):
        try:
            for spec in _expand_table(shared | table):
                specs[spec.name] = spec
                check_integer("the number of runs", len(specs), at_least=0, at_most=MOST_RUNS)
        except NonMarkovError as error:
            raise InvalidParameterError(f"[[runs]] number {number}: {error}") from None
    return tuple(specs.values())


def _expand_table(table: Mapping[str, Any]) -> Iterator[RunSpec]:
    """Yield the runs of one table."""
    _check_names("[[runs]]", table, (*SHARED, *OWN))
    if "domain" not in table:
        raise InvalidParameterError("domain is missing.")
    seeds = _seeds(table.get("seeds", 1))
    variants = itertools.product(
        _names("domain", table["domain"]),
        _assignments(table, "parameters", "vary"),
        _names("methods", table.get("methods", ["apart"])),
        _assignments(table, "settings", "vary_settings"),
    )
    for domain, parameters, method, settings in variants:
        given = {name: None if value == "none" else value for name, value in settings.items()}
        episodes = table.get("episodes", _usual_episodes(domain, parameters, method))
        first = RunSpec.of(domain, parameters, method, seeds[0], episodes, given)
        for seed in seeds:
            yield RunSpec(domain, first.parameters, method, seed, first.episodes, first.settings)


def _usual_episodes(domain: str, parameters: Mapping[str, Any], method: str) -> int:
    from nonmarkov.domains import make_domain
    from nonmarkov.training.budgets import budget
    from nonmarkov.training.methods import METHODS

    METHODS[method]
    made = make_domain(domain, **parameters)
    k = made.parameters["k"]
    as_published = made.parameters == make_domain(domain, k=k).parameters
    usual = budget((domain, k), method) if as_published else None
    return usual or DEFAULT_EPISODES


def _check_names(place: str, table: Mapping[str, Any], known: tuple[str, ...]) -> None:
    for name in table:
        if name not in known:
            raise unknown_name(f"entry of {place}", name, dict.fromkeys(known))


def _seeds(value: object) -> list[int]:
    """Return the seeds: so many, or those given."""
    if isinstance(value, list):
        seeds = [check_integer("a seed", seed, at_least=0, at_most=MOST) for seed in value]
    else:
        seeds = list(range(check_integer("seeds", value, at_least=1, at_most=MOST_RUNS)))
    if not seeds:
        raise InvalidParameterError("seeds must not be empty.")
    return seeds


def _names(name: str, value: object) -> list[str]:
    names: list[Any] = value if isinstance(value, list) else [value]
    if not names or not all(isinstance(entry, str) for entry in names):
        raise InvalidParameterError(f"{name} must be a name or a list of names, got {value!r}.")
    return names


def _assignments(table: Mapping[str, Any], fixed: str, varied: str) -> list[dict[str, Any]]:
    """Return the product of the varied values, each with the fixed ones."""
    same, lists = table.get(fixed, {}), table.get(varied, {})
    for name, value in ((fixed, same), (varied, lists)):
        if not isinstance(value, dict):
            raise InvalidParameterError(f"{name} must be a table of names, got {value!r}.")
    for name, values in lists.items():
        if not isinstance(values, list) or not values:
            raise InvalidParameterError(
                f"{varied}.{name} must be a list of values, got {values!r}; a single value belongs "
                f"into {fixed}."
            )
        if name in same:
            raise InvalidParameterError(f"{name} is in {fixed} and in {varied}.")
    return [
        same | dict(zip(lists, values, strict=True))
        for values in itertools.product(*lists.values())
    ]
