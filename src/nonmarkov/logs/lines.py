"""Text files line by line, however large."""

from collections.abc import Iterator
from pathlib import Path

from nonmarkov.errors import LogError

LONGEST_LINE = 1 << 26  # bytes


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a UTF-8 text, with their numbers from 1."""
    with path.open("rb") as file:
        number = 0
        while raw := file.readline(LONGEST_LINE + 1):
            number += 1
            if len(raw) > LONGEST_LINE:
                raise LogError(
                    f"{path}:{number}: the line is longer than {LONGEST_LINE >> 20} MB. Write one "
                    f"episode a line, and cut off those that are longer."
                )
            yield number, _decoded(raw, path, number)


def _decoded(raw: bytes, path: Path, number: int) -> str:
    try:
        return raw.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        raise LogError(
            f"{path}:{number}: byte {error.start + 1} of the line, 0x{raw[error.start]:02x}, is no "
            f"UTF-8. Save the file as UTF-8 text."
        ) from None


def first_line(path: Path) -> str:
    """Return the first line that is not empty, or nothing."""
    return next((text for _, text in numbered_lines(path) if text.strip()), "")
