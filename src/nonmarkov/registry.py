"""A read-only table of names, with a suggestion for a name that is not there."""

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import TypeVar

from nonmarkov.errors import UnknownNameError

Entry = TypeVar("Entry")


def unknown_name(kind: str, name: str, known: Mapping[str, object]) -> UnknownNameError:
    """Return the error for `name`, with the closest known name if there is one."""
    close = get_close_matches(name.lower().replace("-", "_"), known, n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    return UnknownNameError(f"Unknown {kind} {name!r}.{hint} Known: {', '.join(known)}.")


class Registry(Mapping[str, Entry]):
    """Names of one kind of thing, in the order given."""

    def __init__(self, kind: str, entries: Mapping[str, Entry]) -> None:
        self._kind = kind
        self._entries = dict(entries)

    def __getitem__(self, name: str) -> Entry:
        if not isinstance(name, str) or name not in self._entries:
            raise unknown_name(self._kind, str(name), self._entries)
        return self._entries[name]

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)
