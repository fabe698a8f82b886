"""`nonmarkov sweep` and `nonmarkov reproduce`: many runs, in a folder of results."""

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from nonmarkov.cli.output import print_json, print_table

if TYPE_CHECKING:
    from nonmarkov.results.specification import RunSpec
    from nonmarkov.sweep.conducting import Progress, Report

Command = TypeVar("Command", bound=Callable[..., Any])

FAILED, INTERRUPTED = 1, 130
EVERY = 15.0  # seconds between two lines about progress, where there is no terminal
MOST_FAILURES = 5  # that are listed


def sweep_options(command: Command) -> Command:
    """Add the options that say where and how runs are done."""
    for decorate in (
        click.option("--quiet", is_flag=True, help="No progress on standard error."),
        click.option("--json", "as_json", is_flag=True, help="Print JSON."),
        click.option(
            "--ray",
            metavar="ADDRESS",
            help='Do the runs on a Ray cluster; "local" starts one on this machine.',
        ),
        click.option(
            "--jobs",
            type=click.IntRange(min=1),
            help="Processes at a time.  [default: number of cores]",
        ),
    ):
        command = decorate(command)
    return command


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, exists=True, path_type=Path))
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of results.  [default: out/NAME for NAME.toml]",
)
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
@sweep_options
def sweep(
    file: Path,
    out: Path | None,
    dry_run: bool,
    jobs: int | None,
    ray: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Do all runs that FILE asks for and that are not in the folder yet.

    FILE is in TOML: tables [[runs]] with domain, parameters, vary, methods, settings,
    vary_settings, seeds and episodes. Ctrl-C ends the sweep; started again, it goes on where it
    was.
    """
    from nonmarkov.sweep.grid import read_grid

    specs, folder = read_grid(file), out or Path("out", file.stem)
    if dry_run:
        _show_plan(specs, folder, as_json)
    else:
        _finish(_conduct(specs, folder, jobs, ray, quiet), as_json)


@click.command()
@click.option("--quick", is_flag=True, help="Minutes. The default.")
@click.option("--full", is_flag=True, help="All of it, as published: over an hour.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of results.  [default: out/quick or out/full]",
)
@sweep_options
def reproduce(
    quick: bool,
    full: bool,
    out: Path | None,
    jobs: int | None,
    ray: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Run the paper's experiments: all agents on all domains.

    Ctrl-C ends it; started again, it goes on where it was.
    """
    from nonmarkov.sweep.reproduction import full_grid, quick_grid

    if quick and full:
        raise click.UsageError("--quick and --full cannot both be done; give one of them.")
    specs, size = (full_grid(), "full") if full else (quick_grid(), "quick")
    report = _conduct(specs, out or Path("out", size), jobs, ray, quiet)
    written = illustrate(report.folder, as_json) if report.complete else []
    _finish(report, as_json, written)


def illustrate(folder: Path, as_json: bool) -> list[Path]:
    """Show a reproduction as a table, figures and a page; return the files written."""
    from nonmarkov.errors import MissingExtraError
    from nonmarkov.report.figures import save_all_figures
    from nonmarkov.report.page import write_report
    from nonmarkov.results.store import Store
    from nonmarkov.sweep.overview import COLUMNS, overview, write_overview

    rows = overview(Store(folder).table())
    if not as_json:
        print_table("Medians over seeds", COLUMNS, rows)
    written = [write_overview(folder, rows), write_report(folder)]
    try:
        written += save_all_figures(folder, folder / "figures")
    except MissingExtraError as missing:
        click.echo(f"No figures. {missing}", err=True)
    return written


def _conduct(
    specs: Sequence["RunSpec"], folder: Path, jobs: int | None, ray: str | None, quiet: bool
) -> "Report":
    from nonmarkov.sweep.conducting import conduct

    with _progress(quiet) as watch:
        return conduct(specs, folder, jobs=jobs, ray=ray, watch=watch)


def _show_plan(specs: Sequence["RunSpec"], folder: Path, as_json: bool) -> None:
    """Print what a sweep would do."""
    from nonmarkov.sweep.plan import make_plan

    plan = make_plan(specs, folder)
    if as_json:
        content = {
            "folder": str(folder),
            "wanted": len(plan.wanted),
            "stored": plan.n_stored,
            "missing": [{"name": spec.name} | spec.to_content() for spec in plan.missing],
        }
        print_json(content)
        return
    wanted, missing = (
        Counter((s.domain, str(s.parameters.get("k", "")), s.method, s.episodes) for s in specs)
        for specs in (plan.wanted, plan.missing)
    )
    rows = [(*group, n, missing[group]) for group, n in wanted.items()]
    columns = ("domain", "k", "method", "episodes", "runs", "missing")
    print_table(f"Runs for {folder}", columns, rows)
    click.echo(f"{len(plan.missing):,} of {len(plan.wanted):,} runs would be done.")


def _finish(report: "Report", as_json: bool, written: Sequence[Path] = ()) -> None:
    """Print what a sweep came to, and end with an exit code that says it too."""
    if as_json:
        print_json(report.to_content() | {"written": [str(path) for path in written]})
    else:
        for path in written:
            click.echo(f"Wrote {path}")
        click.echo(
            f"{report.done:,} runs done in {_duration(report.seconds)}, {report.stored:,} were "
            f"there, {len(report.failed):,} failed; results are in {report.folder}"
        )
    for outcome in report.failed[:MOST_FAILURES]:
        click.echo(f"nonmarkov: {outcome.spec} failed: {outcome.error}", err=True)
    if len(report.failed) > MOST_FAILURES:
        click.echo(f"nonmarkov: {len(report.failed) - MOST_FAILURES} more failed", err=True)
    if report.interrupted:
        click.echo("nonmarkov: interrupted; the same command goes on from here", err=True)
        sys.exit(INTERRUPTED)
    if report.failed:
        sys.exit(FAILED)


@contextmanager
def _progress(quiet: bool) -> Iterator[Callable[["Progress"], None]]:
    """Yield a function that shows progress: a bar in a terminal, else a line now and then."""
    if quiet:
        yield lambda progress: None
    elif not sys.stderr.isatty():
        yield _Lines()
    else:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
        from rich.progress import Progress as Bar

        columns = (MofNCompleteColumn(), BarColumn(bar_width=30), TextColumn("{task.description}"))
        with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("starting", total=None)

            def show(progress: "Progress") -> None:
                done = progress.stored + progress.done + progress.failed
                text = _remark(progress)
                bar.update(task, total=progress.wanted, completed=done, description=text)

            yield show


class _Lines:
    """Prints a line about progress, now and then."""

    def __init__(self) -> None:
        self._next = 0.0

    def __call__(self, progress: "Progress") -> None:
        now = time.monotonic()
        if now >= self._next:
            self._next = now + EVERY
            ended = progress.stored + progress.done + progress.failed
            click.echo(f"{ended:,} of {progress.wanted:,} runs; {_remark(progress)}", err=True)


def _remark(progress: "Progress") -> str:
    parts = []
    if progress.seconds_left is not None:
        parts.append(f"{_duration(progress.seconds_left)} left")
    if progress.failed:
        parts.append(f"{progress.failed:,} failed")
    if progress.latest is not None:
        parts.append(str(progress.latest.spec))
    return ", ".join(parts) or "starting"


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
