"""Quests: episodes that head for what the automaton does not know yet."""

import numpy as np

from nonmarkov.kernels.evidence import Flags, Floats
from nonmarkov.kernels.jit import jit
from nonmarkov.kernels.optimism import CERTAIN_END, SWEEPS, TOLERANCE, Ground


@jit
def _prospect(ground: Ground, undecided: Flags, value: Floats, q: int, a: int) -> float:
    """Return what an action is worth for a quest, given what the states are worth."""
    total, mean = 0, 0.0
    for i in range(ground.seen.first[q, a], ground.seen.first[q, a + 1]):
        s, n = ground.seen.symbol[i], ground.seen.count[i]
        if ground.ends[s]:
            continue
        total += n
        edge = ground.number[q, s]
        if edge >= 0:
            mean += n / (1.0 + n) if undecided[edge] else n * value[ground.successor[q, s]]
    if total == 0:
        return 1.0 if ground.chances[q, a] <= CERTAIN_END else 0.0
    return (1.0 - ground.chances[q, a]) * mean / total


@jit
def plan_quests(ground: Ground, undecided: Flags) -> Floats:
    """Return what actions are worth for coming to an undecided edge, (Q, A).

    To pass one for the nth time is worth 1 / n, and ends the quest: so rare outcomes of an action
    are worth nearly as much as frequent ones, and what is far away counts less. An action that was
    never tried is worth 1.

    undecided: (E,)
    """
    n_states, n_actions = ground.tries.shape
    worth, value = np.zeros((n_states, n_actions)), np.zeros(n_states)
    for _ in range(SWEEPS):
        change = 0.0
        for q in range(n_states):
            for a in range(n_actions):
                worth[q, a] = _prospect(ground, undecided, value, q, a)
            change = max(change, abs(worth[q].max() - value[q]))
            value[q] = worth[q].max()
        if change <= TOLERANCE * value.max():
            break
    return worth
