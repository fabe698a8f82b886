"""Trees of plain values and arrays as one sealed file, read with suspicion.

    nonmarkov agent 1     what the file holds, and the version of its format
    f3a9...               SHA-256 of everything below, in hexadecimal
    {...}                 one line of JSON, with {"@": [type, shape]} in the place of arrays
    ...                   the arrays, in the order of that line, little-endian, without gaps

Integers are written in the smallest type that holds them all. Nothing in such a file names code.
The digest catches damage and careless edits; it is no protection against an author of bad intent,
so readers ask for every value with the shape and the range that it must have.
"""

import hashlib
import json
import math
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from nonmarkov.checks import check_flag, check_integer, check_real
from nonmarkov.errors import FileFormatError
from nonmarkov.files import LARGEST_FILE, UNREADABLE, canonical_json

VERSION = 2
LARGEST_LINE = 1 << 26  # bytes of JSON
MOST_DIMENSIONS = 4
PLACEHOLDER = "@"
FLAGS, REALS, INTEGERS = "b1", "f8", ("u1", "i1", "u2", "i2", "u4", "i4", "i8")
LARGEST_INTEGER = 2**63 - 1

Shape = tuple[int | None, ...]  # None: any length
Record = TypeVar("Record")


# --- writing ------------------------------------------------------------------------------------


def pack(kind: str, content: dict[str, Any]) -> bytes:
    """Return the file that holds `content`: the same content, the same bytes."""
    arrays: list[bytes] = []
    line = canonical_json(_flattened(content, arrays)).encode()
    body = b"".join([line, b"\n", *arrays])
    seal = hashlib.sha256(body).hexdigest()
    data = b"".join([f"nonmarkov {kind} {VERSION}\n{seal}\n".encode(), body])
    if len(data) > LARGEST_FILE or len(line) > LARGEST_LINE:
        raise FileFormatError(
            f"The {kind} takes {len(data):,} bytes, too many for one file: at most "
            f"{LARGEST_FILE:,}, of which {LARGEST_LINE:,} for names."
        )
    return data


def columns(kind: type[Any], records: Iterable[Any]) -> dict[str, NDArray[Any]]:
    """Return records whose fields are integers and floats as one array for every field."""
    rows = list(records)
    return {
        name: np.array([getattr(row, name) for row in rows], dtype=_column_type(wanted))
        for name, wanted in kind.__annotations__.items()
    }


def _column_type(wanted: type) -> DTypeLike:
    return np.int64 if wanted is int else np.float64


def _flattened(node: Any, arrays: list[bytes]) -> Any:
    """Return a tree with placeholders for its arrays, whose bytes are appended to `arrays`."""
    if isinstance(node, np.ndarray):
        code = _code_for(node)
        arrays.append(np.ascontiguousarray(node, dtype=np.dtype(f"<{code}")).tobytes())
        return {PLACEHOLDER: [code, list(node.shape)]}
    if isinstance(node, dict):
        return {name: _flattened(node[name], arrays) for name in sorted(node)}
    if isinstance(node, (list, tuple)):
        return [_flattened(entry, arrays) for entry in node]
    return node


def _code_for(array: NDArray[Any]) -> str:
    if array.dtype.kind in "bf":
        return FLAGS if array.dtype.kind == "b" else REALS
    low, high = (int(array.min()), int(array.max())) if array.size else (0, 0)
    limits = ((code, np.iinfo(code)) for code in INTEGERS)
    return next(code for code, limit in limits if limit.min <= low and high <= limit.max)


# --- reading ------------------------------------------------------------------------------------


def unpack(kind: str, data: bytes, source: object) -> "Stored":
    """Return what `pack` wrote; `source` is named in errors."""
    first, seal, begin = _split(data)
    words = first.split(b" ")
    if words[:2] != [b"nonmarkov", kind.encode()] or len(words) != 3:
        raise FileFormatError(f"{source} does not hold a nonmarkov {kind}.")
    if words[2] != str(VERSION).encode():
        version = words[2].decode(errors="replace")
        raise FileFormatError(
            f"{source} has version {version}; this library reads {VERSION}. Load it with the "
            f"version of nonmarkov that wrote it."
        )
    if seal != hashlib.sha256(memoryview(data)[begin:]).hexdigest().encode():
        raise FileFormatError(f"{source} is incomplete, or was changed after it was written.")
    try:
        return Stored(_Reader(data, begin).tree())
    except UNREADABLE as error:
        raise FileFormatError(f"{source} does not hold a valid {kind}: {error}") from None


def is_packed(data: bytes) -> bool:
    """Return whether a file begins like one of these."""
    return data.startswith(b"nonmarkov ")


def _split(data: bytes) -> tuple[bytes, bytes, int]:
    """Return the first line, the second, and where the rest begins; what is missing is empty."""
    first = data.find(b"\n", 0, 100)
    second = data.find(b"\n", first + 1, first + 100) if first >= 0 else -1
    if second < 0:
        return data[:100], b"", len(data)
    return data[:first], data[first + 1 : second], second + 1


class _Reader:
    """Takes the arrays out of a file, each where its placeholder stands."""

    def __init__(self, data: bytes, begin: int) -> None:
        end = data.find(b"\n", begin, begin + LARGEST_LINE + 1)
        if end < 0:
            raise FileFormatError("it has no line of JSON, or a very long one")
        self._data, self._line, self._at = data, data[begin:end], end + 1

    def tree(self) -> Any:
        """Return the tree with its arrays in place."""
        tree = self._filled(json.loads(self._line, parse_constant=_refuse_constant))
        if self._at != len(self._data):
            raise FileFormatError("there is more in it than it says")
        return tree

    def _filled(self, node: Any) -> Any:
        if isinstance(node, list):
            return [self._filled(entry) for entry in node]
        if not isinstance(node, dict):
            return node
        if PLACEHOLDER in node:
            code, shape = node[PLACEHOLDER]
            return self._array(code, shape)
        return {name: self._filled(entry) for name, entry in node.items()}

    def _array(self, code: object, shape: Sequence[object]) -> NDArray[Any]:
        if code not in (FLAGS, REALS, *INTEGERS) or len(shape) > MOST_DIMENSIONS:
            raise FileFormatError(f"an array of type {code!r} and shape {shape!r} is not ours")
        lengths = [check_integer("a length", n, at_least=0, at_most=LARGEST_FILE) for n in shape]
        dtype, count = np.dtype(f"<{code}"), math.prod(lengths)
        if count * dtype.itemsize > len(self._data) - self._at:
            raise FileFormatError(f"an array of shape {lengths} does not fit into it")
        array = np.frombuffer(self._data, dtype, count, self._at).reshape(lengths)
        self._at += array.nbytes
        if code == FLAGS and array.size and array.view(np.uint8).max() > 1:
            raise FileFormatError("a flag must be 0 or 1")
        return array


def _refuse_constant(name: str) -> None:
    raise FileFormatError(f"{name} is not a number that JSON knows")


class Stored:
    """A part of a file; every value is asked for with what it must be like."""

    def __init__(self, content: object, place: str = "") -> None:
        if not isinstance(content, dict):
            raise FileFormatError(f"{place or 'the content'} must have named parts")
        self._content, self._place = content, place

    def plain(self, name: str) -> Any:
        """Return a value as it is, to be checked by the caller."""
        if name not in self._content:
            raise FileFormatError(f"{self._path(name)} is missing")
        return self._content[name]

    def _path(self, name: str) -> str:
        return f"{self._place}.{name}" if self._place else name

    def part(self, name: str) -> "Stored":
        """Return a part with parts of its own."""
        return Stored(self.plain(name), self._path(name))

    def has(self, name: str) -> bool:
        """Return whether there is such a part, and not none."""
        return self._content.get(name) is not None

    def integer(self, name: str, at_least: int = 0, at_most: int = LARGEST_INTEGER) -> int:
        """Return an integer."""
        value = self.plain(name)
        return check_integer(self._path(name), value, at_least=at_least, at_most=at_most)

    def real(self, name: str) -> float:
        """Return a finite number."""
        return check_real(self._path(name), self.plain(name))

    def flag(self, name: str) -> bool:
        """Return True or False."""
        return check_flag(self._path(name), self.plain(name))

    def text(self, name: str) -> str:
        """Return a text."""
        if not isinstance(value := self.plain(name), str):
            raise FileFormatError(f"{self._path(name)} must be a text")
        return value

    def integers(
        self,
        name: str,
        shape: Shape,
        at_least: int = 0,
        at_most: int = LARGEST_INTEGER,
        dtype: DTypeLike = np.int64,
    ) -> NDArray[Any]:
        """Return an array of integers in a range, that can be written to."""
        array = self._array(name, shape, "iu")
        if array.size and (int(array.min()) < at_least or int(array.max()) > at_most):
            raise FileFormatError(
                f"{self._path(name)} must lie in {at_least} .. {at_most}, got "
                f"{array.min()} .. {array.max()}"
            )
        return array.astype(dtype)

    def reals(self, name: str, shape: Shape) -> NDArray[np.float64]:
        """Return an array of numbers, finite or infinite, that can be written to."""
        array = self._array(name, shape, "f")
        if np.isnan(array).any():
            raise FileFormatError(f"{self._path(name)} has entries that are no numbers")
        return array.astype(np.float64)

    def flags(self, name: str, shape: Shape) -> NDArray[np.bool_]:
        """Return an array of flags that can be written to."""
        return self._array(name, shape, "b").astype(np.bool_)

    def records(self, name: str, kind: type[Record]) -> list[Record]:
        """Return the records that `columns` wrote; their integers are not negative."""
        part, fields = self.part(name), kind.__annotations__
        arrays = [
            part.integers(field, (None,)) if wanted is int else part.reals(field, (None,))
            for field, wanted in fields.items()
        ]
        if len({array.size for array in arrays}) > 1:
            raise FileFormatError(f"the columns of {self._path(name)} differ in length")
        return [kind(*row) for row in zip(*(array.tolist() for array in arrays), strict=True)]

    def require(self, fact: object, text: str) -> None:
        """Refuse the file unless a fact holds."""
        if not fact:
            raise FileFormatError(f"{self._place}: {text}" if self._place else text)

    def _array(self, name: str, shape: Shape, kinds: str) -> NDArray[Any]:
        array = self.plain(name)
        if not isinstance(array, np.ndarray) or array.dtype.kind not in kinds:
            raise FileFormatError(f"{self._path(name)} must be an array of another type")
        fits = len(shape) == array.ndim and all(
            wanted in (None, length) for wanted, length in zip(shape, array.shape, strict=True)
        )
        if not fits:
            raise FileFormatError(f"{self._path(name)} must have shape {shape}, got {array.shape}")
        return array
