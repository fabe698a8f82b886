"""What can be shown of one step: a small board of tiles, free of any drawing library.

Domains say what is on the board, environments draw it as text or as an image. A scene is made of
what the agent itself sees (its action, the observation, the reward), never of the hidden state.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from nonmarkov.labels import Label


class Glyph(Enum):
    """What stands on a tile; the value is its character in text."""

    NOTHING = " "
    AGENT = "@"
    GOAL = "*"
    ENEMY = "x"
    WIN = "$"
    LOSS = "-"
    LEVER = "i"
    PULLED = "_"


class Tone(Enum):
    """How a tile is lit."""

    PLAIN = "plain"
    CHOSEN = "chosen"
    GOOD = "good"
    BAD = "bad"
    FOG = "fog"


@dataclass(frozen=True)
class Tile:
    """One square of the board."""

    glyph: Glyph = Glyph.NOTHING
    tone: Tone = Tone.PLAIN


Board = tuple[tuple[Tile, ...], ...]  # rows from top to bottom


@dataclass(frozen=True)
class Step:
    """The last thing that happened; all None before the first action."""

    action: Label = None
    observation: Label = None
    reward: float | None = None


def lever_board(actions: Sequence[Label], step: Step) -> Board:
    """Return one lever for every action, and above the last one pulled what it paid."""
    prizes, levers = [], []
    for action in actions:
        pulled = step.reward is not None and action == step.action
        paid = pulled and step.reward is not None and step.reward > 0.0
        prizes.append(
            Tile(Glyph.WIN, Tone.GOOD) if paid else Tile(Glyph.LOSS, Tone.BAD) if pulled else Tile()
        )
        levers.append(Tile(Glyph.PULLED, Tone.CHOSEN) if pulled else Tile(Glyph.LEVER))
    return tuple(prizes), tuple(levers)
