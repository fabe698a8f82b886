"""Formulas read one step at a time: Brzozowski's derivatives, for LTLf and LDLf.

A formula holds on the trace x·t exactly if its derivative by the step x holds on t. A derivative
is a monotone combination of finitely many formulas, kept as its one minimal disjunctive normal
form: a set of conjunctions, none within another. So there are finitely many derivatives, and they
are the states of a deterministic automaton that accepts the traces on which the formula holds.

Paths follow Antimirov's partial derivatives, "Partial derivatives of regular expressions and
finite automaton constructions", 1996, where tests become conditions on the present trace.
"""

from collections.abc import Collection, Iterable
from functools import lru_cache
from typing import TypeAlias

from nonmarkov.errors import InvalidProcessError
from nonmarkov.logic.formulas import END, FALSE, MORE, TRUE, Formula, Path, negate

Normal: TypeAlias = frozenset[frozenset[Formula]]  # a disjunction of conjunctions
Step: TypeAlias = frozenset[str]  # the properties that hold

HOLDS: Normal = frozenset({frozenset()})
FAILS: Normal = frozenset()
MOST_CONJUNCTIONS = 5_000
SKIP: Path = ("test", TRUE)  # the path that matches nothing, always


def begin(formula: Formula) -> Normal:
    """Return the normal form of a formula that has read nothing yet."""
    kind, *parts = formula
    if kind in ("and", "or"):
        return (_all if kind == "and" else _any)(map(begin, parts))
    return _minimal([frozenset({formula})])


def advance(normal: Normal, step: Step) -> Normal:
    """Return the normal form after one more step."""
    return _any(_all(derivative(part, step) for part in parts) for parts in normal)


def holds(normal: Normal) -> bool:
    """Return whether the formula holds if nothing follows."""
    return any(all(holds_on_nothing(part) for part in parts) for parts in normal)


@lru_cache(maxsize=100_000)
def holds_on_nothing(formula: Formula) -> bool:
    """Return whether a formula holds on the empty trace."""
    kind, *parts = formula
    if kind in ("and", "or"):
        return (all if kind == "and" else any)(map(holds_on_nothing, parts))
    if kind == "some":
        return holds_on_nothing(parts[1]) and any(map(holds_on_nothing, _empty_ways(parts[0])))
    if kind == "every":
        return not holds_on_nothing(negate(formula))
    return kind in ("true", "end", "not", "weak", "release")


@lru_cache(maxsize=100_000)
def derivative(formula: Formula, step: Step) -> Normal:
    """Return what must hold on the rest of a trace that begins with `step`."""
    kind, *parts = formula
    if kind in ("and", "or"):
        return (_all if kind == "and" else _any)(derivative(part, step) for part in parts)
    if kind in ("until", "release"):
        return _unrolled(formula, step)
    if kind in ("some", "every"):
        return _along(formula, step)
    if kind in ("next", "weak"):
        return begin(("and", parts[0], MORE) if kind == "next" else ("or", parts[0], END))
    decided = (parts[0] in step) == (kind == "atom") if parts else formula in (TRUE, MORE)
    return HOLDS if decided else FAILS


def _unrolled(formula: Formula, step: Step) -> Normal:
    """Return the derivative of f U g = g ∨ (f ∧ X(f U g)), or of f R g = g ∧ (f ∨ WX(f R g))."""
    kind, left, right = formula
    first, then = derivative(right, step), derivative(left, step)
    if kind == "until":
        return _any([first, _all([then, begin(formula)])])
    return _all([first, _any([then, begin(formula)])])


def _along(formula: Formula, step: Step) -> Normal:
    """Return the derivative of <path>f, or of [path]f as the dual of <path>¬f."""
    kind, path, goal = formula
    ways = [
        (condition, goal if rest == SKIP else (kind, rest, goal))
        for condition, rest in _ways(path, step)
    ]
    if kind == "some":
        moved = [_all([derivative(condition, step), begin(after)]) for condition, after in ways]
        stayed = [derivative(("and", c, goal), step) for c in _empty_ways(path)]
        return _any([*moved, *stayed])
    moved = [_any([derivative(negate(condition), step), begin(after)]) for condition, after in ways]
    stayed = [derivative(("or", negate(c), goal), step) for c in _empty_ways(path)]
    return _all([*moved, *stayed])


def _empty_ways(path: Path) -> list[Formula]:
    """Return the conditions on which a path matches nothing at all."""
    kind, *parts = path
    if kind == "star":
        return [TRUE]
    if kind == "test":
        return [parts[0]]
    if kind == "choice":
        return [way for part in parts for way in _empty_ways(part)]
    if kind == "sequence":
        return [
            ("and", first, second)
            for first in _empty_ways(parts[0])
            for second in _empty_ways(parts[1])
        ]
    return []


def _ways(path: Path, step: Step) -> list[tuple[Formula, Path]]:
    """Return (condition, rest of the path) for all ways to match `step` next."""
    kind, *parts = path
    if kind == "choice":
        return [way for part in parts for way in _ways(part, step)]
    if kind == "sequence":
        first, second = parts
        ways = [(condition, _then(rest, second)) for condition, rest in _ways(first, step)]
        return ways + [
            (("and", skipped, condition), rest)
            for skipped in _empty_ways(first)
            for condition, rest in _ways(second, step)
        ]
    if kind == "star":
        # A round that matches nothing changes nothing, so the next step is in the first round.
        return [(condition, _then(rest, path)) for condition, rest in _ways(parts[0], step)]
    if kind == "step":
        return [(TRUE, SKIP)] if derivative(parts[0], step) == HOLDS else []
    return []


def _then(first: Path, second: Path) -> Path:
    """Return the path that matches one after the other."""
    return second if first == SKIP else ("sequence", first, second)


def _any(forms: Iterable[Normal]) -> Normal:
    """Return the disjunction of normal forms."""
    return _minimal({parts for form in forms for parts in form})


def _all(forms: Iterable[Normal]) -> Normal:
    """Return the conjunction of normal forms."""
    result = HOLDS
    for form in forms:
        result = _minimal({left | right for left in result for right in form})
    return result


def _minimal(conjunctions: Collection[frozenset[Formula]]) -> Normal:
    """Drop what another conjunction implies, and what cannot be."""
    if len(conjunctions) > MOST_CONJUNCTIONS:
        raise InvalidProcessError(
            f"A formula needs more than {MOST_CONJUNCTIONS} conjunctions; split it into rules."
        )
    possible = {parts - {TRUE} for parts in conjunctions if FALSE not in parts}
    possible = {parts for parts in possible if not {MORE, END} <= parts}
    kept: list[frozenset[Formula]] = []
    for parts in sorted(possible, key=len):
        if not any(other <= parts for other in kept):
            kept.append(parts)
    return frozenset(kept)
