"""Draws the pictures of the pages again: `make pictures`.

The pages draw them themselves: their examples are run in an empty folder, and what they draw there
goes to docs/images. So a picture is always that of the code beside it.
"""

import contextlib
import os
import shutil
import tempfile
from pathlib import Path

import matplotlib
from examples import run_page

DOCS = Path(__file__).parents[1]
PAGES = ("tutorial.md",)
KINDS = (".svg", ".png")


def draw(page: Path, target: Path) -> list[Path]:
    """Run the examples of a page; return the pictures that they have drawn, now in `target`."""
    with tempfile.TemporaryDirectory() as folder:
        with contextlib.chdir(folder):
            for _ in run_page(page, slow=True):
                pass
        drawn = sorted(path for path in Path(folder).iterdir() if path.suffix in KINDS)
        return [Path(shutil.copy(path, target)) for path in drawn]


if __name__ == "__main__":
    # Neither dates nor random names: a picture changes only if what it shows does.
    os.environ["SOURCE_DATE_EPOCH"] = "0"
    matplotlib.rcParams["svg.hashsalt"] = "nonmarkov"
    for name in PAGES:
        for picture in draw(DOCS / name, DOCS / "images"):
            print(f"{picture.relative_to(DOCS.parent)}: {picture.stat().st_size:,} bytes")  # noqa: T201
