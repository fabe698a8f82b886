"""Episodes of a process, played to find out more and to earn at the same time."""

from typing import NamedTuple

import numpy as np

from nonmarkov.kernels.evidence import NOWHERE, Flags, Floats, Integers, Longs
from nonmarkov.kernels.jit import jit
from nonmarkov.kernels.shapes import World

UNIFORM_SHARE = 0.1  # of episodes, played without looking
TAIL_SHARE = 0.3  # of passages along an unclear edge, after which nothing is looked at
REPEAT_SHARE = 0.3  # of what is played without looking, that repeats one action
SLIP = 0.03  # of those repetitions, another action
TIE = 1e-9  # relative difference at which actions are equally good


class Quests(NamedTuple):
    """Episodes that head for edges of which it is not decided where they lead."""

    undecided: Flags  # (E,)
    worth: Floats  # (Q, A), what actions are worth for coming to such an edge
    share: float  # of the episodes that begin with looking


class Course(NamedTuple):
    """How to act: Q states, E edges, A actions, S symbols of the alphabet."""

    successor: Integers  # (Q, S), or NOWHERE
    number: Integers  # (Q, S), of an observed edge, or NOWHERE
    worth: Floats  # (Q, A)
    edge_worth: Floats  # (E, A)
    is_open: Flags  # (E,), edges after which `edge_worth` counts
    unclear: Flags  # (E,), edges whose target is in doubt
    untried: Flags  # (E, A), actions that were untried after an edge when this was planned
    tried: Integers  # (E, A), how often they have been tried by now
    quests: Quests


@jit
def _worth(course: Course, q: int, edge: int, a: int, questing: bool) -> float:
    """Return what an action is worth; an untried one that was tried meanwhile is ordinary."""
    if questing:
        return course.quests.worth[q, a]
    apart = edge >= 0 and course.is_open[edge]
    if apart and not (course.untried[edge, a] and course.tried[edge, a] > 0):
        return course.edge_worth[edge, a]
    return course.worth[q, a]


@jit
def _choose(course: Course, q: int, edge: int, questing: bool, rng: np.random.Generator) -> int:
    """Return one of the best actions."""
    best, choice, ties = -np.inf, 0, 0
    for a in range(course.worth.shape[1]):
        w = _worth(course, q, edge, a, questing)
        slack = TIE * abs(best) if best > -np.inf else 0.0
        if w > best + slack:
            best, choice, ties = w, a, 1
        elif w >= best - slack:
            ties += 1
            if rng.random() * ties < 1.0:
                choice = a
    return choice


@jit
def _act_blindly(n_actions: int, repeated: int, rng: np.random.Generator) -> int:
    """Return the action that is repeated, or any."""
    if repeated < 0 or rng.random() < SLIP:
        return int(rng.random() * n_actions)
    return repeated


@jit
def _draw_repeated(n_actions: int, rng: np.random.Generator) -> int:
    """Return an action to repeat from now on, or NOWHERE."""
    return int(rng.random() * n_actions) if rng.random() < REPEAT_SHARE else NOWHERE


@jit
def _draw_entry(chance: Floats, state: int, action: int, rng: np.random.Generator) -> int:
    """Return an outcome, or their number for termination."""
    u = rng.random()
    entry = 0
    while entry < chance.shape[2] and chance[state, action, entry] <= u:
        entry += 1
    return entry


@jit
def _explore_episode(
    world: World, course: Course, symbols: Integers, total: int, rng: np.random.Generator
) -> tuple[Integers, int]:
    """Play one episode and write its symbols from `total` on; return them, and the new total."""
    n_actions, n_outcomes = world.chance.shape[1], world.chance.shape[2]
    state, q, edge = world.start, 0 if course.worth.shape[0] > 0 else NOWHERE, NOWHERE
    looking = q >= 0 and rng.random() >= UNIFORM_SHARE
    repeated, questing = _draw_repeated(n_actions, rng), rng.random() < course.quests.share
    while True:
        if total == symbols.size:
            symbols = np.concatenate((symbols, np.empty_like(symbols)))
        if looking:
            a = _choose(course, q, edge, questing, rng)
        else:
            a = _act_blindly(n_actions, repeated, rng)
        if edge >= 0:
            course.tried[edge, a] += 1
        entry = _draw_entry(world.chance, state, a, rng)
        s = world.symbol[state, a, entry]
        symbols[total] = s
        total += 1
        if entry == n_outcomes:
            return symbols, total
        state = world.successor[state, a, entry]
        edge = course.number[q, s] if q >= 0 else NOWHERE
        if edge < 0:
            q, looking = NOWHERE, False
        else:
            q = course.successor[q, s]
            looking = looking and not (questing and course.quests.undecided[edge])
            looking = looking and not (course.unclear[edge] and rng.random() < TAIL_SHARE)


@jit
def explore_episodes(
    world: World, course: Course, most_steps: int, starts: Longs, rng: np.random.Generator
) -> tuple[Integers, int]:
    """Play up to len(starts) - 1 episodes; return their symbols and the number played.

    No episode begins after `most_steps` steps.
    """
    symbols = np.empty(64 * starts.size, dtype=np.int32)
    total, played = 0, 0
    while played < starts.size - 1 and total < most_steps:
        symbols, total = _explore_episode(world, course, symbols, total, rng)
        played += 1
        starts[played] = total
    return symbols[:total].copy(), played
