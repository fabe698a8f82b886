"""The command `nonmarkov`: its subcommands, and the one place where errors become exit codes."""

import sys

import click

from nonmarkov import __version__
from nonmarkov.cli.bench import bench
from nonmarkov.cli.domains import domains
from nonmarkov.cli.export import export
from nonmarkov.cli.inspection import inspect
from nonmarkov.cli.learn import learn
from nonmarkov.cli.report import report, watch
from nonmarkov.cli.solve import solve
from nonmarkov.cli.sweep import reproduce, sweep
from nonmarkov.cli.train import train
from nonmarkov.errors import NonMarkovError

USER_MISTAKE = 2
INTERRUPTED = 130


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__)
def cli() -> None:
    """Reinforcement learning where what happens next depends on the whole history."""


COMMANDS = (
    *(domains, solve, train, learn, reproduce, sweep, report, watch),
    *(inspect, export, bench),
)
for command in COMMANDS:
    cli.add_command(command)


def run() -> None:
    """Run the command line; a user's mistake is one line on standard error and exit code 2."""
    try:
        code = cli.main(standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        sys.exit(USER_MISTAKE)
    except click.ClickException as error:
        _fail(error.format_message())
    except NonMarkovError as error:
        _fail(str(error))
    except OSError as error:
        _fail(f"{error.filename}: {error.strerror}." if error.filename else str(error))
    except MemoryError:
        _fail("There is not enough memory for this. Choose smaller parameters.")
    except (click.Abort, KeyboardInterrupt):
        sys.exit(INTERRUPTED)
    sys.exit(code if isinstance(code, int) else 0)


def _fail(message: str) -> None:
    click.echo(f"nonmarkov: {' '.join(message.split())}", err=True)
    sys.exit(USER_MISTAKE)
