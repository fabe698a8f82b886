"""The words of a .pomdp file, each with its line and column."""

import re
from typing import NamedTuple, NoReturn

from nonmarkov.errors import FileFormatError

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\Z", re.ASCII)
WORD = re.compile(r"[:*]|[^\s:*#]+")


class Token(NamedTuple):
    """A word, a number, a colon or an asterisk; the last one of a file is empty."""

    text: str
    line: int
    column: int

    @property
    def is_number(self) -> bool:
        """Whether this is a number, whole or not."""
        return NUMBER.match(self.text) is not None

    @property
    def is_index(self) -> bool:
        """Whether this is a number that counts."""
        return self.text.isascii() and self.text.isdigit()

    @property
    def is_name(self) -> bool:
        """Whether this may be the name of a state, an action or an observation."""
        return self.text not in ("", ":", "*") and not self.is_number


class Tokens:
    """The words of a file, read one after the other."""

    def __init__(self, text: str, source: object) -> None:
        self._source = source
        lines = text.split("\n")
        self._tokens = [
            Token(match.group(), number, match.start() + 1)
            for number, line in enumerate(lines, start=1)
            for match in WORD.finditer(line.partition("#")[0])
        ]
        self._tokens.append(Token("", len(lines), len(lines[-1]) + 1))
        self._place = 0

    def peek(self, ahead: int = 0) -> Token:
        """Return the present word, or one of those that follow, without reading it."""
        return self._tokens[min(self._place + ahead, len(self._tokens) - 1)]

    def next(self) -> Token:
        """Read and return the present word."""
        token = self.peek()
        self._place += 1
        return token

    def take(self, text: str) -> bool:
        """Read the present word if it is the given one, and return whether it was."""
        taken = self.peek().text == text
        self._place += taken
        return taken

    def expect(self, text: str) -> None:
        """Read the present word, which must be the given one."""
        if not self.take(text):
            self.fail(f"expected {text!r}, got {self.describe(self.peek())}")

    def numbers(self) -> list[Token]:
        """Read all numbers up to the next word that is none."""
        found = []
        while self.peek().is_number:
            found.append(self.next())
        return found

    def fail(self, problem: str, token: Token | None = None) -> NoReturn:
        """Raise an error that names file, line and column."""
        place = token or self.peek()
        raise FileFormatError(
            f"{self._source}, line {place.line}, column {place.column}: {problem}."
        )

    @staticmethod
    def describe(token: Token) -> str:
        """Return a word in quotes, or what stands for the end."""
        return repr(token.text) if token.text else "the end of the file"
