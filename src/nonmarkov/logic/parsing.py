"""Formulas of LTLf and LDLf from text; errors name the column.

From weak to strong: <-> then -> then | then & then U and R, then !, X, WX, F, G, <path>, [path].
Inside a path: + then ; then * and ?. Names that are no identifiers, or words of the logic, are
written in double quotes.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

from nonmarkov.errors import FormulaError
from nonmarkov.logic import formulas
from nonmarkov.logic.formulas import Formula, Path

LONGEST = 5_000  # characters
DEEPEST = 60  # brackets within brackets

TOKEN = re.compile(
    r'\s*(?:(?P<name>[^\W\d]\w*)|"(?P<quoted>(?:[^"\\]|\\.)*)"'
    r"|(?P<sign><->|->|&&|\|\||[!&|<>()\[\]+;*?]))"
)
SPACE = re.compile(r"\s*")
LAST: Formula = ("some", ("step", formulas.TRUE), formulas.END)
CONSTANTS = {
    **{"true": formulas.TRUE, "tt": formulas.TRUE, "false": formulas.FALSE, "ff": formulas.FALSE},
    **{"end": formulas.END, "last": LAST},
}
PREFIXES: dict[str, Callable[[Formula], Formula]] = {
    "!": formulas.negate,
    "X": lambda formula: ("next", formula),
    "WX": lambda formula: ("weak", formula),
    "F": formulas.eventually,
    "G": formulas.always,
}
INFIXES: list[dict[str, Callable[[Formula, Formula], Formula]]] = [
    {"<->": formulas.equivalence},
    {"->": formulas.implication},
    {"|": formulas.disjunction, "||": formulas.disjunction},
    {"&": formulas.conjunction, "&&": formulas.conjunction},
    {"U": lambda left, right: ("until", left, right), "R": lambda f, g: ("release", f, g)},
]
WORDS = {*CONSTANTS, "X", "WX", "F", "G", "U", "R"}
PROPOSITIONAL = {"true", "false", "atom", "not", "and", "or"}


@dataclass(frozen=True)
class Token:
    """A word, sign or quoted name, and the column where it begins, from 1."""

    text: str
    column: int
    quoted: bool = False


def parse_formula(text: str) -> Formula:
    """Return the formula that a text says."""
    if not isinstance(text, str):
        raise FormulaError(f"A formula must be a text, got {text!r}.")
    if len(text) > LONGEST:
        raise FormulaError(f"A formula may have {LONGEST} characters, got {len(text)}.")
    parser = _Parser(text)
    formula = parser.formula()
    if not parser.at_end:
        parser.fail("an operator or the end")
    return formula


def _tokens(text: str) -> list[Token]:
    """Return the tokens of a text, and an empty one for its end."""
    tokens, place = [], 0
    while place < len(text.rstrip()):
        match = TOKEN.match(text, place)
        start = SPACE.match(text, place).end()  # type: ignore[union-attr]  # it always matches
        if match is None:
            raise FormulaError(
                f"formula {text!r}, column {start + 1}: {text[start]!r} is no part of a formula; "
                f'write unusual names in double quotes, like "a-b".'
            )
        quoted = match["quoted"]
        if quoted is not None:
            tokens.append(Token(re.sub(r"\\(.)", r"\1", quoted), start + 1, quoted=True))
        else:
            tokens.append(Token(match["name"] or match["sign"], start + 1))
        place = match.end()
    return [*tokens, Token("", len(text) + 1)]


class _Parser:
    """One text being read; a bracket may open a formula or a path, so reading can step back."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = _tokens(text)
        self._place = 0
        self._depth = 0
        # What was tried as a formula at a place: a formula and where it ends, or the error.
        self._tried: dict[int, tuple[Formula, int] | FormulaError] = {}

    @property
    def at_end(self) -> bool:
        """Whether everything was read."""
        return self._place == len(self._tokens) - 1

    def fail(self, expected: str) -> NoReturn:
        """Raise an error that names the present token."""
        token = self._tokens[self._place]
        got = "the end" if self.at_end else repr(token.text)
        raise FormulaError(
            f"formula {self._text!r}, column {token.column}: expected {expected}, got {got}."
        )

    def formula(self, level: int = 0) -> Formula:
        """Read a formula whose operators bind at least as strongly as those of a level."""
        if level == len(INFIXES):
            return self._prefixed()
        left = self.formula(level + 1)
        operators = INFIXES[level]
        while (token := self._sign()) in operators:
            self._place += 1
            # Implication, until and release lean to the right: a -> b -> c is a -> (b -> c).
            leans = token in ("->", "U", "R")
            left = operators[token](left, self.formula(level if leans else level + 1))
        return left

    def _sign(self) -> str:
        """Return the present token's text, or nothing for a quoted name."""
        token = self._tokens[self._place]
        return "" if token.quoted else token.text

    def _take(self, sign: str) -> bool:
        taken = self._sign() == sign
        self._place += taken
        return taken

    def _expect(self, sign: str) -> None:
        if not self._take(sign):
            self.fail(repr(sign))

    def _prefixed(self) -> Formula:
        self._depth += 1
        if self._depth > DEEPEST:
            self.fail(f"at most {DEEPEST} operators and brackets within each other")
        sign = self._sign()
        if sign in PREFIXES:
            self._place += 1
            result = PREFIXES[sign](self._prefixed())
        elif sign in ("<", "["):
            self._place += 1
            path = self._path()
            self._expect(">" if sign == "<" else "]")
            result = ("some" if sign == "<" else "every", path, self._prefixed())
        elif self._take("("):
            result = self.formula()
            self._expect(")")
        else:
            result = self._name()
        self._depth -= 1
        return result

    def _name(self) -> Formula:
        token = self._tokens[self._place]
        if not token.quoted and token.text in CONSTANTS:
            self._place += 1
            return CONSTANTS[token.text]
        if not token.quoted and (token.text in WORDS or not token.text.isidentifier()):
            self.fail("a proposition, a constant, a bracket or an operator like !, X, F, G")
        self._place += 1
        return formulas.atom(token.text)

    # --- paths ----------------------------------------------------------------------------------

    def _path(self) -> Path:
        path = self._sequence()
        while self._take("+"):
            path = ("choice", path, self._sequence())
        return path

    def _sequence(self) -> Path:
        path = self._repeated()
        while self._take(";"):
            path = ("sequence", path, self._repeated())
        return path

    def _repeated(self) -> Path:
        path = self._element()
        while self._take("*"):
            path = ("star", path)
        return path

    def _element(self) -> Path:
        """Read one step, a test, or a path in brackets."""
        began = self._place
        found = self._try_formula()
        if isinstance(found, FormulaError):
            self._place = began
            if not self._take("("):
                raise found
            path = self._path()
            self._expect(")")
            return path
        if self._take("?"):
            return ("test", found)
        if not _is_propositional(found):
            self.fail("'?' after a temporal formula in a path, which makes it a test")
        return ("step", found)

    def _try_formula(self) -> Formula | FormulaError:
        began, depth = self._place, self._depth
        if began not in self._tried:
            try:
                self._tried[began] = self.formula(), self._place
            except FormulaError as error:
                self._tried[began] = error
                self._depth = depth
        tried = self._tried[began]
        if isinstance(tried, FormulaError):
            return tried
        self._place = tried[1]
        return tried[0]


def _is_propositional(formula: Formula) -> bool:
    if formula[0] in ("atom", "not"):
        return True
    return formula[0] in PROPOSITIONAL and all(map(_is_propositional, formula[1:]))
