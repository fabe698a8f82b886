"""A learned automaton as a graph: safe states are circles, candidates squares."""

import os
from collections import defaultdict

import numpy as np

from nonmarkov.core import Policy
from nonmarkov.errors import InvalidParameterError
from nonmarkov.report.drawing import Canvas, Edge, check_format
from nonmarkov.report.layout import fits_on_ring, place_in_columns, place_on_ring
from nonmarkov.report.style import TINT

NOTE = "circles: safe states (filled: start) · squares: candidates"
BLUE_NOTE = "blue: what the policy does, where it prefers anything"
MOST_LINES = 6  # of text beside an edge
ROOM = 1.6  # for labels: here edges lead both ways, and one of the two labels is inside the ring

Edges = dict[tuple[int, int], Edge]


def save_automaton_picture(
    policy: Policy, path: str | os.PathLike[str], *, title: str = ""
) -> None:
    """Draw the automaton of a policy, such as `agent.policy`, and its actions in colour.

    A large automaton is drawn without outcomes, and with one square for all candidates of a state.
    """
    check_format(path)
    if not isinstance(policy, Policy):
        raise InvalidParameterError(
            f"policy must be a Policy, such as agent.policy, got {type(policy).__name__}."
        )
    automaton = policy.automaton
    edges = _edges(policy)
    squares = dict.fromkeys(automaton.candidates, "?")
    if fits_on_ring(edges, automaton.n_states):
        longest = max((len(text) for edge in edges.values() for text, _ in edge.lines), default=0)
        position = place_on_ring(automaton.n_states, int(ROOM * longest))
        note = f"{NOTE} · action → observation, reward · {BLUE_NOTE}"
    else:
        edges, squares = _condense(edges, policy)
        position = place_in_columns(automaton.start, edges)
        note = f"{NOTE}, and how many · {BLUE_NOTE}"
    canvas = Canvas(path, position)
    canvas.draw_edges(edges)
    for state in position:
        # With a space on either side, a character is about as wide as it is high.
        text, shape = str(state), "circle,pad=0.4"
        if state in squares:
            text, shape = f" {squares[state]} ", "square,pad=0.4"
        fill = TINT if state == automaton.start else "white"
        canvas.draw_node(state, text, shape, fill, 10.0)
    canvas.save(title, note)


def _edges(policy: Policy) -> Edges:
    """Return what joins every two states, by (state, successor)."""
    alphabet = policy.automaton.alphabet
    decided = np.ptp(policy.table, axis=1) > 0.0  # elsewhere every action is as good
    edges: Edges = defaultdict(lambda: Edge([], []))
    for state, symbol, successor in policy.automaton.edges.tolist():
        action, observation, reward = alphabet.symbol(symbol)
        chosen = bool(decided[state] and policy.table[state, alphabet.action_index(action)] > 0.0)
        edge = edges[state, successor]
        edge.lines.append((f"{action} → {observation}, {reward:g}", chosen))
        if chosen:
            edge.actions.append(str(action))
    for edge in edges.values():
        _shorten(edge)
    return dict(edges)


def _condense(edges: Edges, policy: Policy) -> tuple[Edges, dict[int, str]]:
    """Return edges with action names only, and the squares: one for all candidates of a state."""
    automaton = policy.automaton
    condensed: Edges = {}
    numbers: dict[int, int] = defaultdict(int)
    for (state, successor), edge in edges.items():
        end = successor if automaton.is_safe(successor) else automaton.n_states + state
        numbers[end] += 1
        known = condensed.setdefault((state, end), Edge([], []))
        known.actions.extend(edge.actions)
        known.lines = known.best().lines if known.optimal else []
    squares = {end: str(number) for end, number in numbers.items() if end >= automaton.n_states}
    return condensed, squares


def _shorten(edge: Edge) -> None:
    """Keep the first lines, those of the policy before all others."""
    edge.lines.sort(key=lambda line: not line[1])
    if len(edge.lines) > MOST_LINES:
        rest = len(edge.lines) - MOST_LINES + 1
        edge.lines[MOST_LINES - 1 :] = [(f"and {rest} more", False)]
