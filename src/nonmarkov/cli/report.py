"""`nonmarkov report` and `nonmarkov watch`: a folder of runs as a page."""

from pathlib import Path

import click

FOLDER = click.argument("folder", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))


@click.command()
@FOLDER
def report(folder: Path) -> None:
    """Write DIR/report.html: summary, curves and automata of all runs in DIR.

    One file that needs no network and no other file; open it in any browser.
    """
    from nonmarkov.report.page import write_report

    click.echo(f"Wrote {write_report(folder)}")


@click.command()
@FOLDER
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    help="On 127.0.0.1; 0 takes any that is free. By default 8765, or any if that is taken.",
)
@click.option("--open/--no-open", "opened", default=True, help="Open the page in a browser.")
def watch(folder: Path, port: int | None, opened: bool) -> None:
    """Show the same page live while runs in DIR go on; Ctrl-C ends it."""
    from nonmarkov.report.live import watch as serve

    def ready(url: str) -> None:
        click.echo(f"Watching {folder} at {url} (Ctrl-C ends)")
        if opened:
            import webbrowser

            webbrowser.open(url)

    serve(folder, port, ready=ready)
