"""Processes, abstractions and agents in the languages of other programs."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

from nonmarkov.abstraction import MarkovAbstraction
from nonmarkov.abstraction.dynamics import abstract_model
from nonmarkov.core import Automaton, Policy, RegularProcess
from nonmarkov.errors import InvalidParameterError
from nonmarkov.files import write_atomically
from nonmarkov.formats.aalpy_machines import to_stochastic_mealy
from nonmarkov.formats.dot import automaton_to_dot, model_to_dot
from nonmarkov.formats.model import (
    Model,
    model_of_experience,
    model_of_process,
    model_of_tables,
)
from nonmarkov.formats.pomdp import Pomdp
from nonmarkov.formats.pomdp_writing import to_pomdp
from nonmarkov.formats.prism import to_prism
from nonmarkov.training import Agent

Thing: TypeAlias = RegularProcess | Pomdp | MarkovAbstraction | Automaton | Agent
Plain: TypeAlias = RegularProcess | MarkovAbstraction | Agent
FilePath: TypeAlias = str | os.PathLike[str]


def save_model(
    thing: Thing,
    path: FilePath,
    *,
    process: RegularProcess | None = None,
    policy: Policy | None = None,
) -> None:
    """Write a process, POMDP, abstraction or agent to .dot, .svg, .json, .prism or .pomdp.

    process: for an abstraction, whose chances are in the process, to .prism and .pomdp.
    policy: for a process to .prism, which is a Markov chain then.
    An agent's chances are the frequencies that it counted. docs/formats.md describes all files.
    """
    suffix = Path(path).suffix
    if suffix not in WRITERS:
        raise InvalidParameterError(
            f"A model's name must end in one of {', '.join(WRITERS)}, got {str(path)!r}."
        )
    if policy is not None and suffix != ".prism":
        raise InvalidParameterError(f"policy goes with .prism only, got {str(path)!r}.")
    WRITERS[suffix](_plain(thing), Path(path), process, policy)


def write_pomdp(thing: Thing, path: FilePath, *, process: RegularProcess | None = None) -> None:
    """Write a process, abstraction or agent as a .pomdp file, whatever its name."""
    _save_pomdp(_plain(thing), Path(path), process, None)


def to_aalpy(thing: Thing, *, process: RegularProcess | None = None) -> Any:
    """Return a StochasticMealyMachine of AALpy, or an Onfsm for an abstraction alone."""
    plain = _plain(thing)
    if isinstance(plain, MarkovAbstraction):
        return plain.to_aalpy(process)
    return to_stochastic_mealy(_model(plain, process))


def _plain(thing: Thing) -> Plain:
    """Return what is written: beliefs for a POMDP, an abstraction for an automaton."""
    if isinstance(thing, Pomdp):
        return thing.to_process()
    if isinstance(thing, Automaton):
        return MarkovAbstraction(thing)
    if isinstance(thing, (RegularProcess, MarkovAbstraction, Agent)):
        return thing
    raise InvalidParameterError(
        f"Expected a RegularProcess, Pomdp, MarkovAbstraction, Automaton or Agent, got "
        f"{type(thing).__name__}."
    )


def _model(plain: Plain, process: RegularProcess | None) -> Model:
    """Return states and steps with their chances."""
    if isinstance(plain, RegularProcess):
        return model_of_process(plain)
    if isinstance(plain, Agent):
        return model_of_experience(plain.experience)
    return abstract_model(plain.automaton, _needed(process))


def _needed(process: RegularProcess | None) -> RegularProcess:
    if not isinstance(process, RegularProcess):
        raise InvalidParameterError(
            f"An abstraction has no probabilities: pass process=..., the RegularProcess that has "
            f"them, or save the agent, which counted; got process={process!r}."
        )
    return process


def _save_dot(plain: Plain, path: Path, *_: object) -> None:
    if isinstance(plain, RegularProcess):
        text = model_to_dot(model_of_process(plain))
    else:
        text = automaton_to_dot(_automaton(plain))
    write_atomically(path, text.encode())


def _save_svg(plain: Plain, path: Path, *_: object) -> None:
    from nonmarkov.report.automaton_picture import save_automaton_picture
    from nonmarkov.report.process_picture import save_process_picture

    if isinstance(plain, RegularProcess):
        save_process_picture(plain, path)
    elif isinstance(plain, Agent):
        save_automaton_picture(plain.portrait, path)
    else:
        save_automaton_picture(Policy.uniform(plain.automaton), path)


def _save_json(plain: Plain, path: Path, *_: object) -> None:
    (plain.abstraction if isinstance(plain, Agent) else plain).save(path)


def _save_prism(
    plain: Plain, path: Path, process: RegularProcess | None, policy: Policy | None
) -> None:
    if policy is not None:
        write_atomically(path, _chain(plain, policy).encode())
        return
    if isinstance(plain, MarkovAbstraction):
        plain = plain.induced_mdp(_needed(process))
    write_atomically(path, to_prism(_model(plain, process)).encode())


def _chain(plain: Plain, policy: Policy) -> str:
    """Return the chain of a process under a policy; its states are the pairs with the memory."""
    if not isinstance(plain, RegularProcess) or not isinstance(policy, Policy):
        raise InvalidParameterError(
            f"policy must be a Policy and goes with a RegularProcess, got {type(policy).__name__} "
            f"with {type(plain).__name__}."
        )
    policy = policy.over(plain.alphabet)
    pairs = plain.paired_with(policy.automaton)
    model = model_of_tables(plain.alphabet, tuple(range(len(pairs.states))), pairs.tables)
    return to_prism(model, policy.rows(pairs.memory))


def _save_pomdp(plain: Plain, path: Path, process: RegularProcess | None, _: object) -> None:
    write_atomically(path, to_pomdp(_model(plain, process)).encode())


def _automaton(plain: MarkovAbstraction | Agent) -> Automaton:
    return plain.portrait.automaton if isinstance(plain, Agent) else plain.automaton


WRITERS: dict[str, Callable[[Plain, Path, RegularProcess | None, Policy | None], None]] = {
    ".dot": _save_dot,
    ".svg": _save_svg,
    ".json": _save_json,
    ".prism": _save_prism,
    ".pomdp": _save_pomdp,
}
