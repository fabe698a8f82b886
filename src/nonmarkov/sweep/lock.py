"""One sweep at a time in a folder of results."""

import json
import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from nonmarkov.errors import FolderInUseError
from nonmarkov.files import make_folder, storage_error

LOCK = ".sweep.lock"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder, which is made if need be; FolderInUseError if another does.

    The system gives up the lock of a process that ends, in whatever way, so none is ever stale.
    """
    make_folder(folder)
    path = folder / LOCK
    try:
        descriptor = _acquire(path)
    except OSError as error:
        raise storage_error(path, error) from None
    try:
        yield
    finally:
        with suppress(OSError):
            path.unlink()  # before it is given up: the next one makes a new file
        os.close(descriptor)


def _acquire(path: Path) -> int:
    """Return the descriptor of a lock file that is ours."""
    import fcntl

    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_current(descriptor, path):
                _sign(descriptor)
                return descriptor
        except BlockingIOError:
            holder = _holder(path)
            os.close(descriptor)
            raise FolderInUseError(
                f"{path.parent} is in use by another sweep{holder}. Wait until it is done, or "
                f"choose another folder."
            ) from None
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)  # the one before us removed it in the meantime: try again


def _is_current(descriptor: int, path: Path) -> bool:
    """Return whether the file that is locked is still the one that others would find."""
    try:
        return os.fstat(descriptor).st_ino == path.stat().st_ino
    except FileNotFoundError:
        return False


def _sign(descriptor: int) -> None:
    """Write into the lock file whose it is, for the message to others."""
    holder = {
        "pid": os.getpid(),
        "host": platform.node(),
        "since": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    os.ftruncate(descriptor, 0)
    os.write(descriptor, json.dumps(holder).encode())


def _holder(path: Path) -> str:
    try:
        holder = json.loads(path.read_bytes())
        return f" (process {holder['pid']} on {holder['host']}, since {holder['since']})"
    except (OSError, ValueError, TypeError, LookupError):
        return ""
