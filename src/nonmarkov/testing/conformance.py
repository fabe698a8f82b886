"""What every process, domain and environment must do."""

import math
import tempfile
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nonmarkov.abstraction import MarkovAbstraction
from nonmarkov.core import EpisodeBatch, Policy, RegularProcess, distinguish
from nonmarkov.core.scene import Step
from nonmarkov.domains.domain import Domain
from nonmarkov.exact.tables import PADDING

EPISODES = 20_000
# A correct process fails for about one seed in a million: each statistical check allows for what
# has probability exp(-DOUBT), by bounds that hold for any process, rare jackpots included.
DOUBT = 20.0


def check_process(process: RegularProcess, *, seed: int = 0) -> None:
    """Check that solution, simulation, abstraction and file of a process agree."""
    _check_solution(process)
    _check_abstraction(process)
    for policy in (process.optimal_policy, Policy.uniform(process.automaton)):
        _check_returns(process, policy, seed)
        _check_scores(process, policy, seed)
        _check_dynamics(process, policy, seed)
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


def _check_returns(process: RegularProcess, policy: Policy, seed: int) -> None:
    """Check that playing and keeping episodes are the same simulation."""
    played = process.play(1000, policy=policy, seed=seed)
    kept = process.sample(1000, policy=policy, seed=seed)
    assert kept == process.sample(1000, policy=policy, seed=seed), "Same seed, same episodes."
    mean = sum(reward for episode in kept for _, _, reward in episode) / len(kept)
    assert played.steps == kept.n_steps, "play and sample must take the same steps."
    assert abs(played.mean - mean) <= 1e-9 * max(1.0, abs(mean)), (
        f"play has a mean return of {played.mean}, but the same episodes, kept, of {mean}."
    )


def _check_scores(process: RegularProcess, policy: Policy, seed: int) -> None:
    """Check the simulated score against the exact one.

    Scores lie between the smallest and the largest reward, so their mean is within
    √(2 V L / n) + 7 R L / 3(n - 1) of its expectation, for their variance V and range R and
    L = DOUBT + ln 4: Maurer and Pontil, "Empirical Bernstein Bounds", 2009.
    """
    played = process.play(EPISODES, policy=policy, seed=seed, evaluation=True)
    exact = process.score(policy)
    doubt = DOUBT + math.log(4.0)
    span = max(0.0, *process.rewards) - min(0.0, *process.rewards)
    allowed = played.error * math.sqrt(2.0 * doubt) + 7.0 * span * doubt / (3.0 * EPISODES)
    assert abs(played.mean - exact) <= allowed + 1e-9, (
        f"The simulated score is {played.mean} ± {played.error}, but the exact one is {exact}."
    )


def _check_dynamics(process: RegularProcess, policy: Policy, seed: int) -> None:
    """Check that outcomes are drawn with their probabilities, for each (state, action).

    Of n draws, k have an outcome of probability p; n KL(k/n ‖ p) exceeds x with a probability of
    at most 2 exp(-x), whatever n and p are (Chernoff).
    """
    counts = _count_outcomes(process, process.sample(EPISODES // 4, policy=policy, seed=seed))
    tables = process.tables
    exact = np.zeros_like(counts)
    exact[..., -1] = tables.ending
    used = np.nonzero(tables.outcome != PADDING)
    exact[used[0], used[1], tables.outcome[used]] = tables.dynamics[used]
    total = np.maximum(1.0, counts.sum(axis=2, keepdims=True))
    surprise = total * _divergence(counts / total, exact)
    surprise[np.broadcast_to(counts.sum(axis=2, keepdims=True) == 0.0, counts.shape)] = 0.0
    wrong = surprise > DOUBT + math.log(2.0 * counts.size)
    assert not wrong.any(), f"Simulated outcomes do not fit D at {np.argwhere(wrong)[0].tolist()}."


def _count_outcomes(process: RegularProcess, batch: EpisodeBatch) -> NDArray[np.float64]:
    """Return how often each outcome, or termination, answered an action, (Q, A, outcomes + 1)."""
    width = process.alphabet.n_outcomes + 1
    counts = np.zeros((process.n_states, len(process.actions), width))
    for first, last in zip(batch.starts[:-1], batch.starts[1:], strict=True):
        state = process.tables.start
        for symbol in batch.symbols[first:last].tolist():
            counts[state, symbol // width, symbol % width] += 1
            state = process.automaton.successor(state, symbol)
    return counts


def _divergence(found: NDArray[np.float64], exact: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return KL(found ‖ exact) of coins, entry by entry; infinite where the impossible happened."""
    result = np.zeros_like(found)
    for q, p in ((found, exact), (1.0 - found, np.maximum(0.0, 1.0 - exact))):
        with np.errstate(divide="ignore", invalid="ignore"):
            result += np.where(q > 0.0, q * np.log(q / p), 0.0)
    return result


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
