"""`nonmarkov domains`: what there is to solve."""

import click

from nonmarkov.cli.output import print_json, print_table


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def domains(as_json: bool) -> None:
    """List the domains, with their parameters and exact values."""
    from nonmarkov.domains import DOMAINS

    if as_json:
        print_json(
            [
                {"name": name, "summary": kind.summary(), "parameters": kind.defaults()}
                for name, kind in DOMAINS.items()
            ]
        )
        return
    rows = []
    for name, kind in DOMAINS.items():
        domain = kind()
        process = domain.build()
        rows.append(
            (
                name,
                domain.parameters["k"],
                process.n_states,
                len(process.actions),
                len(process.observations),
                process.horizon,
                process.optimal_value,
                process.optimal_score,
                kind.summary(),
            )
        )
    columns = ("domain", "k", "states", "acts", "obs", "H", "V*", "score")
    print_table("Domains, each at its smallest published k", columns, [row[:-1] for row in rows])
    click.echo(
        "V*: optimal value of an episode that is stopped at random, H steps on average.\n"
        "score: reward per step of that policy, in evaluation episodes of at most H steps.\n"
    )
    for row in rows:
        click.echo(f"{row[0]:<19} {row[-1]}")
    click.echo("\nParameters: nonmarkov domains --json. One of them: nonmarkov solve DOMAIN --k K.")
