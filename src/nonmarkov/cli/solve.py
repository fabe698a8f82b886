"""`nonmarkov solve`: the exact solution of a domain."""

from pathlib import Path

import click

from nonmarkov.cli.output import print_json, print_table
from nonmarkov.cli.parameters import domain_options, read_parameters


@click.command()
@domain_options
@click.option(
    "--picture",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also draw the process and its optimal policy (.png, .svg, .pdf).",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def solve(
    domain: str, k: int | None, assignments: tuple[str, ...], picture: Path | None, as_json: bool
) -> None:
    """Solve DOMAIN exactly: V*, the optimal score, the number of states."""
    from nonmarkov.domains import make_domain

    made = make_domain(domain, **read_parameters(k, assignments))
    process = made.build()
    result = {
        "domain": domain,
        "parameters": made.parameters,
        "states": process.n_states,
        "minimal_states": process.minimal().n_states,
        "actions": len(process.actions),
        "observations": len(process.observations),
        "optimal_value": process.optimal_value,
        "optimal_score": process.optimal_score,
    }
    if picture is not None:
        from nonmarkov.report.process_picture import save_process_picture

        title = f"{domain}, k={made.parameters['k']}"
        save_process_picture(process, picture, title=title)
    if as_json:
        print_json(result)
        return
    settings = ", ".join(f"{name}={value}" for name, value in made.parameters.items())
    rows = [(name.replace("_", " "), value) for name, value in result.items()]
    click.echo(f"{domain}: {settings}")
    print_table("", ("quantity", "exact value"), rows[2:])
    if picture is not None:
        click.echo(f"Picture: {picture}")
