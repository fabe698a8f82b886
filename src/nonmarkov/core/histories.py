"""The paper's functions of histories, for a process given by its tables.

A history is a sequence of (action, observation, reward). Section 2 of the paper:

    D_π(aore|h) = π(a|h) D(or|h,a) D_π(e|haor)          D_π(aζ|h) = π(a|h) D(ζ|h,a)
    V_π(h) = Σ_{aor} π(a|h) D(or|h,a) (r + V_π(haor))
    V*(h)  = max_a Q*(h,a)         Q*(h,a) = Σ_{or} D(or|h,a) (r + V*(haor))
"""

from collections.abc import Sequence

import numpy as np

from nonmarkov.core.alphabet import END, Outcome, Symbol, Termination, as_symbol
from nonmarkov.core.automaton import UNDEFINED
from nonmarkov.core.policy import Policy
from nonmarkov.core.process import RegularProcess
from nonmarkov.core.product import product
from nonmarkov.errors import AlphabetError, ImpossibleHistoryError
from nonmarkov.exact.solving import evaluate
from nonmarkov.exact.tables import PADDING
from nonmarkov.labels import Label

History = Sequence[Symbol]


def state_after(process: RegularProcess, history: History) -> int:
    """Return the hidden state that a history leads to."""
    state = process.tables.start
    for step, symbol in enumerate(process.alphabet.history_indices(history)):
        state = process.automaton.successor(state, symbol)
        if state == UNDEFINED:
            raise ImpossibleHistoryError(
                f"step {step}, {history[step]}, has probability zero after the steps before it."
            )
    return state


def dynamics(process: RegularProcess, history: History, action: Label) -> dict[Outcome, float]:
    """Return D(·|h,a): the probability of every possible (observation, reward), and of END."""
    state, a = state_after(process, history), process.alphabet.action_index(action)
    tables = process.tables
    result: dict[Outcome, float] = {
        process.alphabet.outcome(int(outcome)): float(chance)
        for outcome, chance in zip(tables.outcome[state, a], tables.dynamics[state, a], strict=True)
        if outcome != PADDING
    }
    if tables.ending[state, a] > 0.0:
        result[END] = float(tables.ending[state, a])
    return result


def remainder_probability(
    process: RegularProcess, policy: Policy, remainder: Sequence[Symbol], history: History = ()
) -> float:
    """Return D_π(e|h), the probability that an episode goes on as `remainder` after `history`."""
    policy = policy.over(process.alphabet)
    past = list(history)
    memory = policy.automaton.state_of(past)
    result = 1.0
    for step, symbol in enumerate(remainder):
        action, observation, reward = as_symbol(symbol, f"step {step} of the remainder")
        if isinstance(observation, Termination) and step != len(remainder) - 1:
            raise AlphabetError("Nothing follows termination.")
        chances = dynamics(process, past, action)
        outcome = END if isinstance(observation, Termination) else (observation, float(reward))
        row = policy.rows(np.array([memory]))[0]
        result *= float(row[process.alphabet.action_index(action)]) * chances.get(outcome, 0.0)
        if result == 0.0 or outcome is END:
            return result
        past.append((action, observation, reward))
        memory = policy.update(memory, action, observation, reward)
    return result


def value(process: RegularProcess, policy: Policy, history: History = ()) -> float:
    """Return V_π(h), for a policy on any automaton."""
    policy = policy.over(process.alphabet)
    start = (state_after(process, history), policy.automaton.state_of(history))
    pairs = product(process.tables, policy.automaton, start)
    return float(evaluate(pairs.tables, policy.rows(pairs.memory))[0])


def optimal_value(process: RegularProcess, history: History = ()) -> float:
    """Return V*(h)."""
    return float(process.solution.values[state_after(process, history)])


def optimal_action_value(process: RegularProcess, history: History, action: Label) -> float:
    """Return Q*(h,a)."""
    a = process.alphabet.action_index(action)
    return float(process.solution.action_values[state_after(process, history), a])
