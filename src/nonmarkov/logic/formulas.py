"""Formulas of LTLf and LDLf in negation normal form, and the paths inside them.

Every constructor returns a canonical tuple, so equal formulas are equal Python values. Negation
is pushed down to the atoms when a formula is made; what remains is monotone, which is what
`progression` relies on.

    atom p            the first step exists and has the property p
    X f, WX f         there is a second step and f holds from there / if there is one
    F f, G f          f holds from some / every step on
    f U g, f R g      until, and its dual: release
    <path>f, [path]f  after some / every way to match the path, f holds
    paths             a propositional formula (one step), f? (a test), p + q, p ; q, p*

On the empty trace an atom is false, its negation true, and F is false, G true: every formula is
either true or false there too. De Giacomo, Vardi, "Linear Temporal Logic and Linear Dynamic Logic
on Finite Traces", IJCAI 2013.
"""

from typing import Any, TypeAlias

Formula: TypeAlias = tuple[Any, ...]
Path: TypeAlias = tuple[Any, ...]

TRUE: Formula = ("true",)
FALSE: Formula = ("false",)
MORE: Formula = ("more",)  # there is at least one step left
END: Formula = ("end",)  # there is none

DUAL = {
    **{"true": "false", "more": "end", "atom": "not", "next": "weak", "until": "release"},
    **{"and": "or", "some": "every"},
}
DUAL |= {dual: name for name, dual in DUAL.items()}


def atom(name: str) -> Formula:
    """Return the formula that the first step has a property."""
    return ("atom", name)


def negate(formula: Formula) -> Formula:
    """Return the negation, pushed down to the atoms."""
    kind, *parts = formula
    if kind in ("some", "every"):
        return (DUAL[kind], parts[0], negate(parts[1]))
    if kind in ("atom", "not"):
        return (DUAL[kind], *parts)
    return (DUAL[kind], *map(negate, parts))


def conjunction(left: Formula, right: Formula) -> Formula:
    """Return f ∧ g."""
    return ("and", left, right)


def disjunction(left: Formula, right: Formula) -> Formula:
    """Return f ∨ g."""
    return ("or", left, right)


def implication(left: Formula, right: Formula) -> Formula:
    """Return f → g."""
    return disjunction(negate(left), right)


def equivalence(left: Formula, right: Formula) -> Formula:
    """Return f ↔ g."""
    return conjunction(implication(left, right), implication(right, left))


def eventually(formula: Formula) -> Formula:
    """Return F f."""
    return ("until", TRUE, formula)


def always(formula: Formula) -> Formula:
    """Return G f."""
    return ("release", FALSE, formula)


def propositions(formula: Formula) -> set[str]:
    """Return the names of all properties in a formula or path."""
    if formula[0] in ("atom", "not"):
        return {formula[1]}
    return set().union(*(propositions(part) for part in formula[1:]))
