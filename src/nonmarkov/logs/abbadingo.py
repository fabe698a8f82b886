"""Abbadingo files: words over an alphabet, most of them labelled.

    2 2                 number of words, number of letters
    1 3 0 1 0           label (1 accepted, 0 rejected, -1 unknown), length, letters
    0 2 1 1

There are neither actions nor rewards in such a file. If some words are accepted and some are
rejected, letters are actions: somebody chose the word, and the world says nothing until the action
"end", which it answers with "accept" (reward 1) or "reject", and the end. So the states of the
abstraction are those of the automaton that accepts the words. A word of unknown label is cut off.

If all labels are the same, they tell nothing, and the words are a sample of a language: the letters
are observations, the only action is "next", and a word ends when it is answered by the end. So the
abstraction is a probabilistic automaton that writes such words.
"""

from collections.abc import Iterator
from pathlib import Path

from nonmarkov.core.alphabet import END
from nonmarkov.errors import LogError
from nonmarkov.logs.episode import LoggedEpisode
from nonmarkov.logs.lines import numbered_lines

LABELS = {"1": "accept", "0": "reject", "-1": "unknown"}
SILENCE = "-"  # what is observed within a word
NEXT = "next"
END_OF_WORD = "end"


def read_abbadingo(path: Path) -> Iterator[LoggedEpisode]:
    """Yield one episode for every word; the file is read twice."""
    chosen = {label for label, _, _ in _words(path)} >= {"accept", "reject"}
    for label, letters, place in _words(path):
        if not chosen:
            yield LoggedEpisode(
                [*((NEXT, letter, 0.0) for letter in letters), (NEXT, END, 0.0)], True, place
            )
        elif label != "unknown" or letters:
            steps = [(letter, SILENCE, 0.0) for letter in letters]
            if label != "unknown":
                steps.append((END_OF_WORD, label, 1.0 if label == "accept" else 0.0))
            yield LoggedEpisode(steps, label != "unknown", place)


def _words(path: Path) -> Iterator[tuple[str, list[str], str]]:
    """Yield label, letters and place of every word."""
    lines = ((number, text.split()) for number, text in numbered_lines(path) if text.strip())
    number, header = next(lines, (0, []))
    if not header:
        return
    n_words, n_letters = _header(header, f"{path}:{number}")
    letters: set[str] = set()
    read = 0
    for number, tokens in lines:
        word = _word(tokens, f"{path}:{number}")
        letters.update(word[1])
        read += 1
        if len(letters) > n_letters or read > n_words:
            raise LogError(
                f"{path}:{number}: there are more words or letters than the header says, "
                f"{n_words:,} words of {n_letters:,} letters. Correct the header."
            )
        yield word
    if read < n_words:
        raise LogError(
            f"{path}:{number}: the header promises {n_words:,} words, but there are {read:,}. The "
            f"file may be cut off."
        )


def _header(tokens: list[str], place: str) -> tuple[int, int]:
    if len(tokens) != 2 or not all(token.isdecimal() for token in tokens):
        raise LogError(
            f"{place}: the header must be two numbers, of words and of letters, got "
            f"{' '.join(tokens)!r:.60}."
        )
    return int(tokens[0]), int(tokens[1])


def _word(tokens: list[str], place: str) -> tuple[str, list[str], str]:
    if tokens[0] not in LABELS:
        raise LogError(f"{place}: the label must be 1, 0 or -1, got {tokens[0]!r:.60}.")
    letters = tokens[2:]
    if len(tokens) < 2 or tokens[1] != str(len(letters)):
        stated = repr(tokens[1]) if len(tokens) > 1 else "nothing"
        raise LogError(
            f"{place}: the second number must be the length of the word, {len(letters)}, got "
            f"{stated}."
        )
    return LABELS[tokens[0]], letters, place
