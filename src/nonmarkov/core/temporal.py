"""Processes whose dynamics depend on temporal formulas about the history.

The other definition of regular decision processes: Brafman, De Giacomo, "Regular Decision
Processes: A Model for Non-Markovian Domains", IJCAI 2019. A rule is a formula of LTLf or LDLf and
what every action does while the formula holds of the history so far; of several rules whose
formula holds, the first counts. The hidden state is what the formulas still ask for.

A step (action, observation, reward) has as properties the name of its action and the name of its
observation; an observation that is a tuple stands for several fluents, and each is a property.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from nonmarkov.checks import check_flag, check_real
from nonmarkov.core.alphabet import Termination
from nonmarkov.core.building import OutcomeList
from nonmarkov.errors import FormulaError, InvalidParameterError, InvalidProcessError
from nonmarkov.labels import Label, as_label
from nonmarkov.logic.formulas import propositions as propositions_of
from nonmarkov.logic.parsing import parse_formula
from nonmarkov.logic.progression import Normal, Step, advance, begin, holds

Properties = Callable[[Label, Label, float], Iterable[str]]
Rules = Sequence[tuple[str, Mapping[Any, Sequence[Any]]]]
Answers = list[tuple[float, Label, float, bool]]  # probability, observation, reward, over


class RuledDynamics:
    """Outcomes by the first rule that holds; a state is a number, and 0 the empty history."""

    def __init__(
        self, actions: Sequence[Label], rules: Rules, properties: Properties | None, exclusive: bool
    ) -> None:
        self._formulas, self._answers = _read_rules(actions, rules)
        self._exclusive = check_flag("exclusive", exclusive)
        self._step = _step_reader(actions, self._answers, properties or default_properties)
        _check_names(self._formulas, self._answers, self._step)
        self._states = [tuple(begin(parse_formula(formula)) for formula in self._formulas)]
        self._numbers = {self._states[0]: 0}
        self._came_from: list[tuple[int, Any]] = [(0, None)]
        self._rules: dict[int, int] = {}  # state -> the rule that holds there

    def outcomes(self, state: int, action: Label) -> OutcomeList:
        """Return what an action does after the histories of a state."""
        if state not in self._rules:
            self._rules[state] = self._rule(state)
        return [
            (chance, seen, paid, None if over else self._successor(state, (action, seen, paid)))
            for chance, seen, paid, over in self._answers[self._rules[state]][action]
        ]

    def _rule(self, state: int) -> int:
        holding = [i for i, normal in enumerate(self._states[state]) if holds(normal)]
        if not holding:
            raise InvalidProcessError(
                f"No rule holds after {self._history(state)}; add a last rule with the formula "
                f"'true' for all other histories."
            )
        if self._exclusive and len(holding) > 1:
            first, second = (self._formulas[i] for i in holding[:2])
            raise InvalidProcessError(
                f"rules must be exclusive, but {first!r} and {second!r} both hold after "
                f"{self._history(state)}."
            )
        return holding[0]

    def _successor(self, state: int, symbol: tuple[Label, Label, float]) -> int:
        step = self._step(*symbol)
        after: tuple[Normal, ...] = tuple(advance(normal, step) for normal in self._states[state])
        if after not in self._numbers:
            self._numbers[after] = len(self._states)
            self._states.append(after)
            self._came_from.append((state, symbol))
        return self._numbers[after]

    def _history(self, state: int) -> str:
        """Return a shortest history that leads to a state, in words."""
        history: list[Any] = []
        while state:
            state, symbol = self._came_from[state]
            history.insert(0, symbol)
        return f"the history {history}" if history else "the empty history"


def default_properties(action: Label, observation: Label, reward: float) -> tuple[str, ...]:
    """Return the names of action and observation; a tuple is a set of fluents."""
    del reward
    fluents = observation if isinstance(observation, tuple) else (observation,)
    return str(action), *map(str, fluents)


def _read_rules(
    actions: Sequence[Label], rules: Rules
) -> tuple[list[str], list[dict[Label, Answers]]]:
    """Return the formulas and, for each, the answers to every action."""
    if isinstance(rules, (str, Mapping)) or not isinstance(rules, Sequence) or not rules:
        raise InvalidProcessError(
            f"rules must be a list of (formula, {{action: outcomes}}), got {rules!r}."
        )
    formulas, answers = [], []
    for number, rule in enumerate(rules):
        place = f"rules[{number}]"
        if not isinstance(rule, Sequence) or len(rule) != 2 or not isinstance(rule[1], Mapping):
            raise InvalidProcessError(f"{place} must be (formula, {{action: outcomes}}): {rule!r}.")
        formula, table = rule
        wrong = [action for action in actions if action not in table]
        wrong += [action for action in table if action not in actions]
        if wrong:
            raise InvalidProcessError(
                f"{place} must say what each of the actions {list(actions)} does; it says nothing "
                f"of, or does not know, {wrong[0]!r}."
            )
        formulas.append(formula)
        answers.append({a: [_answer(f"{place}[{a!r}]", e) for e in table[a]] for a in actions})
    return formulas, answers


def _answer(place: str, entry: Any) -> tuple[float, Label, float, bool]:
    """Return an outcome of a rule; a fourth part, END, says that the episode is over then."""
    sized = isinstance(entry, Sequence) and not isinstance(entry, str)
    over = sized and len(entry) == 4 and isinstance(entry[3], Termination)
    if over or (sized and len(entry) == 3):
        chance, observation, reward = entry[:3]
        return chance, as_label(observation), check_real(f"{place}: a reward", reward), over
    raise InvalidProcessError(
        f"{place}: expected (probability, observation, reward), and nm.END as a fourth part if "
        f"the episode is over then; got {entry!r}."
    )


def _step_reader(
    actions: Sequence[Label], answers: list[dict[Label, Answers]], properties: Properties
) -> Callable[[Label, Label, float], Step]:
    """Return the function from steps to their properties, which must not be ambiguous."""
    if not callable(properties):
        raise InvalidParameterError(f"propositions must be a function, got {properties!r}.")
    if properties is default_properties:
        seen = {o for table in answers for row in table.values() for _, o, _, _ in row}
        fluents = {name for o in seen for name in default_properties(None, o, 0.0)[1:]}
        if both := fluents & {str(action) for action in actions}:
            raise InvalidProcessError(
                f"{min(both)!r} is the name of an action and of an observation; rename one, or "
                f"pass `propositions`, a function from (action, observation, reward) to names."
            )

    def read(action: Label, observation: Label, reward: float) -> Step:
        names = properties(action, observation, reward)
        if isinstance(names, str) or not isinstance(names, Iterable):
            raise InvalidParameterError(
                f"propositions({action!r}, {observation!r}, {reward!r}) must give a list of names, "
                f"got {names!r}."
            )
        return frozenset(map(str, names))

    return read


def _check_names(
    formulas: list[str],
    answers: list[dict[Label, Answers]],
    step: Callable[[Label, Label, float], Step],
) -> None:
    """Refuse propositions that no step can have."""
    known: set[str] = set().union(
        *(step(a, o, r) for table in answers for a, row in table.items() for _, o, r, _ in row)
    )
    for number, formula in enumerate(formulas):
        for name in sorted(propositions_of(parse_formula(formula)) - known):
            close = get_close_matches(name, known, n=1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            raise FormulaError(
                f"rules[{number}]: no step has the property {name!r}.{hint} Known: "
                f"{', '.join(sorted(known))}."
            )
