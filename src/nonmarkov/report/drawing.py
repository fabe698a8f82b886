"""Nodes and arrows on a page: what the pictures of processes and automata share."""

import io
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nonmarkov.errors import InvalidParameterError
from nonmarkov.files import make_folder, write_atomically
from nonmarkov.report.layout import Positions
from nonmarkov.report.style import BLUE, INK, MUTED, PAPER, load_pyplot

FORMATS = ("png", "svg", "pdf")
LARGEST_SIDE = 3600  # pixels
INCHES = 1.5  # on paper, for one unit of the layout
MARGIN = np.array([1.9, 1.5])
LEAST_SIZE = np.array([6.4, 3.0])  # of the page: the note must fit
NODE = 0.2  # radius of a state
BEND, MOST_BEND = 0.18, 0.5  # how far an arrow leaves the straight line: share of its length

PLAIN: dict[str, Any] = {"parse_math": False}  # a label may have dollars in it

Point = NDArray[np.float64]


@dataclass
class Edge:
    """All that leads from one state to another: lines of text, and which the policy takes."""

    lines: list[tuple[str, bool]]
    actions: list[str]  # names of the policy's actions among them

    def best(self) -> "Edge":
        """Return the edge with nothing but the names of the policy's actions."""
        return Edge([(", ".join(dict.fromkeys(self.actions)), True)], self.actions)

    @property
    def optimal(self) -> bool:
        """Whether the policy takes this edge."""
        return bool(self.actions)


class Canvas:
    """A page for states at given places."""

    def __init__(self, path: str | os.PathLike[str], position: Positions) -> None:
        self._path = Path(path)
        self._format = check_format(path)
        self._position = position
        self._pyplot = load_pyplot()
        places = np.array(list(position.values()))
        margin = np.maximum(MARGIN, (LEAST_SIZE - np.ptp(places, axis=0)) / 2.0)
        self._low, self._high = places.min(axis=0) - margin, places.max(axis=0) + margin
        self._middle = places.mean(axis=0)
        size = (self._high - self._low) * INCHES
        # A large page is looked at from further away.
        self._scale = float(np.clip(size.max() / 16.0, 1.0, 2.2))
        self._figure = self._pyplot.figure(figsize=tuple(size), facecolor=PAPER)
        self.axes = self._figure.add_axes((0, 0, 1, 1))
        self.axes.set(xlim=(self._low[0], self._high[0]), ylim=(self._low[1], self._high[1]))
        self.axes.axis("off")

    def draw_edges(self, edges: dict[tuple[int, int], Edge]) -> None:
        """Draw arrows with their lines of text, between states that have a place."""
        for ends, edge in edges.items():
            if ends[0] in self._position and ends[1] in self._position:
                curve, beside, outwards = curve_between(self._position, ends, self._middle)
                draw_arrow(self.axes, curve, edge.optimal)
                if edge.lines:
                    draw_lines(self.axes, beside, outwards, edge.lines, self._scale)

    def draw_node(self, state: int, text: str, shape: str, fill: str, size: float) -> None:
        """Draw a state; `shape` is a box style of matplotlib."""
        x, y = self._position[state]
        box = {"boxstyle": shape, "facecolor": fill, "edgecolor": INK, "linewidth": 1.2}
        look: dict[str, Any] = {"ha": "center", "va": "center", "color": INK, "zorder": 3} | PLAIN
        self.axes.text(x, y, text, fontsize=size * self._scale, bbox=box, **look)

    def save(self, title: str, note: str) -> None:
        """Write title and note, and the page to its file."""
        middle = (self._low[0] + self._high[0]) / 2.0
        place: dict[str, Any] = {"ha": "center", "color": INK}
        top, bottom = self._high[1] - 0.15, self._low[1] + 0.1
        self.axes.text(middle, top, title, va="top", fontsize=14 * self._scale, **place)
        self.axes.text(middle, bottom, note, va="bottom", fontsize=8.5 * self._scale, **place)
        image = io.BytesIO()
        dpi = min(150, LARGEST_SIDE / self._figure.get_size_inches().max())
        self._figure.savefig(image, format=self._format, dpi=dpi, facecolor=PAPER)
        self._pyplot.close(self._figure)
        make_folder(self._path.parent)
        write_atomically(self._path, image.getvalue())


def check_format(path: str | os.PathLike[str]) -> str:
    """Return the format that a file's suffix asks for."""
    suffix = Path(path).suffix.removeprefix(".")
    if suffix not in FORMATS:
        raise InvalidParameterError(
            f"A picture's name must end in one of {', '.join(FORMATS)}, got {str(path)!r}."
        )
    return suffix


def printable(text: str) -> str:
    """Return a text in one line: new lines and the like as Python writes them."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def curve_between(
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


def draw_arrow(axes: Any, curve: list[Point], optimal: bool) -> None:
    """Draw an edge; those of the policy are blue and strong."""
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


def draw_lines(
    axes: Any, place: Point, outwards: Point, lines: list[tuple[str, bool]], scale: float
) -> None:
    """Write the lines beside an edge, on its outer side, optimal actions in blue."""
    from matplotlib.artist import Artist
    from matplotlib.offsetbox import AnnotationBbox, TextArea, VPacker

    texts: list[Artist] = [
        TextArea(
            printable(text),
            textprops={"fontsize": 8 * scale, "color": BLUE if best else INK} | PLAIN,
        )
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
