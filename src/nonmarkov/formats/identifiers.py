"""Labels as names of other languages: different labels always get different names."""

import json
import re
from collections.abc import Collection, Sequence

from nonmarkov.labels import Label

IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]*\Z", re.ASCII)


def texts(labels: Sequence[Label], *, one_line: bool = True) -> list[str]:
    """Return a text for every label: strings as they are, others as JSON.

    If that gives one text twice (for "1" and 1), text that no file can hold or, with `one_line`,
    new lines and the like, then all of them are JSON.
    """
    plain = [label if isinstance(label, str) else json.dumps(label) for label in labels]
    if len(set(plain)) == len(plain) and all(_is_writable(text, one_line) for text in plain):
        return plain
    return [json.dumps(label) for label in labels]


def identifiers(
    labels: Sequence[Label], kind: str, reserved: Collection[str] = ()
) -> dict[int, str]:
    """Return an identifier for every label, by its index.

    A label that is an identifier keeps its name. Others are spelled with underscores, behind the
    name of their kind, and get their index if that is taken.
    """
    words = texts(labels)
    taken = set(reserved)
    names: dict[int, str] = {}
    for index, word in enumerate(words):
        if IDENTIFIER.match(word) and word not in taken:
            names[index] = word
            taken.add(word)
    for index, word in enumerate(words):
        if index not in names:
            spelled = f"{kind}_{re.sub('[^A-Za-z0-9]+', '_', word).strip('_')}".rstrip("_")[:40]
            name = spelled if spelled not in taken else f"{kind}_{index}"
            while name in taken:
                name += "_"
            names[index] = name
            taken.add(name)
    return dict(sorted(names.items()))


def legend(labels: Sequence[Label], names: dict[int, str]) -> list[str]:
    """Return a line `name is "label"` for every label that could not keep its name."""
    return [
        f"{names[index]} is {json.dumps(label)}"
        for index, label in enumerate(labels)
        if names[index] != label
    ]


def _is_writable(text: str, one_line: bool) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return text.isprintable() if one_line else "\0" not in text
