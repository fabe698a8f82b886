"""Theorem 2 of the paper: dynamics under a Markov policy are represented by an automaton.

    λ(aor|s) = π(a|s) D(or|h_s,a)       λ(aζ|s) = π(a|s) D(ζ|h_s,a)       h_s: α(h_s) = s

The transition structure is that of the abstraction itself, which is why abstractions can be
learned with algorithms that learn probabilistic automata.
"""

import numpy as np

from nonmarkov.abstraction.definition import markov_pairs
from nonmarkov.core import Automaton, Pdfa, Policy, RegularProcess
from nonmarkov.errors import NotMarkovError
from nonmarkov.exact.tables import PADDING


def represent_dynamics(process: RegularProcess, policy: Policy) -> Pdfa:
    """Return the automaton that represents D_πα, for a policy π on an abstraction α.

    The result has the states of the policy's automaton and an edge for every possible outcome.
    The abstraction must be total: every history that can occur needs a safe state.
    """
    policy = policy.over(process.alphabet)
    automaton = policy.automaton
    pairs = markov_pairs(automaton, process)
    if not all(automaton.is_safe(state) for state in pairs.memory.tolist()):
        raise NotMarkovError("The abstraction is partial: some history has no safe state.")
    tables, width = pairs.tables, automaton.alphabet.n_outcomes + 1
    states, representatives = np.unique(pairs.memory, return_index=True)
    edges: list[tuple[int, int, int]] = []
    chances: list[float] = []
    # States that no history reaches are never left: they stop at once, under any policy.
    termination = policy.table.copy()
    for state, pair in zip(states.tolist(), representatives.tolist(), strict=True):
        termination[state] = policy.table[state] * tables.ending[pair]
        for action, entry in np.argwhere(tables.outcome[pair] != PADDING).tolist():
            symbol = action * width + int(tables.outcome[pair, action, entry])
            edges.append((state, symbol, automaton.successor(state, symbol)))
            chances.append(
                float(policy.table[state, action] * tables.dynamics[pair, action, entry])
            )
    structure = Automaton(
        automaton.alphabet, automaton.n_states, np.array(edges).reshape(-1, 3), automaton.start
    )
    return Pdfa(structure, np.array(chances), termination)
