"""Reading .pomdp files: Cassandra's format, as pomdp-solve documents it.

A file is a preamble (discount, values, states, actions, observations, in any order), maybe a
start, and entries T, O and R, where later ones overrule earlier ones. An entry names less than
its table has dimensions, and gives a row or a matrix for the rest.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nonmarkov.formats.pomdp import Pomdp
from nonmarkov.formats.pomdp_rewards import RewardTable
from nonmarkov.formats.pomdp_tokens import Token, Tokens
from nonmarkov.labels import Label

ROW_TOLERANCE = 1e-5  # what the rows of a file may miss to 1, as in 0.333333; they are rescaled
LARGEST_TABLE = 30_000_000  # numbers
MOST_NAMES = 1_000_000
LISTS = ("states", "actions", "observations")
PREAMBLE = ("discount", "values", *LISTS)
# The dimensions of every table, and how many of them an entry must name at least.
TABLES: dict[str, tuple[tuple[str, ...], int]] = {
    "T": (("actions", "states", "states"), 1),
    "O": (("actions", "states", "observations"), 1),
    "R": (("actions", "states", "states", "observations"), 2),
}
KEYWORDS = (*PREAMBLE, "start", *TABLES)


def parse_pomdp(text: str, source: object = "The text") -> Pomdp:
    """Return the POMDP that a text describes; `source` is named in errors."""
    return _Reader(Tokens(text, source)).read()


class _Reader:
    """One file being read."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._preamble: dict[str, Any] = {}
        self._numbers: dict[str, dict[Label, int]] = {}  # names to their indices
        self._start: NDArray[np.float64] | None = None
        self._tables: dict[str, NDArray[np.float64]] = {}
        self._rewards = RewardTable(1, 1)
        self._lines: dict[str, NDArray[np.int64]] = {}  # where a row of T or O was last given

    def read(self) -> Pomdp:
        """Read the whole file."""
        while (token := self._tokens.peek()).text:
            if token.text in PREAMBLE and not self._tables:
                self._read_preamble(self._tokens.next())
            elif token.text == "start" and not self._tables:
                self._read_start(self._tokens.next())
            elif token.text in TABLES:
                self._read_entry(self._tokens.next())
            else:
                self._fail_at_unexpected(token)
        self._make_tables()
        self._finish_rows()
        states, actions, observations = (tuple(self._preamble[kind]) for kind in LISTS)
        return Pomdp(
            self._preamble.get("discount", 1.0),
            states,
            actions,
            observations,
            self._first_belief(),
            self._tables["T"],
            self._tables["O"],
            self._rewards,
        )

    def _fail_at_unexpected(self, token: Token) -> None:
        if token.text in KEYWORDS:
            self._tokens.fail(f"{token.text} must come before the first T, O or R")
        expected = "T, O or R" if self._tables else "discount, values, states, ..., T, O or R"
        self._tokens.fail(f"expected {expected}, got {self._tokens.describe(token)}")

    # --- preamble -------------------------------------------------------------------------------

    def _read_preamble(self, keyword: Token) -> None:
        if keyword.text in self._preamble:
            self._tokens.fail(f"{keyword.text} is given twice", keyword)
        self._tokens.expect(":")
        if keyword.text == "discount":
            self._preamble["discount"] = self._probability(self._tokens.next())
        elif keyword.text == "values":
            token = self._tokens.next()
            word = token.text.removesuffix("s")  # old files have rewards and costs
            if word not in ("reward", "cost"):
                self._tokens.fail(f"values must be reward or cost, got {token.text!r}", token)
            self._preamble["values"] = word
        else:
            names = self._read_names(keyword)
            self._preamble[keyword.text] = names
            self._numbers[keyword.text] = {name: i for i, name in enumerate(names)}

    def _read_names(self, keyword: Token) -> list[Label]:
        """Read a number of names, or the names themselves."""
        tokens = self._tokens
        if tokens.peek().is_index:
            token = tokens.next()
            count = int(token.text) if len(token.text) < 10 else MOST_NAMES + 1
            if not 0 < count <= MOST_NAMES:
                tokens.fail(f"the number of {keyword.text} must be from 1 to {MOST_NAMES}", token)
            return list(range(count))
        names: dict[Label, None] = {}
        while tokens.peek().is_name and not self._at_keyword():
            name = tokens.next()
            if name.text in names:
                tokens.fail(f"{keyword.text} has the name {name.text!r} twice", name)
            names[name.text] = None
        if not names or tokens.peek().is_number:
            got = tokens.describe(tokens.peek())
            tokens.fail(f"expected how many {keyword.text} there are, or their names, got {got}")
        return list(names)

    def _at_keyword(self) -> bool:
        """Return whether the next entry begins here; a state may be called T."""
        token, follower = self._tokens.peek(), self._tokens.peek(1).text
        begins = token.text == "start" and follower in ("include", "exclude")
        return begins or (token.text in KEYWORDS and follower == ":")

    def _names(self, kind: str, token: Token) -> list[Label]:
        if kind not in self._preamble:
            self._tokens.fail(f"{kind} must be given before this", token)
        names: list[Label] = self._preamble[kind]
        return names

    # --- start ----------------------------------------------------------------------------------

    def _read_start(self, keyword: Token) -> None:
        tokens, names = self._tokens, self._names("states", keyword)
        if self._start is not None:
            tokens.fail("start is given twice", keyword)
        how = tokens.next().text if tokens.peek().text in ("include", "exclude") else ""
        tokens.expect(":")
        self._start = np.zeros(len(names))
        if how:
            listed = self._read_start_states()
            self._start[listed] = 1.0
            self._start = self._start if how == "include" else 1.0 - self._start
            if not self._start.any():
                tokens.fail("start leaves no state over", keyword)
            self._start /= self._start.sum()
        elif tokens.take("uniform"):
            self._start[:] = 1.0 / len(names)
        elif tokens.peek().is_number and tokens.peek(1).is_number:
            self._start = self._row("start", [len(names)])
            total = float(self._start.sum())
            if abs(total - 1.0) > ROW_TOLERANCE:
                tokens.fail(f"the start probabilities sum to {total:.9g}, not to 1", keyword)
            self._start /= total
        else:
            self._start[self._start_state(names)] = 1.0

    def _start_state(self, names: list[Label]) -> int:
        """Read the one state to start in; of a single state, this may be its probability."""
        if len(names) == 1 and self._tokens.peek().text in ("1", "1.0"):
            self._tokens.next()
            return 0
        chosen: int = self._selector("states", wildcard=False)
        return chosen

    def _read_start_states(self) -> list[int]:
        listed: list[int] = []
        while (self._tokens.peek().is_index or self._tokens.peek().is_name) and (
            not self._at_keyword()
        ):
            listed.append(self._selector("states", wildcard=False))
        if not listed:
            self._tokens.fail("expected at least one state")
        return listed

    def _first_belief(self) -> NDArray[np.float64]:
        """Return where the world starts: anywhere, if the file does not say."""
        if self._start is not None:
            return self._start
        n_states = len(self._preamble["states"])
        return np.full(n_states, 1.0 / n_states)

    # --- entries --------------------------------------------------------------------------------

    def _make_tables(self) -> None:
        """Make room for the tables, once the sizes are known."""
        if self._tables:
            return
        for kind in LISTS:
            if kind not in self._preamble:
                self._tokens.fail(f"{kind} is missing; give it before the first T, O or R")
        for name in ("T", "O"):
            shape = self._shape(name)
            if np.prod(shape, dtype=np.float64) > LARGEST_TABLE:
                self._tokens.fail(
                    f"table {name} would have {' x '.join(map(str, shape))} numbers; at most "
                    f"{LARGEST_TABLE:,} are read"
                )
            self._tables[name] = np.zeros(shape)
            self._lines[name] = np.zeros(shape[:2], dtype=np.int64)
        sign = -1.0 if self._preamble.get("values") == "cost" else 1.0
        _, _, n_states, n_observations = self._shape("R")
        self._rewards = RewardTable(n_states, n_observations, sign)

    def _shape(self, name: str) -> tuple[int, ...]:
        return tuple(len(self._preamble[kind]) for kind in TABLES[name][0])

    def _read_entry(self, keyword: Token) -> None:
        """Read `T: action : state : state probability`, or a form that names less."""
        self._make_tables()
        kinds, least = TABLES[keyword.text]
        self._tokens.expect(":")
        place = [self._selector(kinds[0])]
        while len(place) < len(kinds) and self._tokens.take(":"):
            place.append(self._selector(kinds[len(place)]))
        if len(place) < least:
            self._tokens.fail(f"{keyword.text} must name {' and '.join(kinds[:least])}", keyword)
        values = self._values(keyword, len(place))
        if keyword.text == "R":
            self._rewards.add(tuple(place), values)
            return
        self._lines[keyword.text][tuple(place[:2])] = keyword.line
        self._tables[keyword.text][tuple(place)] = values

    def _values(self, keyword: Token, named: int) -> Any:
        """Read what an entry gives: a number, a row, a matrix, or a word for one of them."""
        name, word = keyword.text, self._tokens.peek().text
        shape = self._shape(name)
        rest = shape[named:]
        if word == "uniform" and name != "R" and rest:
            self._tokens.next()
            return 1.0 / rest[-1]
        if word == "identity" and name == "T" and len(rest) == 2:
            self._tokens.next()
            return np.eye(rest[0])
        if word == "reset" and name == "T" and len(rest) == 1:
            self._tokens.next()
            return self._first_belief()
        what = f"{name} with {named} of {len(shape)} parts named"
        return self._row(what, list(rest), any_sign=name == "R")

    def _row(self, what: str, shape: list[int], *, any_sign: bool = False) -> Any:
        """Read as many numbers as a shape has."""
        size = int(np.prod(shape))
        began = self._tokens.peek()
        found = self._tokens.numbers()
        if len(found) != size:
            sizes = " x ".join(map(str, shape)) if len(shape) > 1 else str(size)
            then = self._tokens.describe(self._tokens.peek())
            self._tokens.fail(
                f"{what} needs {sizes} number{'s' if size != 1 else ''}, got {len(found)} and then "
                f"{then}",
                began,
            )
        values = [self._number(t) if any_sign else self._probability(t) for t in found]
        return np.array(values).reshape(shape)

    def _selector(self, kind: str, *, wildcard: bool = True) -> Any:
        """Read a name, a number or an asterisk; return an index, or a slice for all."""
        token = self._tokens.next()
        names = self._names(kind, token)
        if token.text == "*" and wildcard:
            return slice(None)
        if token.text in self._numbers[kind]:
            return self._numbers[kind][token.text]
        if token.is_index and len(token.text) < 10 and int(token.text) < len(names):
            return int(token.text)
        shown = ", ".join(map(str, names[:8])) + (", ..." if len(names) > 8 else "")
        return self._tokens.fail(
            f"{self._tokens.describe(token)} is none of the {kind}, which are {shown}", token
        )

    def _number(self, token: Token) -> float:
        value = float(token.text) if token.is_number else float("nan")
        if not np.isfinite(value):
            self._tokens.fail(f"expected a number, got {self._tokens.describe(token)}", token)
        return value

    def _probability(self, token: Token) -> float:
        value = self._number(token)
        if not 0.0 <= value <= 1.0:
            self._tokens.fail(f"expected a probability from 0 to 1, got {token.text}", token)
        return value

    # --- rows -----------------------------------------------------------------------------------

    def _finish_rows(self) -> None:
        """Check that rows of T and O sum to one, and rescale what rounding left."""
        for name in ("T", "O"):
            table = self._tables[name]
            totals = table.sum(axis=2)
            wrong = np.abs(totals - 1.0) > ROW_TOLERANCE
            if wrong.any():
                a, s = np.argwhere(wrong)[0].tolist()
                line = int(self._lines[name][a, s])
                action, state = self._preamble["actions"][a], self._preamble["states"][s]
                token = Token(name, line, 1) if line else None
                given = "" if line else "; no line gives it"
                end = " end" if name == "O" else ""
                self._tokens.fail(
                    f"{name} of action {action!r} and{end} state {state!r} sums to "
                    f"{totals[a, s]:.9g}, not to 1{given}",
                    token,
                )
            exact = np.abs(totals - 1.0) <= 1e-13
            self._tables[name] = table / np.where(exact, 1.0, totals)[:, :, None]
