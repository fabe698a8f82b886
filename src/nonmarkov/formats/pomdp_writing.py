"""Models as .pomdp files.

In that format what is seen depends on the action and the state that was reached, and what is paid
has no chance of its own. So the states of the file are arrivals: a state of the model together
with the observation and the reward that led there. Whoever sees both knows the arrival, so the
beliefs are certainties, and as many as there are arrivals.

Random stopping becomes discounting. An ending is an observation of its own, after which the world
stays in one state and pays nothing; where every action ends the episode, the arrival itself stays.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from nonmarkov.formats.identifiers import identifiers, legend
from nonmarkov.formats.model import Model, Step
from nonmarkov.labels import Label

RESERVED = (
    *("discount", "values", "states", "actions", "observations", "start", "include", "exclude"),
    *("T", "O", "R", "uniform", "identity", "reset", "reward", "cost"),
)
TERMINATED = "terminated"  # the observation that the episode is over


class Arrival(NamedTuple):
    """A state of the model and what was seen and paid on the way there, by indices."""

    state: int
    observation: int
    reward: int | None


@dataclass(frozen=True)
class _Names:
    """What things are called in the file."""

    actions: dict[int, str]
    observations: dict[int, str]
    arrivals: dict[Arrival, str]
    over: str | None  # the state after an ending, if there is any
    terminated: int  # the observation that goes with it


def to_pomdp(model: Model) -> str:
    """Return the text of a .pomdp file."""
    arrivals = list(_arrivals(model))
    names = _names(model, arrivals)
    lines = [*_preamble(model, names), *_observed(names), *_paid(model, names)]
    for arrival in arrivals:
        lines.extend(_moves(model, arrival, names))
    return "\n".join([*lines, ""])


def _arrivals(model: Model) -> Iterator[Arrival]:
    """Yield the start and every arrival that a step makes, each once."""
    yield Arrival(model.start, 0, None)
    yield from dict.fromkeys(map(_arrival, model.steps))


def _arrival(step: Step) -> Arrival:
    return Arrival(step.successor, step.observation, step.reward)


def _names(model: Model, arrivals: list[Arrival]) -> _Names:
    alphabet = model.alphabet
    ends = any(
        model.ending(state, action) > 0.0 and not model.is_over(state)
        for state, action in model.rows
    )
    seen: tuple[Label, ...] = alphabet.observations
    observations = identifiers(seen, "observation", RESERVED)
    if ends:
        taken = (*RESERVED, *observations.values())
        observations[len(seen)] = identifiers([TERMINATED], "observation", taken)[0]
    return _Names(
        identifiers(alphabet.actions, "action", RESERVED),
        observations,
        {arrival: f"s{i}" for i, arrival in enumerate(arrivals)},
        "over" if ends else None,
        len(seen),
    )


def _preamble(model: Model, names: _Names) -> Iterator[str]:
    alphabet, over = model.alphabet, [names.over] if names.over else []
    actions = _declared(alphabet.actions, names.actions)
    seen = _declared(alphabet.observations, names.observations)
    yield "# Written by nonmarkov; docs/formats.md says how processes become POMDPs."
    for kind, labels, given, declared in (
        ("action", alphabet.actions, names.actions, actions),
        ("observation", alphabet.observations, names.observations, seen),
    ):
        if not declared.isdigit():
            yield from (f"# {kind} {line}" for line in legend(labels, given))
    yield f"discount: {1.0 - model.stop!r}"
    yield "values: reward"
    yield f"states: {' '.join([*names.arrivals.values(), *over])}"
    yield f"actions: {actions}"
    yield f"observations: {seen}"
    yield f"start: {next(iter(names.arrivals.values()))}"


def _declared(labels: tuple[Label, ...], names: dict[int, str]) -> str:
    """Return names, or their number if all are numbered from 0 on."""
    numbered = all(type(label) is int and label == i for i, label in enumerate(labels))
    return str(len(labels)) if numbered and len(names) == len(labels) else " ".join(names.values())


def _observed(names: _Names) -> Iterator[str]:
    """Yield what is seen on every arrival."""
    for arrival, name in names.arrivals.items():
        yield f"O: * : {name} : {arrival.observation} 1.0"
    if names.over:
        yield f"O: * : {names.over} : {names.terminated} 1.0"


def _paid(model: Model, names: _Names) -> Iterator[str]:
    """Yield what every arrival pays; staying where the episode is over pays nothing."""
    for arrival, name in names.arrivals.items():
        if arrival.reward is not None and (paid := model.alphabet.rewards[arrival.reward]):
            yield f"R: * : * : {name} : * {paid!r}"
            if model.is_over(arrival.state):
                yield f"R: * : {name} : {name} : * 0.0"


def _moves(model: Model, arrival: Arrival, names: _Names) -> Iterator[str]:
    """Yield the steps that lead on from an arrival."""
    here = names.arrivals[arrival]
    if model.is_over(arrival.state):
        yield f"T: * : {here} : {here} 1.0"
        return
    for action in range(model.alphabet.n_actions):
        chances: dict[str, float] = {}
        for step in model.rows[arrival.state, action]:
            target = names.arrivals[_arrival(step)]
            chances[target] = chances.get(target, 0.0) + step.probability
        if names.over and (ending := model.ending(arrival.state, action)):
            chances[names.over] = ending
        yield from (f"T: {action} : {here} : {target} {p!r}" for target, p in chances.items())
    if names.over and arrival.reward is None:
        yield f"T: * : {names.over} : {names.over} 1.0"
