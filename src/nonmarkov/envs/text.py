"""Boards as text."""

from nonmarkov.core.scene import Board, Step, Tone

# A tile in fog is drawn with dots, a chosen or decided one between brackets.
FRAMES = {
    Tone.PLAIN: "  ",
    Tone.FOG: "..",
    Tone.CHOSEN: "[]",
    Tone.GOOD: "()",
    Tone.BAD: "{}",
}


def write_board(board: Board, step: Step) -> str:
    """Return the board in ASCII, and a line that says what happened."""
    rule = "+" + "---+" * len(board[0])
    lines = [rule]
    for row in board:
        cells = (f"{FRAMES[t.tone][0]}{t.glyph.value}{FRAMES[t.tone][1]}" for t in row)
        lines += ["|" + "|".join(cells) + "|", rule]
    return "\n".join([*lines, describe(step), ""])


def describe(step: Step) -> str:
    """Return the step in words."""
    if step.action is None:
        return "before the first action"
    if step.reward is None:
        return f"action {step.action}: the episode is over"
    return f"action {step.action}: saw {step.observation}, reward {step.reward:g}"
