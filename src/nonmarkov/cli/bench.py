"""`nonmarkov bench`: measurements, as ratios taken in one run."""

import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from nonmarkov.cli.output import print_json, print_table, track
from nonmarkov.cli.parameters import read_settings

JOBS = click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=os.cpu_count() or 1,
    show_default="number of cores",
    help="Processes at a time.",
)

MARKDOWN = click.option(
    "--markdown",
    type=click.Path(dir_okay=False, path_type=Path),
    callback=lambda _context, _parameter, path: _check_folder(path),
    help="Also write the table to this file, in the place of its first table if it has one.",
)


@click.group()
def bench() -> None:
    """Measure how fast this installation is, and how close to the paper."""


@bench.command()
@click.option(
    "--seconds",
    type=click.FloatRange(min=0.01),
    default=0.2,
    show_default=True,
    help="Time for one measurement; each is made five times.",
)
@click.option(
    "--memory-episodes",
    type=click.IntRange(min=0),
    default=15_000_000,
    show_default=True,
    help="Episodes of the trainings whose memory is measured; 0 leaves that out.",
)
@JOBS
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def speed(seconds: float, memory_episodes: int, jobs: int, as_json: bool) -> None:
    """Compare simulator, training and the published program; measure memory.

    Several minutes, most of them for memory: it trains on all 22 configurations.
    """
    from nonmarkov.bench.speed import CONFIGURATIONS, Measurement, measure
    from nonmarkov.bench.training import CONFIGURATIONS as TRAINED
    from nonmarkov.bench.training import measure_memory, measure_training
    from nonmarkov.training import PUBLISHED

    simulated: list[Measurement] = []
    for name, k in track(CONFIGURATIONS, "simulator"):
        simulated += measure(name, k, seconds)
    trained = [measure_training(name, k, seconds) for name, k in track(TRAINED, "training")]
    memory = []
    if memory_episodes:
        running = measure_memory(list(PUBLISHED), memory_episodes, jobs)
        memory = list(track(running, "memory", total=len(PUBLISHED)))
    if as_json:
        parts: dict[str, list[Any]] = {
            "simulator": simulated,
            "training": trained,
            "memory": memory,
        }
        print_json({name: [asdict(m) for m in part] for name, part in parts.items()})
        return
    _show_simulator(simulated)
    _show_training(trained)
    if memory:
        _show_memory(memory)


def _show_simulator(results: list[Any]) -> None:
    columns = ("domain", "k", "policy", "episodes/s", "steps/s", "draws/s", "ratio")
    rows = [
        (
            result.domain,
            result.k,
            result.policy,
            round(result.episodes_per_second),
            round(result.steps_per_second),
            round(result.draws_per_second),
            result.ratio,
        )
        for result in results
    ]
    print_table("Simulation on one core, medians of five runs", columns, rows)
    click.echo("draws/s: a bare loop that only draws random categories; ratio: steps per draw.")
    growth = max(result.memory_growth_mb for result in results)
    click.echo(f"Peak memory grew by at most {growth:.1f} MB while playing.\n")


def _show_training(results: list[Any]) -> None:
    from nonmarkov.bench.training import mean_speedup

    columns = ["domain", "k"]
    for phase in ("learning", "settled", "whole"):
        columns += [phase, "of sim"]
    rows = [
        (
            result.domain,
            result.k,
            round(result.learning),
            result.learning_ratio,
            round(result.settled),
            result.settled_ratio,
            round(result.whole),
            result.whole_ratio,
            round(result.published),
            f"{result.speedup:,.0f}x",
        )
        for result in results
    ]
    title = "Training the paper's agent on one core, episodes per second"
    print_table(title, (*columns, "published", "faster"), rows)
    click.echo(
        "learning: from the first episode until the score has settled. settled: after that.\n"
        "whole: over the published number of episodes. of sim: of the bare simulator's episodes,\n"
        "under the uniform policy; for settled, under the same policy. published: the paper's\n"
        "program, as once measured on a similar machine; faster: learning against that,\n"
        f"{mean_speedup(results):,.0f}x in the geometric mean.\n"
    )


def _show_memory(results: list[Any]) -> None:
    rows = [(m.domain, m.k, m.episodes, round(m.peak_mb), round(m.seconds)) for m in results]
    title = "Peak memory of a training, in a process of its own"
    print_table(title, ("domain", "k", "episodes", "MB", "seconds"), rows)


@bench.command()
@click.option("--domain", "names", multiple=True, help="Only these domains. Repeatable.")
@click.option("--seeds", type=click.IntRange(min=1), default=5, show_default=True)
@click.option(
    "--with",
    "options",
    multiple=True,
    metavar="NAME=VALUE",
    help="A setting that is to differ from the published ones, as in `train`. Repeatable.",
)
@JOBS
@MARKDOWN
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def fidelity(
    names: tuple[str, ...],
    seeds: int,
    options: tuple[str, ...],
    jobs: int,
    markdown: Path | None,
    as_json: bool,
) -> None:
    """Train the paper's agent as published, beside the published program's own runs.

    All 22 configurations with 5 seeds take about ten minutes on two cores.
    """
    from nonmarkov.bench.fidelity import COLUMNS, compare, to_markdown

    configurations = _selected(names, ())
    running = compare(configurations, seeds, jobs, read_settings(options))
    rows = list(track(running, "training", total=len(configurations)))
    _write_table(markdown, to_markdown(rows))
    if as_json:
        print_json([row.to_content() for row in rows])
        return
    print_table("Episodes to 95 % of the optimal score", COLUMNS, [row.cells for row in rows])


@bench.command()
@click.option("--domain", "names", multiple=True, help="Only these domains. Repeatable.")
@click.option("--k", "sizes", type=int, multiple=True, help="Only these k. Repeatable.")
@click.option("--seeds", type=click.IntRange(min=1), default=5, show_default=True)
@JOBS
@MARKDOWN
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def samples(
    names: tuple[str, ...],
    sizes: tuple[int, ...],
    seeds: int,
    jobs: int,
    markdown: Path | None,
    as_json: bool,
) -> None:
    """Count the episodes that `apart` needs, beside an oracle and the paper's agent.

    Episodes until the exact score of the greedy policy stays at 95 % and at 99 % of the optimum,
    the median over the seeds and the worst of them. The oracle is given the true abstraction. A run
    ends when its score has been at 99 % for two thirds of at least the expected number of
    episodes, or after three times that number.
    """
    from nonmarkov.bench.fidelity import to_table
    from nonmarkov.bench.samples import COLUMNS, measure

    configurations = _selected(names, sizes)
    rows = list(track(measure(configurations, seeds, jobs), "training", len(configurations)))[::-1]
    _write_table(markdown, to_table(COLUMNS, [row.cells for row in rows]))
    if as_json:
        print_json([row.to_content() for row in rows])
        return
    print_table("Episodes to a share of the optimal score", COLUMNS, [row.cells for row in rows])
    click.echo(
        "expected: at most so many to 95 % (99 % for malfunction_mab), as are oracle and paper;\n"
        "an exclamation mark if not. right: runs whose automaton is exactly the minimal one."
    )


@bench.command()
@click.option("--domain", "names", multiple=True, help="Only these domains. Repeatable.")
@click.option("--seeds", type=click.IntRange(min=1), default=5, show_default=True)
@MARKDOWN
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def peers(names: tuple[str, ...], seeds: int, markdown: Path | None, as_json: bool) -> None:
    """Learn from logs beside Alergia of AALpy: time and states, on the same episodes."""
    from nonmarkov.bench.fidelity import to_table
    from nonmarkov.bench.peers import COLUMNS, EPISODES, compare
    from nonmarkov.domains import DOMAINS

    kinds = [DOMAINS[name] for name in names or DOMAINS]
    configurations = [c for c in EPISODES if DOMAINS[c[0]] in kinds]
    if not configurations:
        raise click.UsageError("None of the compared configurations is like that.")
    rows = list(track(compare(configurations, seeds), "learning", len(configurations)))
    _write_table(markdown, to_table(COLUMNS, [row.cells for row in rows]))
    if as_json:
        print_json([row.to_content() for row in rows])
        return
    print_table("Automata from uniform random episodes", COLUMNS, [row.cells for row in rows])


@bench.command()
@click.option("--only", "names", multiple=True, help="Part of a name; repeatable.")
@click.option("--seeds", type=click.IntRange(min=1), default=3, show_default=True)
@MARKDOWN
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--speed", is_flag=True, help="Only how many steps per second learning can follow.")
def environments(
    names: tuple[str, ...], seeds: int, markdown: Path | None, as_json: bool, speed: bool
) -> None:
    """Train in environments of others; some need the extra `environments`."""
    if speed:
        _show_pace(as_json)
        return
    from nonmarkov.bench.environments import CASES, COLUMNS, measure
    from nonmarkov.bench.fidelity import to_table

    chosen = [c for c in CASES if not names or any(name.lower() in c.lower() for name in names)]
    if not chosen:
        raise click.UsageError(f"No environment is called like that; there are {', '.join(CASES)}.")
    rows = list(track(measure(chosen, seeds), "learning", len(chosen)))
    _write_table(markdown, to_table(COLUMNS, [row.cells for row in rows]))
    if as_json:
        print_json([asdict(row) for row in rows])
        return
    print_table("Environments", COLUMNS, [row.cells for row in rows])


def _show_pace(as_json: bool) -> None:
    from nonmarkov.bench.keeping_up import COLUMNS, NAMES, measure

    rows = list(track(measure(), "learning", len(NAMES)))
    if as_json:
        print_json([{**asdict(row), "learning": row.learning} for row in rows])
        return
    print_table("Steps per second", COLUMNS, [row.cells for row in rows])


def _check_folder(path: Path | None) -> Path | None:
    """Refuse a file that cannot be written, before the work is done."""
    if path is not None and not path.parent.is_dir():
        raise FileNotFoundError(f"{path} cannot be written: {path.parent} is no folder.")
    return path


def _write_table(path: Path | None, table: str) -> None:
    """Put a table into a file, if there is one to put it into."""
    from nonmarkov.bench.fidelity import with_table
    from nonmarkov.files import write_atomically

    if path is not None:
        before = path.read_text() if path.exists() else ""
        write_atomically(path, with_table(before, table).encode())


def _selected(names: tuple[str, ...], sizes: tuple[int, ...]) -> list[tuple[str, int]]:
    """Return the published configurations of some domains and sizes, all by default."""
    from nonmarkov.domains import DOMAINS
    from nonmarkov.training import PUBLISHED

    kinds = [DOMAINS[name] for name in names or DOMAINS]
    found = [c for c in PUBLISHED if DOMAINS[c[0]] in kinds and (not sizes or c[1] in sizes)]
    if not found:
        raise click.UsageError("None of the published configurations is like that.")
    return found
