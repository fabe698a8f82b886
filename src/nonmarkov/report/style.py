"""Colours and the door to matplotlib."""

from types import ModuleType

from nonmarkov.errors import MissingExtraError

INK = "#2c3440"
MUTED = "#9aa1ab"
BLUE = "#0072b2"
ORANGE = "#e69f00"
PAPER = "#faf8f3"
TINT = "#cfe6f5"


def load_pyplot() -> ModuleType:
    """Return matplotlib.pyplot, drawing to files only."""
    try:
        import matplotlib as mpl
    except ModuleNotFoundError:
        raise MissingExtraError(
            "Pictures need matplotlib: pip install matplotlib, or nonmarkov with extra [report]."
        ) from None
    mpl.use("Agg")
    from matplotlib import pyplot

    return pyplot
