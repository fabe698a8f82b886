"""What an agent knows at one moment, as data to look at: states, edges, counts and policy."""

from typing import Any

import numpy as np

from nonmarkov.core import Automaton, Experience
from nonmarkov.core.alphabet import Termination
from nonmarkov.core.automaton import UNDEFINED
from nonmarkov.training import METHODS, Agent, Evaluation


def take_snapshot(agent: Agent, point: Evaluation) -> dict[str, Any]:
    """Return the automaton of an agent as JSON data, with what was counted on it.

    An edge is [state, action index, observation, reward, target, count, probability, decided]; the
    probability is that of the outcome after the action, endings included, None if never tried.
    An automaton that was given has edges for whatever might be; those never passed are left out.
    """
    portrait, experience = agent.portrait, agent.experience
    automaton = portrait.automaton
    edges = _edges(automaton, experience, bool(METHODS[agent.method].given))
    visits = _visits(experience, automaton.n_states, edges)
    states = [
        {
            "safe": safe,
            "visits": visits[state],
            "policy": np.flatnonzero(portrait.table[state]).tolist() if safe else [],
        }
        for state, safe in enumerate(automaton.safe.tolist())
    ]
    return {
        "episodes": point.episodes,
        "score": float(point.score),
        "start": automaton.start,
        "actions": list(automaton.alphabet.actions),
        "states": states,
        "edges": edges,
    }


def _edges(automaton: Automaton, experience: Experience, given: bool) -> list[list[Any]]:
    """Return the edges of the automaton, and those observed whose target is not decided yet."""
    seen = zip(experience.state.tolist(), experience.symbol.tolist(), strict=True)
    place = {pair: i for i, pair in enumerate(seen)}
    targets = {
        pair: int(experience.successor[i])
        for pair, i in place.items()
        if experience.successor[i] != UNDEFINED
    }
    rows = []
    for (state, symbol), target in sorted((targets | automaton.table).items()):
        _, observation, reward = automaton.alphabet.symbol(symbol)
        assert not isinstance(observation, Termination)
        action = symbol // (automaton.alphabet.n_outcomes + 1)
        count = int(experience.count[place[state, symbol]]) if (state, symbol) in place else 0
        tries = int(experience.visits[state, action])
        if given and not count:
            continue
        rows.append(
            [
                state,
                action,
                observation,
                reward,
                target,
                count,
                count / tries if tries else None,
                (state, symbol) in automaton.table and automaton.is_safe(target),
            ]
        )
    return rows


def _visits(experience: Experience, n_states: int, edges: list[list[Any]]) -> list[int]:
    """Return the steps made in every state; for candidates, the arrivals."""
    visits = [0] * n_states
    for _, _, _, _, target, count, _, _ in edges:
        visits[target] += count
    visits[: experience.n_states] = experience.visits.sum(axis=1).tolist()
    return visits
