"""A process as a graph: hidden states, what the actions do, and an optimal policy in colour."""

import os
from collections import defaultdict

import numpy as np

from nonmarkov.core import RegularProcess
from nonmarkov.exact.tables import PADDING
from nonmarkov.report.drawing import Canvas, Edge, check_format, printable
from nonmarkov.report.layout import fits_on_ring, place_in_columns, place_on_ring
from nonmarkov.report.style import TINT

NOTE = "hidden states (filled: start) and their optimal values"


def save_process_picture(
    process: RegularProcess, path: str | os.PathLike[str], *, title: str = ""
) -> None:
    """Draw a process to a file; the suffix (.png, .svg, .pdf) says in which format."""
    check_format(path)
    edges = _edges(process)
    whole = fits_on_ring(edges, process.n_states)
    if whole:
        longest = max((len(text) for edge in edges.values() for text, _ in edge.lines), default=0)
        position = place_on_ring(process.n_states, longest)
        note = f"{NOTE} · action → observation, reward (chance) · blue: optimal"
    else:
        edges = {ends: edge.best() for ends, edge in edges.items() if edge.optimal}
        position = place_in_columns(process.tables.start, edges)
        note = f"{NOTE} · only optimal actions and what they may lead to"
    canvas = Canvas(path, position)
    canvas.draw_edges(edges)
    for state in position:
        label = process.states[state]
        name = "end" if label is None else printable(str(label))
        text = f"{name}\n{process.solution.values[state]:.0f}"
        fill = TINT if state == process.tables.start else "white"
        shape, size = ("circle,pad=0.4", 11.0) if whole else ("round,pad=0.4", 8.0)
        canvas.draw_node(state, text, shape, fill, size)
    canvas.save(title, note)


def _edges(process: RegularProcess) -> dict[tuple[int, int], Edge]:
    """Return what joins every two states, by (state, successor)."""
    tables, best = process.tables, process.solution.actions
    edges: dict[tuple[int, int], Edge] = defaultdict(lambda: Edge([], []))
    for state, action, entry in np.argwhere(tables.outcome != PADDING).tolist():
        outcome = process.alphabet.outcome(int(tables.outcome[state, action, entry]))
        assert isinstance(outcome, tuple)
        observation, reward = outcome
        chance = tables.probability[state, action, entry]
        text = f"{process.actions[action]} → {observation}, {reward:g} ({chance:.0%})"
        edge = edges[state, int(tables.successor[state, action, entry])]
        edge.lines.append((text, action == best[state]))
        if action == best[state]:
            edge.actions.append(str(process.actions[action]))
    return dict(edges)
