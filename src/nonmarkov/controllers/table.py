"""A policy as a table: one action for every state, and where every symbol leads.

A controller is deterministic. It takes the action that the policy prefers in a state, the first of
several. It also knows what to do where the policy knows nothing and acts at random:

* After a symbol that has no edge in its state, it goes where most states go by this symbol.
* After an action, observation or reward that was never heard of, or a symbol without any edge, it
  is in the state UNKNOWN, and acts as in the start. The next symbol that has edges leads back.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass

from nonmarkov.core import Alphabet, Policy
from nonmarkov.errors import InvalidParameterError

UNKNOWN = -1


@dataclass(frozen=True)
class ControllerTable:
    """All by indices; a transition is (state, action, observation, reward, next state)."""

    alphabet: Alphabet
    start: int
    chosen: tuple[int, ...]  # state -> action
    default: int  # the action in the state UNKNOWN
    # Sorted. Those of the state UNKNOWN hold for every state that has none for the same symbol.
    transitions: tuple[tuple[int, int, int, int, int], ...]


def make_table(policy: Policy) -> ControllerTable:
    """Return the table of a policy, such as `agent.policy`."""
    if not isinstance(policy, Policy):
        raise InvalidParameterError(
            f"policy must be a Policy, such as agent.policy, got {type(policy).__name__}."
        )
    automaton = policy.automaton
    chosen = policy.table.argmax(axis=1).tolist()
    default = chosen[automaton.start] if automaton.is_safe(automaton.start) else 0
    return ControllerTable(
        automaton.alphabet,
        automaton.start,
        tuple(a if safe else default for a, safe in zip(chosen, automaton.safe, strict=True)),
        default,
        tuple(_transitions(policy)),
    )


def _transitions(policy: Policy) -> list[tuple[int, int, int, int, int]]:
    """Return where most states go by a symbol, as transitions of UNKNOWN, and the exceptions."""
    automaton, alphabet = policy.automaton, policy.automaton.alphabet
    targets: dict[int, Counter[int]] = defaultdict(Counter)
    for _, symbol, target in automaton.edges.tolist():
        targets[symbol][target] += 1
    usual = {
        symbol: min(counts, key=lambda target: (-counts[target], target))
        for symbol, counts in targets.items()
    }
    rows = [(UNKNOWN, symbol, target) for symbol, target in sorted(usual.items())]
    rows += [row for row in map(tuple, automaton.edges.tolist()) if row[2] != usual[row[1]]]
    result = []
    for state, symbol, target in rows:
        action, outcome = divmod(symbol, alphabet.n_outcomes + 1)
        observation, reward = divmod(outcome, len(alphabet.rewards))
        result.append((state, action, observation, reward, target))
    return result
