"""`nonmarkov train`: one agent on one domain, or in one environment of Gymnasium."""

import re
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click

from nonmarkov.checks import check_integer
from nonmarkov.cli.output import print_json, print_table
from nonmarkov.cli.parameters import domain_options, read_parameters, read_settings

MOST_ROWS = 20
DEFAULT_EPISODES = 10_000
LEGEND = """score: exact, of the greedy policy; sampled: mean of the evaluation episodes
(in an environment both are the mean sum of rewards of the evaluation episodes)
safe, candidates: states of the automaton; steps per training episode, in safe states and others
"""
COLUMNS = ("episodes", "score", "sampled", "safe", "candidates", "safe steps", "other steps")


@click.command()
@domain_options
@click.option(
    "--method",
    default="apart",
    show_default=True,
    help="apart, paper, random-sampling, rmax (last observation) or oracle (true abstraction).",
)
@click.option(
    "--episodes",
    type=int,
    help="To train for; by default 10,000, and for the paper's agents as many as published.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed, the same run.")
@click.option(
    "--with",
    "options",
    multiple=True,
    metavar="NAME=VALUE",
    help="A setting of the agent: epsilon, delta, mu, n, d, alpha, alpha_0, counts, propagation, "
    "m, v_max, planner, on_change, evaluate_every, evaluation_episodes; mu=none and n=none search "
    "for both. Repeatable.",
)
@click.option("--max-steps", type=int, help="Where to cut off the episodes of an environment.")
@click.option("--workers", type=int, default=1, help="Processes that play an environment.")
@click.option("--ray", metavar="ADDRESS|local", help="A Ray cluster that plays an environment.")
@click.option("--until-certified", is_flag=True, help="Stop when the termination test passes.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for result.json, agent.nm, abstraction.json and a picture of the automaton.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--quiet", is_flag=True, help="Print nothing but errors, and JSON if asked for.")
def train(
    domain: str,
    k: int | None,
    assignments: tuple[str, ...],
    method: str,
    episodes: int | None,
    seed: int,
    options: tuple[str, ...],
    max_steps: int | None,
    workers: int,
    ray: str | None,
    until_certified: bool,
    out: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Train an agent on DOMAIN, with the published settings where there are some.

    DOMAIN may be the id of an environment of Gymnasium, such as FrozenLake-v1, with --set for its
    parameters; module:id imports a module first.

    Ctrl-C ends the training early; what was learned is kept and shown.
    """
    from nonmarkov.files import make_folder
    from nonmarkov.training import Agent

    subject = _subject(domain, read_parameters(k, assignments))
    agent = Agent(subject.world, method, seed=seed, max_steps=max_steps, **read_settings(options))
    episodes = _default_episodes(subject, method) if episodes is None else episodes
    check_integer("episodes", episodes, at_least=1)
    if out is not None:
        make_folder(out)  # now, not when the work is done
    progress = False if quiet else None
    result = agent.learn(
        episodes, until_certified=until_certified, workers=workers, ray=ray, progress=progress
    )
    content = _content(subject, seed, agent, result)
    written = _write(out, subject.title, agent, content) if out is not None else []
    if as_json:
        print_json(content)
    elif not quiet:
        _show(subject, result, written)
    if result.interrupted:
        sys.exit(130)


@dataclass(frozen=True)
class Subject:
    """What to train on."""

    name: str
    title: str
    parameters: dict[str, Any]
    world: Any
    optimum: float | None = None  # score; of environments it is not known
    minimal: int | None = None  # states


def _subject(name: str, parameters: dict[str, Any]) -> Subject:
    """Return the domain of a name, or the environment of an id."""
    from nonmarkov.domains import DOMAINS, make_domain

    if name not in DOMAINS and re.search(r"-v\d+$", name):
        from nonmarkov.envs.stage import make_environment

        return Subject(name, name, parameters, make_environment(name, **parameters))
    made = make_domain(name, **parameters)
    process = made.build()
    optimum, minimal = process.optimal_score, process.minimal().n_states
    title = f"{name}, k={made.parameters['k']}"
    return Subject(name, title, made.parameters, process, optimum, minimal)


def _default_episodes(subject: Subject, method: str) -> int:
    from nonmarkov.training import METHODS
    from nonmarkov.training.published import published_for

    paper = METHODS[method].learner is not None and subject.optimum is not None
    published = published_for(subject.world) if paper else None
    return published.episodes if published else DEFAULT_EPISODES


def _content(subject: Subject, seed: int, agent: Any, result: Any) -> Any:
    """Return the result as JSON data."""
    certificate = result.certificate
    return {
        "domain": subject.name,
        "parameters": subject.parameters,
        "method": result.method,
        "seed": seed,
        "episodes": result.episodes,
        "states": result.n_states,
        "score": result.score,
        "optimal_score": subject.optimum,
        "seconds": result.seconds,
        "episodes_per_second": result.episodes_per_second,
        "curve": [point[:3] for point in result.curve],
        "evaluations": [point._asdict() for point in result.curve],
        "certificate": {
            "passed": certificate.passed,
            "epsilon": certificate.epsilon,
            "delta": certificate.delta,
            "optimistic": certificate.optimistic,
            "pessimistic": certificate.pessimistic,
            "assumptions": certificate.assumptions,
            "obstacle": certificate.obstacle,
        },
        "interrupted": result.interrupted,
        "settings": asdict(agent.settings),
        "actions": _actions(agent.policy),
    }


def _actions(policy: Any) -> list[list[Any]]:
    """Return the actions that the policy takes in every safe state."""
    names = policy.automaton.alphabet.actions
    safe = policy.table[policy.automaton.safe]
    return [[names[a] for a in row.nonzero()[0]] for row in safe]


def _write(out: Path, title: str, agent: Any, content: Any) -> list[Path]:
    """Write the result into a folder; return the files."""
    import json

    from nonmarkov.errors import MissingExtraError
    from nonmarkov.files import write_atomically
    from nonmarkov.report.automaton_picture import save_automaton_picture

    names = ("result.json", "agent.nm", "abstraction.json", "abstraction.png")
    written = [out / name for name in names]
    write_atomically(written[0], (json.dumps(content, indent=2) + "\n").encode())
    agent.save(written[1])
    agent.abstraction.save(written[2])
    if agent.merges:
        decisions = {
            "changes": [asdict(change) for change in agent.changes],
            "merges": [asdict(merge) for merge in agent.merges],
            "splits": [asdict(split) for split in agent.splits],
        }
        written.insert(3, out / "decisions.json")
        write_atomically(written[3], (json.dumps(decisions, indent=1) + "\n").encode())
    states = f"{agent.n_states} safe state{'s' if agent.n_states != 1 else ''}"
    title = f"{title}: {states} after {agent.episodes:,} episodes"
    try:
        save_automaton_picture(agent.portrait, written[-1], title=title)
    except MissingExtraError as missing:
        click.echo(f"No picture. {missing}", err=True)
        return written[:-1]
    return written


def _show(subject: Subject, result: Any, written: list[Path]) -> None:
    """Print the curve, thinned out, and what it came to."""
    from nonmarkov.training import METHODS

    curve = result.curve
    every = -(-len(curve) // (MOST_ROWS - 1))
    rows = [(p[0], p[1], p[3], p[2], p[4], p[5], p[6]) for p in (*curve[:-1:every], curve[-1])]
    title = f"{subject.title}, method {result.method} ({METHODS[result.method].title})"
    print_table(title, COLUMNS, rows)
    click.echo(LEGEND)
    click.echo(
        f"score: {result.score:.4f}{_comparison(subject, result)}\n"
        f"time:  {result.seconds:.1f} s, {result.episodes_per_second:,.0f} episodes/s"
        f"{', interrupted' if result.interrupted else ''}\n\n{result.certificate}"
    )
    for path in written:
        click.echo(f"Wrote {path}")


def _comparison(subject: Subject, result: Any) -> str:
    """Return how the result compares with what is best, as far as that is known."""
    if subject.optimum is None:
        return f"; {result.n_states} states"
    share = f"{result.score / subject.optimum:.1%} of " if subject.optimum else ""
    return (
        f", {share}the optimal {subject.optimum:.4f}; "
        f"{result.n_states} states (minimal: {subject.minimal})"
    )
