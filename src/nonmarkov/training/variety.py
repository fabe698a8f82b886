"""What a log cannot tell because its actions were not varied."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nonmarkov.core.alphabet import RESET
from nonmarkov.kernels.evidence import Draft
from nonmarkov.labels import Label, listing
from nonmarkov.learning.edges import FEW_PASSAGES
from nonmarkov.logs.gathering import Gathering

MOST_LISTED = 3  # examples in a statement

Integers = NDArray[np.int32]


@dataclass(frozen=True)
class Medley:
    """A state whose histories count as alike although nothing in the log speaks for it.

    After each of them only actions of one group were tried, so what followed those of different
    groups cannot be compared.
    """

    state: int
    groups: tuple[tuple[Label, ...], ...]

    def __str__(self) -> str:
        groups = " or ".join(listing(group) for group in self.groups)
        return f"{groups} in state {self.state}"


@dataclass(frozen=True)
class Variety:
    """What a log cannot tell because its actions were not varied."""

    n_states: int
    only: tuple[Label, ...]  # the action that all steps took, if nothing says there are more
    untried: tuple[tuple[int, Label], ...]  # actions never tried in a state
    medleys: tuple[Medley, ...]

    @property
    def statements(self) -> tuple[str, ...]:
        """The same in words."""
        lines = [
            f"All steps take the same action, {action!r}. Nothing is known about others, and "
            f"states that differ only in what others do count as one."
            for action in self.only
        ]
        if self.untried:
            lines.append(
                f"Actions never tried: {self._untried_by_action()}. Nothing is known about them, "
                f"and states that differ only in what they do count as one."
            )
        if self.medleys:
            lines.append(
                f"Histories count as one state although different actions were tried after them, "
                f"never the same: {_few([str(medley) for medley in self.medleys])}. Whether they "
                f"are alike cannot be told."
            )
        return tuple(lines)

    def _untried_by_action(self) -> str:
        numbers = Counter(action for _, action in self.untried)
        place = {action: f"state {q}" for q, action in self.untried}
        return _few(
            [
                f"{action!r} in {place[action] if n == 1 else f'{n} of {self.n_states} states'}"
                for action, n in numbers.most_common()
            ]
        )


def _few(examples: Sequence[str]) -> str:
    rest = len(examples) - MOST_LISTED
    return ", ".join(examples[:MOST_LISTED]) + (f", and {rest:,} more" if rest > 0 else "")


def look_at_variety(
    draft: Draft, target: Integers, tried: Integers, gathering: Gathering
) -> Variety:
    """Return what cannot be told from a log that was read through an automaton.

    target: (E,), where edges lead; tried: (E, A), how often actions were tried after them.
    """
    names = gathering.batch.alphabet.actions
    choices = tuple(action for action in names if not (gathering.first and action == RESET))
    return Variety(
        len(draft.successor),
        choices if gathering.is_vocabulary and len(choices) == 1 else (),
        _untried(draft, gathering),
        tuple(
            Medley(q, tuple(tuple(names[a] for a in sorted(group)) for group in groups))
            for q, groups in _unconnected(target, tried, gathering)
        ),
    )


def _untried(draft: Draft, gathering: Gathering) -> tuple[tuple[int, Label], ...]:
    """Return states and actions never tried there, but for states where the episode is over."""
    tries, actions = draft.tries + draft.endings, gathering.batch.alphabet.actions
    open_states = draft.tries.sum(axis=1) > 0
    if gathering.first:
        open_states[0] = False  # there is nothing to choose before the first observation
    return tuple(
        (int(q), actions[a])
        for q, a in np.argwhere((tries == 0) & open_states[:, None])
        if not (gathering.first and actions[a] == RESET)
    )


def _unconnected(
    target: Integers, tried: Integers, gathering: Gathering
) -> list[tuple[int, list[set[int]]]]:
    """Return the states with more than one group of actions, and these groups."""
    batch, n_actions = gathering.batch, tried.shape[1]
    first = batch.symbols[batch.starts[:-1]] // (batch.alphabet.n_outcomes + 1)
    begun = np.bincount(first, minlength=n_actions)[:n_actions]
    if gathering.first:
        begun[:] = 0  # nobody chooses to reset
    ways, used = np.concatenate([[0], target]), np.concatenate([begun[None], tried])
    often = np.flatnonzero(used.sum(axis=1) >= FEW_PASSAGES)
    often = often[np.argsort(ways[often], kind="stable")]
    states, firsts = np.unique(ways[often], return_index=True)
    groups = [_groups(rows) for rows in np.split(used[often] > 0, firsts[1:])]
    return [(int(q), found) for q, found in zip(states, groups, strict=False) if len(found) > 1]


def _groups(used: NDArray[np.bool_]) -> list[set[int]]:
    """Return the smallest groups of actions such that those of one row are in one group."""
    if (used.sum(axis=1) == used.any(axis=0).sum()).any():  # one row has them all
        return [set(np.flatnonzero(used.any(axis=0)).tolist())]
    groups: list[set[int]] = []
    for row in np.unique(used, axis=0):
        actions = set(np.flatnonzero(row).tolist())
        touched = [group for group in groups if group & actions]
        groups = [group for group in groups if not group & actions]
        groups.append(actions.union(*touched))
    return sorted(groups, key=min)
