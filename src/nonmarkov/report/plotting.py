"""What the figures share: a look for every method, axes, and files that are the same every time."""

import io
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nonmarkov.files import make_folder, write_atomically
from nonmarkov.report.style import BLUE, INK, MUTED, load_pyplot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

WIDTH = 7.0  # inches: the text of a page in two columns
DPI = 300
GRID = "#e3e6ea"
BAND = "#f3f5f7"  # behind every other row
LINE = 1.3
MOST_COLUMNS = 4  # of a legend
FEW_DECADES = 100.0  # last over first number of a logarithmic axis
NO_DATA = "no runs yet"

# Sizes are points on paper; everything else is matplotlib's own default, whatever users prefer.
RC: dict[Any, Any] = {
    "axes.axisbelow": True,
    "axes.edgecolor": MUTED,
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.labelpad": 2.0,
    "axes.labelsize": 7.5,
    "axes.linewidth": 0.6,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlecolor": INK,
    "axes.titlepad": 4.0,
    "axes.titlesize": 7.5,
    "figure.constrained_layout.use": True,
    "font.family": "DejaVu Sans",
    "font.size": 7.0,
    "grid.color": GRID,
    "grid.linewidth": 0.5,
    "legend.fontsize": 7.5,
    "legend.frameon": False,
    "lines.linewidth": LINE,
    "lines.markersize": 3.6,
    "svg.hashsalt": "nonmarkov",
    "text.color": INK,
    "xtick.color": INK,
    "xtick.labelsize": 7.0,
    "xtick.major.size": 2.5,
    "xtick.minor.pad": 3.5,
    "xtick.minor.size": 0.0,
    "ytick.color": INK,
    "ytick.labelsize": 7.0,
    "ytick.major.size": 2.5,
    "ytick.minor.pad": 3.5,
    "ytick.minor.size": 0.0,
}


@dataclass(frozen=True)
class Look:
    """How a method is shown: told apart by colour, by dashes and by marker, each for itself."""

    label: str
    colour: str
    dashes: str | tuple[float, tuple[float, ...]]
    marker: str


# Colours are those of Okabe and Ito, which people with any colour vision tell apart. The oracle is
# grey: it is told what the others have to find out.
LOOKS: dict[str, Look] = {
    "apart": Look("apart (ours)", BLUE, "-", "o"),
    "paper": Look("RMax Abstraction", "#d55e00", (0, (6.0, 1.2)), "s"),
    "random-sampling": Look("Random Sampling", "#009e73", (0, (3.0, 1.0, 1.0, 1.0)), "^"),
    "rmax": Look("RMax, last observation", "#cc79a7", (0, (1.2, 1.0)), "D"),
    "oracle": Look(
        "oracle: RMax, true states", "#444b55", (0, (4.0, 1.0, 1.0, 1.0, 1.0, 1.0)), "v"
    ),
}
SPARE = (("#56b4e9", "v"), ("#e69f00", "X"), ("#000000", "*"))  # for methods of others


def looks_of(methods: Iterable[str]) -> dict[str, Look]:
    """Return the looks of methods in the order in which all figures show them."""
    given = set(methods)
    looks = {method: look for method, look in LOOKS.items() if method in given}
    for place, method in enumerate(sorted(given - set(LOOKS))):
        colour, marker = SPARE[place % len(SPARE)]
        looks[method] = Look(method, colour, "-", marker)
    return looks


@contextmanager
def paper_style() -> Iterator[None]:
    """Draw in our style, and leave the settings of matplotlib as they were."""
    load_pyplot()
    import matplotlib as mpl

    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(RC)
        yield


def new_figure(height: float, width: float = WIDTH) -> "Figure":
    """Return a figure of so many inches, that nobody else holds."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), dpi=DPI, facecolor="white")


def save_figure(
    figure: "Figure", folder: str | os.PathLike[str], name: str, title: str
) -> tuple[Path, ...]:
    """Write a figure as PNG and as SVG, and return both paths.

    Dates and versions stay out, so that the same figure gives the same bytes.
    """
    target = Path(folder)
    make_folder(target)
    files: dict[str, dict[str, str | None]] = {
        "png": {"Title": title, "Software": None},
        "svg": {"Title": title, "Date": None, "Creator": None},
    }
    figure.draw_without_rendering()
    figure.set_layout_engine("none")  # the same places in both files, found only once
    paths = []
    for suffix, metadata in files.items():
        image = io.BytesIO()
        figure.savefig(image, format=suffix, metadata=metadata)
        paths.append(target / f"{name}.{suffix}")
        write_atomically(paths[-1], image.getvalue())
    return tuple(paths)


def say(axes: "Axes", text: str) -> None:
    """Write in words what an empty panel would leave open."""
    axes.set(xticks=[], yticks=[])
    axes.grid(visible=False)
    axes.text(0.5, 0.5, text, transform=axes.transAxes, ha="center", va="center", color=INK)


def use_log_scale(axes: "Axes", direction: str) -> None:
    """Make an axis logarithmic, with labels at powers of ten, and between if these are few."""
    from matplotlib.ticker import LogFormatterMathtext, LogLocator

    class Between(LogLocator):
        """Ticks at 2 and 5 times powers of ten; none on a long axis."""

        def tick_values(self, vmin: float, vmax: float) -> Any:
            return super().tick_values(vmin, vmax) if vmax < FEW_DECADES * vmin else ()

    class Powers(LogFormatterMathtext):
        """Powers of ten, and plain numbers on a short axis."""

        def __call__(self, x: float, pos: int | None = None) -> str:
            low, high = axis.get_view_interval()
            return short_number(x) if high < FEW_DECADES * low else super().__call__(x, pos)

    axis = axes.xaxis if direction == "x" else axes.yaxis
    (axes.set_xscale if direction == "x" else axes.set_yscale)("log")
    axis.set_major_locator(LogLocator(base=10.0, numticks=12))
    axis.set_major_formatter(Powers())
    axis.set_minor_locator(Between(base=10.0, subs=(2.0, 5.0), numticks=12))
    axis.set_minor_formatter(short_number)


def short_number(number: float, _: object = None) -> str:
    """Return a number as people write it: 0.2, 500, 20k, 1.5M."""
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if abs(number) >= size:
            return f"{number / size:g}{letter}"
    return f"{number:g}"


def handle(look: Look, **changes: Any) -> "Line2D":
    """Return the line of a method as a legend shows it."""
    from matplotlib.lines import Line2D

    options: dict[str, Any] = {
        "color": look.colour,
        "linestyle": look.dashes,
        "marker": look.marker,
        "label": look.label,
    }
    return Line2D([], [], **(options | changes))


def put_legend(figure: "Figure", handles: Sequence[Any], note: str = "") -> None:
    """Put a legend below all panels, in reading order, and a note that explains the marks."""
    if not handles:
        return
    rows = -(-len(handles) // MOST_COLUMNS)
    wide = -(-len(handles) // rows)
    # matplotlib fills columns first; readers go along rows.
    ordered = [
        handles[row * wide + column]
        for column in range(wide)
        for row in range(rows)
        if row * wide + column < len(handles)
    ]
    figure.legend(
        handles=ordered,
        loc="outside lower center",
        ncols=wide,
        handlelength=2.9,
        columnspacing=1.2,
        handletextpad=0.5,
        title=note,
        title_fontsize=7,
    )
