"""What every process, domain and environment must do."""

import tempfile
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

from nonmarkov.abstraction import MarkovAbstraction
from nonmarkov.core import Policy, RegularProcess, distinguish
from nonmarkov.core.scene import Step
from nonmarkov.core.simulation import PlayStatistics
from nonmarkov.domains.domain import Domain
from nonmarkov.exact.tables import PADDING

EPISODES = 20_000
STANDARD_ERRORS = 5.0  # a correct process fails a check about once in a million seeds


def check_process(process: RegularProcess, *, seed: int = 0) -> None:
    """Check that solution, simulation, abstraction and file of a process agree."""
    _check_solution(process)
    _check_abstraction(process)
    _check_simulation(process, process.optimal_policy, seed)
    _check_simulation(process, Policy.uniform(process.automaton), seed)
    _check_dynamics(process, seed)
    _check_file(process)


def check_domain(kind: type[Domain], **parameters: Any) -> None:
    """Check a domain class, at its defaults or at the given parameters."""
    assert is_dataclass(kind), (
        f"{kind.__name__} must be a dataclass: its fields are its parameters."
    )
    names = {field.name for field in fields(kind)}
    for name in ("k", "reward", "horizon", "stop"):
        assert name in names, f"{kind.__name__} needs the parameter {name!r}."
    assert kind.summary(), f"{kind.__name__} needs a docstring that says what it is."
    domain = kind(**parameters)
    assert domain == kind(**domain.parameters), "Settled parameters must give the same domain."
    process = domain.build()
    assert process == kind(**parameters).build(), "The same parameters must give the same process."
    check_process(process)
    _check_boards(domain, process)


def check_environment(make: Callable[..., Any], *, seed: int = 0) -> None:
    """Check an environment of a process; `make(**options)` returns one, as gymnasium.make does."""
    from gymnasium.utils.env_checker import check_env

    check_env(make().unwrapped, skip_render_check=True)
    texts, images = make(render_mode="ansi"), make(render_mode="rgb_array")
    text_steps, image_steps = _play(texts, seed), _play(images, seed)
    assert text_steps == image_steps, "The same seed must give the same episode."
    assert isinstance(texts.render(), str), "render_mode='ansi' must give text."
    image = images.render()
    assert image.dtype == np.uint8, "render_mode='rgb_array' must give bytes."
    assert image.ndim == 3, "render_mode='rgb_array' must give an image (height, width, 3)."
    process = texts.unwrapped.process
    for observation, _, _, _, info in text_steps:
        assert 0 <= observation <= len(process.observations), "Observations must be in the space."
        assert info["state"] in process.states, "info['state'] must be a hidden state."


def _check_solution(process: RegularProcess) -> None:
    scale = max(1.0, abs(process.optimal_value))
    achieved = process.value(process.optimal_policy)
    assert abs(achieved - process.optimal_value) <= 1e-9 * scale, (
        f"The optimal policy is worth {achieved}, but V* is {process.optimal_value}."
    )
    values, worth = process.solution.values, process.solution.action_values
    assert np.allclose(values, worth.max(axis=1), atol=1e-8 * scale), "V* must be max_a Q*."
    assert process.is_epsilon_optimal(process.optimal_policy, 0.0), "Optimal must be 0-optimal."
    uniform = process.value(Policy.uniform(process.automaton))
    assert uniform <= process.optimal_value + 1e-9 * scale, "No policy is worth more than V*."


def _check_abstraction(process: RegularProcess) -> None:
    minimal = process.minimal()
    experiment = distinguish(process, minimal)
    assert experiment is None, f"minimal() changed the process: {experiment}."
    assert minimal.minimal().n_states == minimal.n_states, "minimal() must be minimal."
    for automaton in (process.automaton, minimal.automaton):
        abstraction = MarkovAbstraction(automaton)
        assert abstraction.matches(process), "The true automaton must be a Markov abstraction."
        policy = abstraction.optimal_policy(process)
        assert process.is_epsilon_optimal(policy, 0.0), (
            "An optimal policy of the induced MDP, composed with the abstraction, must be optimal."
        )


def _check_simulation(process: RegularProcess, policy: Policy, seed: int) -> None:
    """Check that simulated means lie within a few standard errors of the exact ones."""
    training = process.play(EPISODES, policy=policy, seed=seed)
    _check_mean("return", training.mean, training.error, process.value(policy))
    evaluation = process.play(EPISODES, policy=policy, seed=seed, evaluation=True)
    _check_mean("score", evaluation.mean, evaluation.error, process.score(policy))
    again: PlayStatistics = process.play(EPISODES, policy=policy, seed=seed)
    assert again == training, "The same seed must give the same statistics."


def _check_mean(what: str, mean: float, error: float, exact: float) -> None:
    assert abs(mean - exact) <= STANDARD_ERRORS * error + 1e-9 * max(1.0, abs(exact)), (
        f"Simulated {what} is {mean} ± {error}, but the exact one is {exact}."
    )


def _check_dynamics(process: RegularProcess, seed: int) -> None:
    """Check that simulated frequencies fit their exact probabilities, for each (state, action)."""
    batch = process.sample(EPISODES // 4, seed=seed)
    assert batch == process.sample(EPISODES // 4, seed=seed), "Same seed, same episodes."
    tables, width = process.tables, process.alphabet.n_outcomes + 1
    counts = np.zeros((process.n_states, len(process.actions), width))
    for episode in range(len(batch)):
        state = tables.start
        for symbol in batch.symbols[batch.starts[episode] : batch.starts[episode + 1]].tolist():
            counts[state, symbol // width, symbol % width] += 1
            state = process.automaton.successor(state, symbol)
    exact = np.zeros_like(counts)
    exact[..., -1] = tables.ending
    used = np.nonzero(tables.outcome != PADDING)
    exact[used[0], used[1], tables.outcome[used]] = tables.dynamics[used]
    total = counts.sum(axis=2, keepdims=True)
    error = np.sqrt(total * exact * (1.0 - exact))
    # One count of slack: the normal approximation is poor for a handful of visits.
    wrong = np.abs(counts - total * exact) > (STANDARD_ERRORS + 1.0) * error + 1.0
    assert not wrong.any(), f"Simulated outcomes do not fit D at {np.argwhere(wrong)[0].tolist()}."


def _check_file(process: RegularProcess) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "process.json"
        process.save(path)
        assert RegularProcess.load(path) == process, "A process must survive its file."


def _check_boards(domain: Domain, process: RegularProcess) -> None:
    steps = [Step(), Step(process.actions[0])]
    for action in process.actions:
        steps += [Step(action, seen, paid) for seen in process.observations for paid in (0.0, 1.0)]
    sizes = set()
    for step in steps:
        board = domain.board(step)
        sizes.add((len(board), len(board[0])))
    assert len(sizes) == 1, f"The board must keep its size, got {sorted(sizes)}."


def _play(env: Any, seed: int) -> list[tuple[Any, ...]]:
    """Return an episode of the first, second, first, ... action."""
    env.reset(seed=seed)
    steps: list[tuple[Any, ...]] = []
    while not steps or not (steps[-1][2] or steps[-1][3]):
        steps.append(env.step(len(steps) % env.action_space.n))
    return steps
