"""`nonmarkov learn`: an automaton and a policy from a log."""

import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from nonmarkov.cli.output import print_json, print_table, track
from nonmarkov.logs import FORMATS, read_log

MOST_ROWS = 50  # states in a table for people


@click.command()
@click.argument("file")
@click.option(
    "--format",
    "kind",
    type=click.Choice(FORMATS),
    default="auto",
    show_default=True,
    help="Of the log; minari: FILE is the name of a dataset.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for result.json, policy.json, abstraction.json and a picture of the automaton.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed, the same run.")
@click.option(
    "--horizon", type=int, help="Steps of an episode that count; by default, of the longest."
)
@click.option(
    "--delta", type=float, default=0.1, show_default=True, help="The bound may fail so often."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--quiet", is_flag=True, help="Print nothing but errors, and JSON if asked for.")
def learn(
    file: str,
    kind: str,
    out: Path | None,
    seed: int,
    horizon: int | None,
    delta: float,
    as_json: bool,
    quiet: bool,
) -> None:
    """Learn an automaton and a policy from FILE, a log of episodes.

    Shows the states, what they are worth, what to do in them, a lower bound on what that earns,
    and what the log cannot tell.
    """
    from nonmarkov.files import make_folder
    from nonmarkov.training.logged import learn_from_log

    episodes: Iterable[Any] = read_log(file, kind)
    if out is not None:
        make_folder(out)  # now, not when the work is done
    if not quiet:
        episodes = track(episodes, "reading")
    result = learn_from_log(episodes, delta=delta, horizon=horizon, seed=seed)
    content = _content(file, seed, result)
    written = _write(out, result, content) if out is not None else []
    if as_json:
        print_json(content)
    elif not quiet:
        _show(result, content, written)


def _content(file: str, seed: int, result: Any) -> dict[str, Any]:
    """Return the result as JSON data."""
    gaps = result.gaps
    return {
        "log": file,
        "seed": seed,
        "episodes": result.episodes,
        "steps": result.steps,
        "held_out": result.held_out,
        "states": result.n_states,
        "horizon": result.horizon,
        "value": result.value,
        "lower_bound": result.lower_bound,
        "delta": result.delta,
        "conditions": list(result.conditions),
        "logged_value": result.logged_value,
        "values": list(result.values),
        "actions": _actions(result.policy),
        "gaps": {
            "untried": [list(pair) for pair in gaps.untried],
            "medleys": [asdict(medley) for medley in gaps.variety.medleys],
            "rare": [asdict(merge) for merge in gaps.rare],
            "doubtful": [asdict(merge) for merge in gaps.doubtful],
            "undecided": [list(pair) for pair in gaps.undecided],
            "doubt": gaps.doubt,
            "statements": list(gaps.statements),
        },
    }


def _actions(policy: Any) -> list[list[Any]]:
    """Return the actions that the policy takes in every state."""
    names = policy.automaton.alphabet.actions
    return [[names[a] for a in row.nonzero()[0]] for row in policy.table]


def _policy(result: Any) -> dict[str, Any]:
    """Return the policy as JSON data: a table to act by, for all symbols of the log.

    A transition is [state, action, observation, reward, next state].
    """
    automaton = result.policy.automaton
    known = {(m.action, m.observation, m.reward) for m in result.merges}
    steps = [
        [state, *automaton.alphabet.symbol(symbol), successor]
        for state, symbol, successor in automaton.edges.tolist()
    ]
    return {
        "actions": list(automaton.alphabet.actions),
        "start": automaton.start,
        "states": result.policy.table.tolist(),
        "transitions": [step for step in steps if tuple(step[1:4]) in known],
    }


def _write(out: Path, result: Any, content: dict[str, Any]) -> list[Path]:
    """Write the result into a folder; return the files."""
    from nonmarkov.errors import MissingExtraError
    from nonmarkov.files import write_atomically
    from nonmarkov.report.automaton_picture import save_automaton_picture

    decisions = {
        "merges": [asdict(merge) for merge in result.merges],
        "splits": [asdict(split) for split in result.splits],
    }
    texts = {"result.json": content, "policy.json": _policy(result), "decisions.json": decisions}
    for name, data in texts.items():
        write_atomically(out / name, (json.dumps(data, indent=1) + "\n").encode())
    result.abstraction.save(out / "abstraction.json")
    written = [out / name for name in (*texts, "abstraction.json")]
    title = f"{result.n_states} states from {result.episodes:,} episodes"
    try:
        save_automaton_picture(result.portrait, out / "abstraction.png", title=title)
    except MissingExtraError as missing:
        click.echo(f"No picture. {missing}", err=True)
        return written
    return [*written, out / "abstraction.png"]


def _show(result: Any, content: dict[str, Any], written: list[Path]) -> None:
    """Print the states, and what it came to."""
    rows = [
        (state, value, " or ".join(map(str, actions)))
        for state, (value, actions) in enumerate(
            zip(result.values, content["actions"], strict=True)
        )
    ]
    title = f"Values over {result.horizon:,} steps"
    print_table(title, ("state", "value", "policy"), rows[:MOST_ROWS])
    if len(rows) > MOST_ROWS:
        click.echo(f"... and {len(rows) - MOST_ROWS:,} more; --json prints all.\n")
    click.echo(str(result))
    for path in written:
        click.echo(f"Wrote {path}")
