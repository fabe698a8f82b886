"""Boards as images, painted with signed distances: no drawing library, smooth edges.

A shape is a function of the pixels that is negative inside and positive outside, in units of a
tile; painting blends a colour in where it is negative, over the width of one pixel.
"""

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from nonmarkov.core.scene import Board, Glyph, Tile, Tone

TILE = 64  # pixels
GAP = 0.06  # share of a tile between two of them

Pixels = NDArray[np.float64]
Colour = tuple[int, int, int]

BACKGROUND: Colour = (250, 248, 243)
INK: Colour = (44, 52, 64)
BLUE: Colour = (0, 114, 178)
ORANGE: Colour = (230, 159, 0)
GREEN: Colour = (0, 158, 115)
RED: Colour = (213, 94, 0)
WHITE: Colour = (255, 255, 255)
GREY: Colour = (150, 156, 166)
TONES: dict[Tone, Colour] = {
    Tone.PLAIN: (234, 231, 222),
    Tone.CHOSEN: (199, 224, 241),
    Tone.GOOD: (196, 232, 219),
    Tone.BAD: (247, 211, 190),
    Tone.FOG: (205, 208, 214),
}


def draw_board(board: Board) -> NDArray[np.uint8]:
    """Return the board as an image, (height, width, 3)."""
    rows = [np.concatenate([_draw_tile(tile) for tile in row], axis=1) for row in board]
    return np.concatenate(rows, axis=0)


@lru_cache(maxsize=256)
def _draw_tile(tile: Tile) -> NDArray[np.uint8]:
    image = np.empty((TILE, TILE, 3))
    image[:] = BACKGROUND
    x, y = _pixels()
    _paint(image, _box(x, y, 0.5 - GAP, 0.5 - GAP, corner=0.12), TONES[tile.tone])
    PAINTERS[tile.glyph](image)
    return np.rint(image).astype(np.uint8)


def _pixels() -> tuple[Pixels, Pixels]:
    """Return coordinates of the pixels of a tile, from -0.5 to 0.5, y upwards."""
    centres = (np.arange(TILE) + 0.5) / TILE - 0.5
    x, y = np.meshgrid(centres, -centres)
    return x, y


def _paint(image: Pixels, distance: Pixels, colour: Colour) -> None:
    share = np.clip(0.5 - distance * TILE, 0.0, 1.0)[:, :, None]
    image[:] = image * (1.0 - share) + np.array(colour) * share


def _disc(x: Pixels, y: Pixels, radius: float) -> Pixels:
    return np.hypot(x, y) - radius


def _box(x: Pixels, y: Pixels, width: float, height: float, corner: float) -> Pixels:
    dx, dy = np.abs(x) - width + corner, np.abs(y) - height + corner
    outside = np.hypot(np.maximum(dx, 0.0), np.maximum(dy, 0.0))
    return outside + np.minimum(np.maximum(dx, dy), 0.0) - corner


def _bar(
    x: Pixels, y: Pixels, a: tuple[float, float], b: tuple[float, float], half: float
) -> Pixels:
    """Return the distance to a bar with round ends from a to b."""
    bx, by = b[0] - a[0], b[1] - a[1]
    along = np.clip(((x - a[0]) * bx + (y - a[1]) * by) / (bx * bx + by * by), 0.0, 1.0)
    return np.hypot(x - a[0] - along * bx, y - a[1] - along * by) - half


def _star(x: Pixels, y: Pixels, radius: float) -> Pixels:
    """Return the distance, good near the edge, to a star with five points."""
    turn = 2.0 * np.pi / 5.0
    angle = np.mod(np.arctan2(x, y), turn)
    angle = np.minimum(angle, turn - angle)
    along, across = np.hypot(x, y) * np.cos(angle), np.hypot(x, y) * np.sin(angle)
    # One edge of a point, from its tip on the axis to the notch between two points.
    notch = 0.45 * radius
    tip_to_notch = np.array([notch * np.cos(turn / 2) - radius, notch * np.sin(turn / 2)])
    normal = np.array([tip_to_notch[1], -tip_to_notch[0]]) / np.hypot(*tip_to_notch)
    return np.asarray((along - radius) * normal[0] + across * normal[1])


def _nothing(image: Pixels) -> None:
    """Leave the tile as it is."""


def _agent(image: Pixels) -> None:
    x, y = _pixels()
    _paint(image, _disc(x, y, 0.29), BLUE)
    for side in (-0.1, 0.1):
        _paint(image, _disc(x - side, y - 0.06, 0.065), WHITE)
        _paint(image, _disc(x - side - 0.015, y - 0.05, 0.03), INK)


def _goal(image: Pixels) -> None:
    x, y = _pixels()
    _paint(image, _star(x, y + 0.02, 0.34), ORANGE)


def _enemy(image: Pixels) -> None:
    x, y = _pixels()
    body = np.minimum(_disc(x, y - 0.03, 0.27), _box(x, y + 0.14, 0.27, 0.17, corner=0.04))
    _paint(image, body, RED)
    for side in (-0.1, 0.1):
        _paint(image, _disc(x - side, y - 0.06, 0.07), WHITE)
        _paint(image, _disc(x - side, y - 0.03, 0.035), INK)
        _paint(image, _bar(x, y, (side * 1.8, 0.2), (side * 0.5, 0.13), 0.025), INK)


def _win(image: Pixels) -> None:
    x, y = _pixels()
    _paint(image, _disc(x, y, 0.29), ORANGE)
    _paint(image, np.abs(_disc(x, y, 0.22)) - 0.018, WHITE)
    _paint(image, _star(x, y, 0.16), WHITE)


def _loss(image: Pixels) -> None:
    x, y = _pixels()
    _paint(image, _bar(x, y, (-0.14, -0.14), (0.14, 0.14), 0.04), RED)
    _paint(image, _bar(x, y, (-0.14, 0.14), (0.14, -0.14), 0.04), RED)


def _lever(image: Pixels) -> None:
    _arm(image, knob=(0.0, 0.26), colour=GREY)


def _pulled(image: Pixels) -> None:
    _arm(image, knob=(0.27, -0.08), colour=BLUE)


def _arm(image: Pixels, knob: tuple[float, float], colour: Colour) -> None:
    x, y = _pixels()
    _paint(image, _bar(x, y, (0.0, -0.22), knob, 0.035), INK)
    _paint(image, _box(x, y + 0.28, 0.24, 0.07, corner=0.05), INK)
    _paint(image, _disc(x - knob[0], y - knob[1], 0.1), colour)


PAINTERS: dict[Glyph, Callable[[Pixels], None]] = {
    Glyph.NOTHING: _nothing,
    Glyph.AGENT: _agent,
    Glyph.GOAL: _goal,
    Glyph.ENEMY: _enemy,
    Glyph.WIN: _win,
    Glyph.LOSS: _loss,
    Glyph.LEVER: _lever,
    Glyph.PULLED: _pulled,
}
