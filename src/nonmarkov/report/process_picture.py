"""A process as a graph: hidden states, what the actions do, and an optimal policy in colour."""

import io
import os
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nonmarkov.core import RegularProcess
from nonmarkov.errors import InvalidParameterError
from nonmarkov.exact.tables import PADDING
from nonmarkov.files import write_atomically
from nonmarkov.report.layout import place_in_columns, place_on_ring
from nonmarkov.report.style import BLUE, INK, MUTED, PAPER, TINT, load_pyplot

FORMATS = ("png", "svg", "pdf")
NOTE = "hidden states (filled: start) and their optimal values"
LARGEST_RING, MOST_CHORDS = 10, 4  # beyond, only optimal actions are drawn, in columns
LARGEST_SIDE = 6000  # pixels
INCHES = 1.5  # on paper, for one unit of the layout
MARGIN = np.array([1.9, 1.5])
NODE = 0.2  # radius of a state
BEND, MOST_BEND = 0.18, 0.5  # how far an arrow leaves the straight line: share of its length

Point = NDArray[np.float64]


@dataclass
class Edge:
    """All that leads from one state to another: lines of text, and which are optimal."""

    lines: list[tuple[str, bool]]
    actions: list[str]  # names of the optimal ones

    def best(self) -> "Edge":
        """Return the edge with nothing but the names of its optimal actions."""
        return Edge([(", ".join(dict.fromkeys(self.actions)), True)], self.actions)

    @property
    def optimal(self) -> bool:
        """Whether an optimal action takes this edge."""
        return bool(self.actions)


def save_process_picture(
    process: RegularProcess, path: str | os.PathLike[str], *, title: str = ""
) -> None:
    """Draw a process to a file; the suffix (.png, .svg, .pdf) says in which format."""
    suffix = Path(path).suffix.removeprefix(".")
    if suffix not in FORMATS:
        raise InvalidParameterError(
            f"A picture's name must end in one of {', '.join(FORMATS)}, got {str(path)!r}."
        )
    pyplot = load_pyplot()
    edges = _edges(process)
    whole = _fits_on_ring(edges, process.n_states)
    if whole:
        longest = max((len(text) for edge in edges.values() for text, _ in edge.lines), default=0)
        position = place_on_ring(process.n_states, longest)
        note = f"{NOTE} · action → observation, reward (chance) · blue: optimal"
    else:
        edges = {ends: edge.best() for ends, edge in edges.items() if edge.optimal}
        position = place_in_columns(process.tables.start, edges)
        note = f"{NOTE} · only optimal actions and what they may lead to"
    places = np.array(list(position.values()))
    low, high = places.min(axis=0) - MARGIN, places.max(axis=0) + MARGIN
    figure = pyplot.figure(figsize=tuple((high - low) * INCHES), facecolor=PAPER)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    axes.axis("off")
    for ends, edge in edges.items():
        if ends[0] in position:
            curve, beside, outwards = _curve(position, ends, places.mean(axis=0))
            _draw_arrow(axes, curve, edge.optimal)
            _draw_lines(axes, beside, outwards, edge.lines)
    _draw_states(axes, process, position, "circle,pad=0.4" if whole else "round,pad=0.4")
    middle = (low[0] + high[0]) / 2.0
    axes.text(middle, high[1] - 0.15, title, ha="center", va="top", fontsize=14, color=INK)
    axes.text(middle, low[1] + 0.1, note, ha="center", va="bottom", fontsize=8.5, color=INK)
    image = io.BytesIO()
    dpi = min(150, LARGEST_SIDE / figure.get_size_inches().max())
    figure.savefig(image, format=suffix, dpi=dpi, facecolor=PAPER)
    pyplot.close(figure)
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, image.getvalue())


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


def _fits_on_ring(edges: dict[tuple[int, int], Edge], n_states: int) -> bool:
    """Return whether a ring shows everything: few edges may cross its inside."""
    chords = [ends for ends in edges if (ends[1] - ends[0]) % n_states not in (0, 1, n_states - 1)]
    return n_states <= LARGEST_RING and len(chords) <= MOST_CHORDS


def _draw_states(
    axes: Any, process: RegularProcess, position: dict[int, Point], shape: str
) -> None:
    for state, (x, y) in position.items():
        label = process.states[state]
        name = "end" if label is None else str(label)
        fill = TINT if state == process.tables.start else "white"
        axes.text(
            x,
            y,
            f"{name}\n{process.solution.values[state]:.0f}",
            ha="center",
            va="center",
            fontsize=11 if shape.startswith("circle") else 8,
            color=INK,
            zorder=3,
            bbox={"boxstyle": shape, "facecolor": fill, "edgecolor": INK, "linewidth": 1.2},
        )


def _curve(
    position: dict[int, Point], ends: tuple[int, int], middle: Point
) -> tuple[list[Point], Point, Point]:
    """Return the curve of an edge, the place of its label, and the side that is on."""
    begin, end = position[ends[0]], position[ends[1]]
    return _loop(begin, middle) if ends[0] == ends[1] else _arc(begin, end)


def _arc(begin: Point, end: Point) -> tuple[list[Point], Point, Point]:
    """Return a curve that leaves the straight line to the left, its middle, and that side."""
    along = end - begin
    length = float(np.hypot(*along))
    left = np.array([-along[1], along[0]]) / length
    bend = left * min(BEND * length, MOST_BEND)
    control = (begin + end) / 2.0 + bend * 2.0
    curve = [_towards(begin, control), control, _towards(end, control)]
    return curve, (begin + end) / 2.0 + bend, left


def _loop(centre: Point, middle: Point) -> tuple[list[Point], Point, Point]:
    """Return a loop that points away from the middle, its far end, and that direction."""
    away = centre - middle
    length = float(np.hypot(*away))
    outwards = away / length if length > 1e-9 else np.array([0.0, 1.0])
    aside = np.array([-outwards[1], outwards[0]])
    far = centre + outwards * NODE * 3.4
    first, last = far + aside * NODE * 2.2, far - aside * NODE * 2.2
    curve = [_towards(centre, first), first, last, _towards(centre, last)]
    return curve, centre + outwards * NODE * 2.75, outwards


def _towards(centre: Point, target: Point) -> Point:
    """Return where the way from a state's centre to a target leaves its circle."""
    way = target - centre
    return np.asarray(centre + way / np.hypot(*way) * NODE * 1.12)


def _draw_arrow(axes: Any, curve: list[Point], optimal: bool) -> None:
    from matplotlib.patches import FancyArrowPatch
    from matplotlib.path import Path as Curve

    code = Curve.CURVE3 if len(curve) == 3 else Curve.CURVE4
    patch = FancyArrowPatch(
        path=Curve(curve, [Curve.MOVETO] + [code] * (len(curve) - 1)),
        arrowstyle="-|>",
        mutation_scale=13,
        color=BLUE if optimal else MUTED,
        linewidth=2.0 if optimal else 1.1,
        zorder=2,
    )
    axes.add_patch(patch)


def _draw_lines(axes: Any, place: Point, outwards: Point, lines: list[tuple[str, bool]]) -> None:
    """Write the lines beside an edge, on its outer side, optimal actions in blue."""
    from matplotlib.artist import Artist
    from matplotlib.offsetbox import AnnotationBbox, TextArea, VPacker

    texts: list[Artist] = [
        TextArea(text, textprops={"fontsize": 8, "color": BLUE if best else INK})
        for text, best in lines
    ]
    packed = VPacker(children=texts, pad=0, sep=2)
    side = (0.5 - 0.5 * outwards[0], 0.5 - 0.5 * outwards[1])
    box = AnnotationBbox(
        packed,
        tuple(place + outwards * 0.08),
        box_alignment=side,
        frameon=True,
        pad=0.1,
        bboxprops={"facecolor": PAPER, "edgecolor": "none", "alpha": 0.85},
        zorder=4,
    )
    axes.add_artist(box)
