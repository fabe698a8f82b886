"""`nonmarkov inspect`: what is in a saved agent or automaton."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from nonmarkov.cli.output import print_json, print_table

MOST_ROWS = 50  # of a table for people


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def inspect(file: Path, as_json: bool) -> None:
    """Show a saved agent or automaton: states, transitions, policy, certificate."""
    from nonmarkov.errors import FileFormatError
    from nonmarkov.files import read_bytes
    from nonmarkov.stored import is_packed

    data = read_bytes(file)
    if is_packed(data):
        content = _agent(file)
    elif data.lstrip()[:1] == b"{":
        content = _automaton(file)
    else:
        raise FileFormatError(f"{file} holds neither a saved agent nor a saved automaton.")
    if as_json:
        print_json(content)
        return
    _show_origin(file, content)
    _show_graph(content)
    if "certificate" in content:
        click.echo(content["certificate"]["text"])


def _agent(file: Path) -> dict[str, Any]:
    """Return a saved agent as JSON data."""
    from nonmarkov.training import Agent

    agent = Agent.load(file)
    portrait, certificate = agent.portrait, agent.certificate()
    return {
        "kind": "agent",
        "method": agent.method,
        "seed": agent.seed,
        "settings": asdict(agent.settings),
        **_whereabouts(agent, portrait.automaton.alphabet),
        "episodes": agent.episodes,
        **_graph(portrait.automaton, portrait.table),
        "certificate": {
            **asdict(certificate),
            "gap": certificate.gap,
            "passed": certificate.passed,
            "text": str(certificate),
        },
        "curve": [point._asdict() for point in agent.curve],
        "changes": [asdict(change) for change in agent.changes],
    }


def _whereabouts(agent: Any, alphabet: Any) -> dict[str, Any]:
    """Return where an agent lives, and how well: environments cannot be looked into."""
    if alphabet.is_of_environment:
        seen = {
            "actions": alphabet.n_choices,
            "observations": len(alphabet.observations),
            "rewards": len(alphabet.rewards),
        }
        return {"environment": seen, "score": agent.curve[-1].score if agent.curve else None}
    process = agent.process
    whole = {
        "states": process.n_states,
        "actions": len(process.actions),
        "observations": len(process.observations),
        "rewards": len(process.rewards),
        "optimal_score": process.optimal_score,
    }
    return {"process": whole, "score": agent.score()}


def _automaton(file: Path) -> dict[str, Any]:
    """Return a saved automaton as JSON data."""
    from nonmarkov.abstraction import MarkovAbstraction

    automaton = MarkovAbstraction.load(file).automaton
    return {"kind": "automaton", **_graph(automaton, None)}


def _graph(automaton: Any, table: Any) -> dict[str, Any]:
    """Return states and transitions by name, with the actions that a policy takes if there is one.

    A transition is [state, action, observation, reward, next state].
    """
    alphabet = automaton.alphabet
    states: list[dict[str, Any]] = [{"safe": safe} for safe in automaton.safe.tolist()]
    if table is not None:
        for state, row in zip(states, table, strict=True):
            taken = row.nonzero()[0] if state["safe"] else []
            state["policy"] = [alphabet.actions[a] for a in taken]
    return {
        "actions": list(alphabet.actions),
        "start": automaton.start,
        "states": states,
        "transitions": [
            [state, *alphabet.symbol(symbol), successor]
            for state, symbol, successor in automaton.edges.tolist()
        ],
    }


def _show_origin(file: Path, content: dict[str, Any]) -> None:
    states = content["states"]
    n_safe = sum(state["safe"] for state in states)
    size = f"{_number(n_safe, 'safe state')}, {_number(len(states) - n_safe, 'candidate')}"
    if content["kind"] == "automaton":
        click.echo(f"{file}: an automaton with {size}\n")
        return
    click.echo(
        f"{file}: an agent, method {content['method']}, seed {content['seed']}\n"
        f"{_home(content)}\n"
        f"training:   {content['episodes']:,} episodes, {len(content['curve']):,} evaluations\n"
        f"score:      {_score(content)}\n"
        f"automaton:  {size}\n"
    )


def _home(content: dict[str, Any]) -> str:
    if "process" in content:
        home, first = content["process"], f"process:    {content['process']['states']:,} states, "
    else:
        home, first = content["environment"], "environment, as seen so far: "
    return f"{first}{home['actions']:,} actions, {home['observations']:,} observations"


def _score(content: dict[str, Any]) -> str:
    score = content["score"]
    if "process" in content:
        return f"{score:.4f}, exact; the optimum is {content['process']['optimal_score']:.4f}"
    return "not evaluated yet" if score is None else f"{score:.4f}, in the last evaluation"


def _number(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'s' if n != 1 else ''}"


def _show_graph(content: dict[str, Any]) -> None:
    states = []
    for number, state in enumerate(content["states"]):
        kind = "safe" if state["safe"] else "candidate"
        kind += ", start" if number == content["start"] else ""
        states.append((number, kind, _taken(state.get("policy", []), content["actions"])))
    width = 3 if content["kind"] == "agent" else 2
    rows = [row[:width] for row in states]
    _show_rows("States", ("state", "kind", "policy")[:width], rows)
    transitions = [
        (q, str(action), str(observation), reward, target)
        for q, action, observation, reward, target in content["transitions"]
    ]
    _show_rows("Transitions", ("state", "action", "observation", "reward", "next"), transitions)


def _taken(actions: list[Any], possible: list[Any]) -> str:
    """Return the actions that a policy takes, in words."""
    if not actions:
        return "-"
    if len(actions) == len(possible) > 1:
        return "any action"
    return " or ".join(str(action) for action in actions)


def _show_rows(title: str, columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
    print_table(title, columns, rows[:MOST_ROWS])
    if len(rows) > MOST_ROWS:
        click.echo(f"... and {len(rows) - MOST_ROWS:,} more; --json prints all.\n")
