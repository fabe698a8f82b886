"""What tests of Ray clusters share."""

import importlib.util
import os
import subprocess
import sys

import pytest

needs_ray = pytest.mark.skipif(
    importlib.util.find_spec("ray") is None,
    reason='RAY IS NOT INSTALLED: pip install "nonmarkov[ray]" to test clusters',
)


def run_quietly(home, *arguments):
    """Run a command of the library with that folder as home; return how it ended."""
    done = subprocess.run(
        [sys.executable, "-m", "nonmarkov", *map(str, arguments), "--quiet"],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env=os.environ | {"HOME": str(home)},
    )
    assert done.returncode == 0, done.stderr
    return done


def secret(folder):
    """Return an environment in which all of a cluster know a secret, and nobody else does."""
    path = folder / "token"
    with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
        file.write("0123456789abcdef" * 4)
    mine = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN_PATH": str(path)}
    return os.environ | mine | {"RAY_USAGE_STATS_ENABLED": "0"}
