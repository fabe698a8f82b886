"""`nonmarkov export`: a model in the language of another program."""

from pathlib import Path
from typing import Any

import click

from nonmarkov.cli.parameters import read_parameters


@click.command()
@click.argument("source")
@click.argument("target", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--k", type=int, help="For a domain: the parameter that the paper varies.")
@click.option("--set", "assignments", multiple=True, metavar="NAME=VALUE", help="Another one.")
@click.option("--limit", type=int, default=10_000, show_default=True, help="Beliefs of a .pomdp.")
def export(
    source: str, target: Path, k: int | None, assignments: tuple[str, ...], limit: int
) -> None:
    """Write SOURCE as TARGET.

    SOURCE is a saved agent, an abstraction or process in JSON, a .pomdp file, or a domain. TARGET
    ends in .dot, .svg, .json, .prism or .pomdp for the model, and in .c or .py for a controller:
    the agent's policy, or the optimal one.
    """
    from nonmarkov.export import save_model

    thing = _read(source, read_parameters(k, assignments), limit)
    if target.suffix in (".c", ".py"):
        from nonmarkov.controllers import save_controller

        save_controller(_policy(thing, source), target)
    else:
        save_model(thing, target)
    click.echo(f"{target} written")


def _read(source: str, parameters: dict[str, Any], limit: int) -> Any:
    """Return what is in a file, or the domain of that name."""
    from nonmarkov.errors import InvalidParameterError
    from nonmarkov.export import load_model
    from nonmarkov.formats.pomdp import Pomdp

    if not Path(source).exists() and not Path(source).suffix and "/" not in source:
        from nonmarkov.domains import domain

        return domain(source, **parameters)
    if parameters:
        raise InvalidParameterError(f"--k and --set are for domains; {source!r} is a file.")
    thing = load_model(source)
    return thing.to_process(limit=limit) if isinstance(thing, Pomdp) else thing


def _policy(thing: Any, source: str) -> Any:
    """Return an agent's policy, or the optimal one of a process."""
    from nonmarkov.core import RegularProcess
    from nonmarkov.errors import InvalidParameterError
    from nonmarkov.training import Agent

    if isinstance(thing, Agent):
        return thing.policy
    if isinstance(thing, RegularProcess):
        return thing.optimal_policy
    raise InvalidParameterError(
        f"{source!r} holds an abstraction, which says what to remember and not what to do; export "
        f"the agent instead."
    )
