"""`apart` finds exact automata from logs, and solves worlds that nobody had in mind."""

import numpy as np
import pytest

import nonmarkov as nm
from nonmarkov.testing import random_process
from nonmarkov.training.explorer import Explorer
from nonmarkov.training.worlds import ProcessWorld

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("name", "k", "episodes"),
    [
        ("malfunction_mab", 5, 5000),
        ("rotating_mab", 4, 5000),
        ("cheat_mab", 4, 1000),
        ("enemy_corridor", 8, 1000),
        ("rotating_maze", 1, 20_000),
    ],
)
def test_uniform_episodes_give_the_exact_minimal_automaton(name, k, episodes):
    process = nm.domain(name, k=k)
    minimal = process.minimal().n_states
    found = [nm.learn_abstraction(process.sample(episodes, seed=seed)) for seed in range(10)]
    exact = [a.n_states == minimal and a.is_sound(process) for a in found]
    assert sum(exact) >= 9


def t_maze(length):
    """A cue at the start says which way to turn at the end of a corridor."""

    def outcomes(state, action):
        if state == "start":
            return [(0.5, "left", 1, (0, 0)), (0.5, "right", 1, (1, 0))]
        cue, place = state
        if place < length:
            return [(1.0, "end" if place == length - 1 else "corridor", 1, (cue, place + 1))]
        return [(1.0, "out", 5 if action == cue else 0, None)]

    return nm.RegularProcess.from_outcomes(
        "start", [0, 1], outcomes, stop=1 / (length + 6), horizon=length + 5
    )


def clock(period):
    """Once in a period another action wins."""

    def outcomes(time, action):
        chance = 0.9 if (time == 0) == (action == 0) else 0.1
        later = (time + 1) % period
        return [(chance, "won", 1, later), (1.0 - chance, "lost", 0, later)]

    return nm.RegularProcess.from_outcomes(0, [0, 1], outcomes, stop=1 / 31, horizon=30)


def counter(size):
    """Every so many heads of the second coin are paid, and only those."""

    def outcomes(heads, action):
        if action == 0:
            return [(0.5, "heads", 0, heads), (0.5, "tails", 0, heads)]
        paid = 3 if heads == size - 1 else 0
        return [(0.5, "heads", paid, (heads + 1) % size), (0.5, "tails", 0, heads)]

    return nm.RegularProcess.from_outcomes(0, [0, 1], outcomes, stop=1 / 21, horizon=20)


WORLDS = {
    "t-maze of 5": (t_maze(5), 1500),
    "t-maze of 10": (t_maze(10), 2500),
    "clock of 7": (clock(7), 500),
    "clock of 11": (clock(11), 500),
    "counter of 6": (counter(6), 1000),
    "close arms": (nm.domain("rotating_mab", k=3, win_probabilities=(0.6, 0.4, 0.4)), 6000),
    "slippery maze": (nm.domain("rotating_maze", k=1, success=0.7), 6000),
    "dark grid": (nm.domain("flickering_grid", flicker=0.5), 3000),
    **{f"random {seed}": (random_process(seed, n_states=8), 2000) for seed in range(4)},
    **{
        f"large random {seed}": (
            random_process(seed, n_states=12, n_actions=3, n_observations=3),
            3000,
        )
        for seed in range(3)
    },
}


# Of their sixty states a good policy leaves some aside, and those stay in doubt for long.
LARGE = ("slippery maze", "dark grid")


@pytest.mark.parametrize("name", WORLDS)
def test_worlds_that_nobody_had_in_mind_are_solved(name):
    process, episodes = WORLDS[name]
    training = Explorer(ProcessWorld(process), 0.2, 0.2, np.random.default_rng(0))
    while training.episodes < episodes:
        training.run(episodes)
    assert process.value(training.policy()) >= 0.97 * process.optimal_value
    assert name in LARGE or nm.MarkovAbstraction(training.automaton).matches(process)


@pytest.mark.parametrize("name", LARGE)
def test_random_episodes_give_abstractions_of_large_worlds(name):
    """Nearly always: cells that are hardly ever reached may look the same."""
    process, _ = WORLDS[name]
    logs = [process.sample(20_000, seed=seed) for seed in range(4)]
    assert sum(nm.learn_abstraction(log).matches(process) for log in logs) >= 3


def test_a_plain_mdp_needs_its_observations_only():
    process = nm.domain("flickering_grid", flicker=0.0)
    abstraction = nm.learn_abstraction(process.sample(5000, seed=0))
    assert abstraction.is_sound(process)
