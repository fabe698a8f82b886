"""`python -m nonmarkov` is the command line."""

from nonmarkov.cli.main import run

run()
