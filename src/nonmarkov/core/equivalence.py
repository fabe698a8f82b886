"""Whether two processes are the same decision process, and an experiment that shows they are not.

Two processes are equivalent when D(·|h,a) agrees for every history of positive probability and
every action. States, their number and the order of labels play no part.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from nonmarkov.core.alphabet import END, Outcome, Symbol
from nonmarkov.core.process import RegularProcess
from nonmarkov.errors import AlphabetError
from nonmarkov.exact.minimisation import SAME_PROBABILITY
from nonmarkov.exact.tables import PADDING
from nonmarkov.labels import Label


@dataclass(frozen=True)
class Experiment:
    """A shortest history and an action after which two processes behave differently."""

    history: tuple[Symbol, ...]
    action: Label
    outcome: Outcome  # (observation, reward), or END
    left: float  # probability of the outcome in the first process
    right: float  # and in the second


def distinguish(left: RegularProcess, right: RegularProcess) -> Experiment | None:
    """Return a shortest distinguishing experiment, or None if the processes are equivalent.

    Exact up to rounding: probabilities within 1e-12 of each other count as equal.
    """
    if set(left.actions) != set(right.actions):
        raise AlphabetError(
            f"Only processes with the same actions can be compared: {left.actions} and "
            f"{right.actions}."
        )
    first = (left.tables.start, right.tables.start)
    found: dict[tuple[int, int], tuple[Symbol, ...]] = {first: ()}
    queue = [first]
    for pair in queue:
        for action in left.actions:
            mine, theirs = _row(left, pair[0], action), _row(right, pair[1], action)
            for outcome in dict.fromkeys([*mine, *theirs]):
                chances = mine.get(outcome, (0.0, 0))[0], theirs.get(outcome, (0.0, 0))[0]
                if abs(chances[0] - chances[1]) > SAME_PROBABILITY:
                    return Experiment(found[pair], action, outcome, *chances)
            for outcome, successors in _common_successors(mine, theirs):
                if successors not in found:
                    found[successors] = (*found[pair], (action, *outcome))
                    queue.append(successors)
    return None


Row = dict[Outcome, tuple[float, int]]


def _row(process: RegularProcess, state: int, action: Label) -> Row:
    """Return probability and successor of every possible outcome; END has no successor."""
    tables, a = process.tables, process.alphabet.action_index(action)
    row: Row = {
        process.alphabet.outcome(outcome): (chance, successor)
        for outcome, chance, successor in zip(
            tables.outcome[state, a].tolist(),
            tables.dynamics[state, a].tolist(),
            tables.successor[state, a].tolist(),
            strict=True,
        )
        if outcome != PADDING
    }
    row[END] = (float(tables.ending[state, a]), -1)
    return row


def _common_successors(
    mine: Row, theirs: Row
) -> Iterator[tuple[tuple[Label, float], tuple[int, int]]]:
    for outcome, (_, successor) in mine.items():
        if isinstance(outcome, tuple) and outcome in theirs:
            yield outcome, (successor, theirs[outcome][1])
