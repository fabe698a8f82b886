"""Types in signatures have short names."""

import pytest
from sphinx.util.typing import stringify_annotation

from docs.tools.signatures import shorten
from nonmarkov.core.alphabet import Outcome, Symbol
from nonmarkov.core.building import OutcomeList
from nonmarkov.labels import Label


@pytest.mark.parametrize("mode", ["smart", "fully-qualified-except-typing"])
def test_aliases_have_the_names_that_they_have_in_the_code(mode):
    types = {"Label": Label, "Symbol": Symbol, "Outcome": Outcome, "OutcomeList": OutcomeList}
    assert {name: shorten(stringify_annotation(t, mode)) for name, t in types.items()} == {
        name: name for name in types
    }


def test_labels_within_labels_are_one():
    inner = "str | int | float | bool | tuple[Label, ...] | None"
    assert shorten(f"(x: str | int | float | bool | tuple[{inner}, ...] | None)") == "(x: Label)"


def test_arrays_are_short():
    assert shorten("ndarray[tuple[Any, ...], dtype[int64]] = None") == "NDArray[int64] = None"


def test_all_else_stays():
    assert shorten("(a: tuple[int, ...] = (), *, b: str | None)") == (
        "(a: tuple[int, ...] = (), *, b: str | None)"
    )
