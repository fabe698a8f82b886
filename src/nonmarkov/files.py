"""Files of ours: arrays and sealed JSON, written whole or not at all, read with suspicion.

An envelope is one JSON object with the keys `format` (what it holds), `version`, `sha256` (of the
canonical text of the content) and `content`. The digest catches damage and careless edits; it is
no protection against an author of bad intent, so readers still check every value.
"""

import errno
import hashlib
import io
import json
import math
import os
import secrets
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nonmarkov.errors import (
    FileFormatError,
    InvalidParameterError,
    MissingFileError,
    StorageError,
    UnreadableFileError,
)

LARGEST_FILE = 1 << 30
VERSION = 1

_ROOM = "Make room and try again: what was written before is kept."
_ELSEWHERE = "Choose a folder that may be written to."
_HINTS = {
    errno.ENOSPC: _ROOM,
    errno.EDQUOT: _ROOM,
    errno.EACCES: _ELSEWHERE,
    errno.EPERM: _ELSEWHERE,
    errno.EROFS: _ELSEWHERE,
    errno.ENOENT: _ELSEWHERE,
    errno.ENOTDIR: _ELSEWHERE,
}

# What readers raise on bytes that were not written by us.
UNREADABLE = (
    ArithmeticError,
    AttributeError,
    EOFError,
    LookupError,
    MemoryError,
    RuntimeError,
    TypeError,
    ValueError,
)


def canonical_json(content: Any) -> str:
    """Return the one JSON text of `content` that is hashed and compared."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest(text: str) -> str:
    """Return the SHA-256 of `text`, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def as_path(path: str | os.PathLike[str]) -> Path:
    """Return `path` as a path, if it can be one."""
    try:
        place = Path(path)
    except TypeError:
        raise InvalidParameterError(f"path must be a text or a Path, got {path!r}.") from None
    if "\0" in str(place):
        raise InvalidParameterError(f"path must be the name of a file, got {path!r}.")
    return place


def storage_error(path: Path, error: OSError) -> StorageError:
    """Return an error that says in one line what cannot be written, why, and what to do."""
    hint = _HINTS.get(error.errno or 0, "")
    reason = error.strerror or str(error)
    return StorageError(f"{path} cannot be written: {reason}. {hint}".rstrip())


def make_folder(path: Path) -> None:
    """Make a folder, with those above it, unless it is there."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise storage_error(path, error) from None


def write_atomically(path: str | os.PathLike[str], data: bytes) -> None:
    """Write `data` to `path`: afterwards the file holds all of it, or what it held before.

    StorageError says why it cannot be written.
    """
    target = as_path(path)
    try:
        if target.is_dir():
            raise StorageError(f"{target} cannot be written: it is a folder. Name a file in it.")
        if not target.parent.is_dir():
            raise StorageError(f"{target} cannot be written: {target.parent} is no folder.")
        _write_and_rename(target, data)
    except StorageError:
        raise
    except OSError as error:
        raise storage_error(target, error) from None


def _write_and_rename(target: Path, data: bytes) -> None:
    draft = target.with_name(f".{target.name}.{secrets.token_hex(8)}")
    try:
        with draft.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(target)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Return the content of the file, unless it is too large to be one of ours.

    MissingFileError if there is none, UnreadableFileError if it cannot be read for another reason.
    """
    source = as_path(path)
    try:
        if source.stat().st_size > LARGEST_FILE:
            raise FileFormatError(f"{source} is larger than {LARGEST_FILE} bytes; it is not read.")
        return source.read_bytes()
    except FileNotFoundError:
        raise MissingFileError(f"{source} cannot be read: there is no such file.") from None
    except OSError as error:
        reason = "it is a folder" if source.is_dir() else error.strerror or str(error)
        raise UnreadableFileError(f"{source} cannot be read: {reason}.") from None


def write_arrays(path: str | os.PathLike[str], arrays: dict[str, NDArray[Any]]) -> None:
    """Write named arrays to one compressed npz file."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **arrays)
    write_atomically(path, buffer.getvalue())


def read_arrays(path: str | os.PathLike[str]) -> dict[str, NDArray[Any]]:
    """Return the arrays of an npz file, unless it is damaged, too large, or holds objects."""
    data = read_bytes(path)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > LARGEST_FILE:
                raise FileFormatError(f"{path} unpacks to more than {LARGEST_FILE} bytes.")
            return {
                entry.filename.removesuffix(".npy"): _read_array(archive.read(entry))
                for entry in archive.infolist()
            }
    except (*UNREADABLE, zipfile.BadZipFile, zlib.error) as error:
        if isinstance(error, FileFormatError):
            raise
        raise FileFormatError(f"{path} does not hold arrays: {error}") from None


def _read_array(data: bytes) -> NDArray[Any]:
    """Return the array of an npy file, whose header must agree with its size."""
    file = io.BytesIO(data)
    version = np.lib.format.read_magic(file)
    if version != (1, 0):
        raise ValueError(f"format {version} is not ours")
    shape, _, dtype = np.lib.format.read_array_header_1_0(file)
    if dtype.hasobject:
        raise ValueError("objects are never loaded")
    rest = file.read()
    if math.prod(shape) * dtype.itemsize != len(rest):
        raise ValueError("a header does not agree with its data")
    return np.frombuffer(rest, dtype=dtype).reshape(shape)


def seal(kind: str, content: dict[str, Any]) -> str:
    """Return the text of the envelope around `content`."""
    return json.dumps(
        {
            "format": kind,
            "version": VERSION,
            "sha256": digest(canonical_json(content)),
            "content": content,
        },
        allow_nan=False,
    )


def unseal(kind: str, text: str | bytes, source: object) -> dict[str, Any]:
    """Return the content of an envelope of the given kind; `source` is named in errors."""
    try:
        envelope = json.loads(text, parse_constant=_refuse_constant)
        sealed = canonical_json(envelope.get("content")) if isinstance(envelope, dict) else ""
    except UNREADABLE as error:
        raise FileFormatError(f"{source} is no complete JSON text: {error}.") from None
    if not isinstance(envelope, dict) or envelope.get("format") != kind:
        raise FileFormatError(f"{source} does not hold a {kind}.")
    if envelope.get("version") != VERSION:
        raise FileFormatError(
            f"{source} has version {envelope.get('version')!r}; this library reads {VERSION}."
        )
    content = envelope.get("content")
    if not isinstance(content, dict) or envelope.get("sha256") != digest(sealed):
        raise FileFormatError(f"{source} was changed or damaged after it was written.")
    return content


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number that JSON knows")
