"""Moves on a rectangle of cells, and its picture: shared by the two grid domains."""

from nonmarkov.checks import check_cell
from nonmarkov.core.scene import Board, Glyph, Step, Tile, Tone
from nonmarkov.errors import InvalidParameterError

Cell = tuple[int, int]  # (x, y), x to the right, y upwards

ACTIONS = ("up", "left", "down", "right")
MOVES = ((0, 1), (-1, 0), (0, -1), (1, 0))


def move(cell: Cell, direction: int, width: int, height: int) -> Cell:
    """Return the cell one step away; walls keep the agent in place."""
    dx, dy = MOVES[direction % 4]
    return min(max(cell[0] + dx, 0), width - 1), min(max(cell[1] + dy, 0), height - 1)


def check_ends(
    start: object, goal: object, *, width: int, height: int
) -> dict[str, tuple[int, int]]:
    """Return start and goal as two different cells of the grid."""
    ends = {
        "start": check_cell("start", start, width=width, height=height),
        "goal": check_cell("goal", goal, width=width, height=height),
    }
    if ends["start"] == ends["goal"]:
        raise InvalidParameterError(f"start and goal must differ, got {ends['goal']} for both.")
    return ends


def cells(width: int, height: int) -> tuple[Cell, ...]:
    """Return all cells, row by row from the bottom."""
    return tuple((x, y) for y in range(height) for x in range(width))


def grid_board(width: int, height: int, goal: Cell, step: Step, start: Cell) -> Board:
    """Return the grid with the agent where it was last seen; all is fog if it was not."""
    seen = start if step.action is None else step.observation
    tone = Tone.PLAIN if isinstance(seen, tuple) else Tone.FOG

    def tile(cell: Cell) -> Tile:
        if cell == seen:
            return Tile(Glyph.AGENT, Tone.GOOD if cell == goal else Tone.CHOSEN)
        return Tile(Glyph.GOAL if cell == goal else Glyph.NOTHING, tone)

    return tuple(tuple(tile((x, y)) for x in range(width)) for y in reversed(range(height)))
