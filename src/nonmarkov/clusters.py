"""Connections to Ray, quiet and offline; the only place that starts it."""

import logging
import os
import secrets
import socket
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from nonmarkov.errors import InvalidParameterError, MissingExtraError

LOCAL = "local"
MOST_RETRIES = 3  # of work whose node or process was lost
CONNECT_SECONDS = 5.0
LONGEST_REASON = 200  # characters of what Ray says
STORE = 100_000_000  # bytes of shared memory, the least that Ray takes


@contextmanager
def connected(address: str, jobs: int) -> Iterator[Any]:
    """Yield Ray, connected, without reports to anyone and without chatter.

    jobs: cores of the cluster that is started here, if the address is LOCAL.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    options: dict[str, Any] = {"logging_level": logging.ERROR, "log_to_driver": False}
    if address == LOCAL:
        options |= {"num_cpus": jobs, "include_dashboard": False, "object_store_memory": STORE}
    else:
        _check_address(address)
        options |= {"address": address}
    with _token() if address == LOCAL else nullcontext():
        ray = _import_ray()
        try:
            ray.init(**options)
        except (ConnectionError, ValueError, RuntimeError, OSError) as error:
            raise _unreachable(address, str(error).partition("\n")[0][:LONGEST_REASON]) from None
        try:
            yield ray
        finally:
            ray.shutdown()


def _check_address(address: str) -> None:
    """Refuse an address at which nobody answers: Ray itself would try for minutes."""
    host, separator, port = address.removeprefix("ray://").rpartition(":")
    if not separator:
        return  # "auto", or a name that Ray knows
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT_SECONDS).close()
    except (OSError, ValueError, OverflowError) as error:
        raise _unreachable(address, str(error)) from None


def _unreachable(address: str, reason: str) -> InvalidParameterError:
    return InvalidParameterError(
        f"ray: no cluster could be reached at {address!r} ({reason}). Start one with "
        f'"ray start --head", or choose "{LOCAL}".'
    )


def _import_ray() -> Any:
    try:
        import ray
        import ray.exceptions
    except ImportError:
        raise MissingExtraError(
            'Ray is not installed. Install it with: pip install "nonmarkov[ray]"'
        ) from None
    return ray


@contextmanager
def _token() -> Iterator[None]:
    """Let the cluster to be started accept only those who know a secret.

    Ray listens on all interfaces; and left alone, it would keep a secret that others can read.
    """
    if "ray" in sys.modules or "RAY_AUTH_MODE" in os.environ:
        yield  # the user has decided; Ray looks at this only when it is imported
        return
    with tempfile.TemporaryDirectory(prefix="nonmarkov-ray-") as scratch:
        path = Path(scratch, "token")
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_hex(32))
        os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN_PATH": str(path)}
        try:
            yield
        finally:
            del os.environ["RAY_AUTH_MODE"], os.environ["RAY_AUTH_TOKEN_PATH"]
