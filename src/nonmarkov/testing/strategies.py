"""Hypothesis strategies for the records of the library (extra `testing`)."""

import numpy as np
from hypothesis import strategies as st

from nonmarkov.core import EpisodeBatch, Policy, RegularProcess
from nonmarkov.testing.random_processes import random_process

seeds = st.integers(0, 2**32 - 1)


@st.composite
def processes(
    draw: st.DrawFn, *, max_states: int = 6, max_actions: int = 3, max_observations: int = 3
) -> RegularProcess:
    """Draw a process with random stopping; rewards may be negative."""
    return random_process(
        draw(seeds),
        n_states=draw(st.integers(1, max_states)),
        n_actions=draw(st.integers(1, max_actions)),
        n_observations=draw(st.integers(1, max_observations)),
        rewards=tuple(draw(st.lists(st.integers(-3, 9), min_size=1, max_size=3, unique=True))),
        stop=draw(st.sampled_from([0.05, 0.2, 0.5])),
        horizon=draw(st.integers(1, 6)),
        density=draw(st.sampled_from([0.3, 0.6, 1.0])),
    )


@st.composite
def policies(draw: st.DrawFn, process: RegularProcess) -> Policy:
    """Draw a policy on the states of a process: uniform, greedy, epsilon-greedy or tabular."""
    rng = np.random.default_rng(draw(seeds))
    automaton = process.automaton
    actions = rng.integers(len(process.actions), size=automaton.n_states)
    kind = draw(st.sampled_from(["uniform", "greedy", "epsilon-greedy", "tabular"]))
    if kind == "uniform":
        return Policy.uniform(automaton)
    if kind == "tabular":
        rows = rng.dirichlet(np.ones(len(process.actions)), size=automaton.n_states)
        return Policy(automaton, rows)
    return Policy.greedy(automaton, actions, 0.0 if kind == "greedy" else 0.3)


@st.composite
def episode_batches(draw: st.DrawFn) -> EpisodeBatch:
    """Draw a few episodes of a random process, cut off or not."""
    process = draw(processes())
    max_steps = draw(st.none() | st.integers(1, 5))
    return process.sample(draw(st.integers(1, 20)), seed=draw(seeds), max_steps=max_steps)
