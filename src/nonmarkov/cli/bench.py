"""`nonmarkov bench`: measurements, as ratios taken in one run."""

from dataclasses import asdict

import click

from nonmarkov.cli.output import print_json, print_table, track


@click.group()
def bench() -> None:
    """Measure how fast this installation is."""


@bench.command()
@click.option(
    "--seconds",
    type=click.FloatRange(min=0.01),
    default=0.2,
    show_default=True,
    help="Time for one measurement; each is made five times.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def speed(seconds: float, as_json: bool) -> None:
    """Compare the simulator with a bare loop that only draws random categories."""
    from nonmarkov.bench.speed import CONFIGURATIONS, Measurement, measure

    results: list[Measurement] = []
    for name, k in track(CONFIGURATIONS, "measuring"):
        results += measure(name, k, seconds)
    if as_json:
        print_json([asdict(result) for result in results])
        return
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
    click.echo(f"Peak memory grew by at most {growth:.1f} MB while playing.")
