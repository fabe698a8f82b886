"""Docstrings become markup that says the same."""

from dataclasses import dataclass
from typing import NamedTuple

import nonmarkov as nm
from docs.tools.docstrings import commented_fields, to_markup


def test_columns_become_a_list():
    text = "First line.\n\nmu       at least\n         so much\nn        at most\n"
    assert to_markup(text) == "First line.\n\n``mu``\n    at least so much\n\n``n``\n    at most"


def test_parameters_become_a_list_and_what_follows_does_not():
    text = "seed: a number,\nor none.\na, b: two.\nCtrl-C ends\nit."
    assert to_markup(text) == (
        "``seed``\n    a number, or none.\n\n``a``, ``b``\n    two.\n\nCtrl-C ends it."
    )


def test_formulas_stay_as_they_are():
    assert (
        to_markup("As in:\n\n    V*(h) = max_a Q*(h,a)")
        == "As in:\n\n::\n\n    V*(h) = max_a Q*(h,a)"
    )


def test_only_names_are_markup():
    assert to_markup("V* and |S| of `a*b` and x_ but x_y.") == (
        r"V\* and \|S\| of `a*b` and x\_ but x_y."
    )


def test_nothing_stays_nothing():
    assert to_markup("") == ""


def test_comments_of_fields_are_found():
    fields = dict(commented_fields(nm.Result))
    assert fields["score"] == "exact, of the greedy policy at the end"
    assert "curve" not in fields
    assert dict(commented_fields(nm.Evaluation))["states"] == "safe states"


def test_inherited_fields_are_found_and_others_left_alone():
    assert "states" in dict(commented_fields(nm.RegularProcess))

    @dataclass
    class Foreign:
        x: int  # not ours

    class Pair(NamedTuple):
        y: int  # nor this

    assert list(commented_fields(Foreign)) == list(commented_fields(Pair)) == []
