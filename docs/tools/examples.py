"""The examples of the pages: read, run in order, compared with what the page says they print.

    ```python                run, all blocks of a page in one namespace and one folder
    ```toml, ```text         written to a file if `<!-- file: NAME -->` stands before it
    ```console               every line "$ nonmarkov ..." is run
    ```text                  after one of these: what it prints; "..." stands for anything

A comment before a block says more: `<!-- slow -->` takes long, `<!-- needs NAME -->` takes a module
that need not be there, `<!-- not run: WHY -->` is for commands that never end or need a cluster.

`python docs/tools/examples.py PAGE ...` runs pages and rewrites what their examples print.
"""

import contextlib
import importlib.util
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FENCE = re.compile(
    r"^(?:<!-- (?P<note>.+?) -->\n)?```(?P<kind>\w+)\n(?P<code>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
WORDS = re.compile(r"(\s+|[();:=%\[\]])")
NUMBER = re.compile(r"[-+]?\d+(\.\d+)?(e[-+]?\d+)?")
CLOSENESS = 0.2  # relative; numbers of a training may move a little when the program changes
RUN = ("python", "console")


@dataclass(frozen=True)
class Block:
    """One fenced block of a page."""

    kind: str
    note: str
    code: str
    line: int
    span: tuple[int, int]  # of the code, in the text of the page

    @property
    def is_slow(self) -> bool:
        """Whether it takes more than some seconds."""
        return self.note == "slow"

    @property
    def is_possible(self) -> bool:
        """Whether all that it needs is there."""
        if self.note.startswith("needs "):
            return importlib.util.find_spec(self.note.removeprefix("needs ")) is not None
        return not self.note.startswith("not run: ")


def read_blocks(page: Path) -> list[Block]:
    """Return the fenced blocks of a page."""
    text = page.read_text(encoding="utf-8")
    return [
        Block(
            found["kind"],
            found["note"] or "",
            found["code"],
            text.count("\n", 0, found.start("kind")) + 1,
            found.span("code"),
        )
        for found in FENCE.finditer(text)
    ]


def run_page(page: Path, *, slow: bool = False) -> Iterator[tuple[Block, Block | None, str]]:
    """Run the blocks of a page in the current folder.

    Yields what was run, the block that says what it prints, if there is one, and what it printed.
    """
    scope: dict[str, Any] = {"__name__": "__main__"}
    blocks = read_blocks(page)
    for block, following in zip(blocks, [*blocks[1:], None], strict=True):
        if block.note.startswith("file: "):
            Path(block.note.removeprefix("file: ")).write_text(block.code, encoding="utf-8")
        if block.kind in RUN and block.is_possible and (slow or not block.is_slow):
            printed = _run_python(block, page, scope) if block.kind == "python" else _type(block)
            says = following is not None and following.kind == "text" and not following.note
            yield block, following if says else None, printed


def _run_python(block: Block, page: Path, scope: dict[str, Any]) -> str:
    code = compile("\n" * block.line + block.code, str(page), "exec")
    sys.path.insert(0, os.getcwd())  # what an example has written can be imported
    try:
        with contextlib.redirect_stdout(io.StringIO()) as output:
            exec(code, scope)
    finally:
        sys.path.pop(0)
    return _tidy(output.getvalue())


def _type(block: Block) -> str:
    """Run the commands of a block as a user would type them; return what they print."""
    printed = []
    for line in block.code.splitlines():
        program, *arguments = shlex.split(line.removeprefix("$ "), comments=True) or [""]
        if program != "nonmarkov":
            raise ValueError(f"Only commands of nonmarkov can be run, not {line!r}.")
        call = [sys.executable, "-m", "nonmarkov", *arguments]
        done = subprocess.run(call, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise ValueError(f"{line!r} ended with {done.returncode}: {done.stderr}")
        printed.append(done.stdout)
    return _tidy("".join(printed))


def _tidy(text: str) -> str:
    lines = [line.rstrip() for line in text.splitlines()]
    return "\n".join(lines).strip("\n") + "\n" if any(lines) else ""


def agrees(printed: str, said: str) -> bool:
    """Return whether a page says what was printed: the same words, and nearly the same numbers."""
    words = [word for word in WORDS.split(said) if word]
    found = re.fullmatch("".join(map(_pattern, words)), printed, re.DOTALL)
    numbers = [word for word in words if _number(word) is not None]
    return found is not None and all(map(_is_near, found.groups(), numbers))


def _pattern(word: str) -> str:
    if word == "...":
        return ".*?"
    if _number(word) is not None:
        return r"([-+\d.,e]+)"
    return r"\s+" if word.isspace() else re.escape(word)


def _is_near(ours: str, theirs: str) -> bool:
    a, b = _number(ours), _number(theirs)
    return None not in (a, b) and (a == b or abs(a - b) <= CLOSENESS * max(abs(a), abs(b)))


def _number(word: str) -> float | None:
    digits = word.rstrip(".,").replace(",", "")
    return float(digits) if NUMBER.fullmatch(digits) else None


def rewrite(page: Path) -> None:
    """Run a page, and put what its examples print into it, except where it says it its own way."""
    text = page.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        results = list(run_page(page, slow=True))
    for _, said, printed in reversed(results):
        if said is not None and "..." not in said.code:
            text = text[: said.span[0]] + printed + text[said.span[1] :]
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    os.environ.pop("COLUMNS", None)
    for argument in sys.argv[1:]:
        rewrite(Path(argument).resolve())
