"""`nonmarkov domains`: what there is to solve."""

from typing import Any

import click

from nonmarkov.cli.output import print_json, print_table

COLUMNS = {
    "domain": "name",
    "k": "k",
    "states": "states",
    "acts": "actions",
    "obs": "observations",
    "H": "horizon",
    "V*": "optimal_value",
    "score": "optimal_score",
}


@click.command()
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def domains(name: str | None, as_json: bool) -> None:
    """List the domains with their exact values, or show the data sheet of one.

    In JSON, a parameter that is null is worked out from the others.
    """
    from nonmarkov.domains import DOMAINS, data_sheet

    if name is not None:
        click.echo(data_sheet(name))
        return
    entries = [_describe(name) for name in DOMAINS]
    if as_json:
        print_json(entries)
        return
    rows = [tuple(entry[key] for key in COLUMNS.values()) for entry in entries]
    print_table("Domains, each at its smallest published k", tuple(COLUMNS), rows)
    click.echo(
        "V*: optimal value of an episode that is stopped at random, H steps on average.\n"
        "score: reward per step of that policy, in evaluation episodes of at most H steps.\n"
    )
    for entry in entries:
        click.echo(f"{entry['name']:<19} {entry['summary']}")
    click.echo("\nMore: nonmarkov domains DOMAIN, nonmarkov solve DOMAIN --k K.")


def _describe(name: str) -> dict[str, Any]:
    """Return a domain's parameters, sizes and exact values, all at its defaults."""
    from nonmarkov.domains import DOMAINS

    kind = DOMAINS[name]
    process = kind().build()
    return {
        "name": name,
        "summary": kind.summary(),
        "parameters": kind.defaults(),
        "k": kind.defaults()["k"],
        "states": process.n_states,
        "actions": len(process.actions),
        "observations": len(process.observations),
        "horizon": process.horizon,
        "optimal_value": process.optimal_value,
        "optimal_score": process.optimal_score,
    }
