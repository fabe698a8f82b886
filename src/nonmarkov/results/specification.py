"""What a run is: everything that its results depend on, and the name that follows from it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from nonmarkov.checks import MOST, check_integer
from nonmarkov.domains import make_domain
from nonmarkov.errors import FileFormatError, InvalidParameterError, NonMarkovError
from nonmarkov.files import UNREADABLE, canonical_json, digest

FORMAT = 1
LENGTH_OF_NAME = 16
FIELDS = ("domain", "parameters", "method", "seed", "episodes", "settings")


@dataclass(frozen=True)
class RunSpec:
    """One training: two runs with the same specification have the same results, byte by byte.

    parameters are completed with the domain's defaults; `RunSpec.of` also checks method and
    settings, and leaves out settings that are what they would be anyway.
    """

    domain: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    method: str = "apart"
    seed: int = 0
    episodes: int = 10_000
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("domain", "method"):
            if not isinstance(getattr(self, name), str):
                raise InvalidParameterError(f"{name} must be a name, got {getattr(self, name)!r}.")
        given = _plain("parameters", self.parameters)
        complete = make_domain(self.domain, **given).parameters
        checked = {
            "parameters": _plain("parameters", complete),
            "settings": _plain("settings", self.settings),
            "seed": check_integer("seed", self.seed, at_least=0, at_most=MOST),
            "episodes": check_integer("episodes", self.episodes, at_least=1, at_most=MOST),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @classmethod
    def of(
        cls,
        domain: str,
        parameters: Mapping[str, Any] | None = None,
        method: str = "apart",
        seed: int = 0,
        episodes: int = 10_000,
        settings: Mapping[str, Any] | None = None,
    ) -> "RunSpec":
        """Return the specification with everything checked that an agent would check."""
        from nonmarkov.training.methods import METHODS, check_settings
        from nonmarkov.training.published import published_for
        from nonmarkov.training.settings import make_settings

        made = make_domain(domain, **(parameters or {}))
        given = dict(settings or {})
        METHODS[method]
        check_settings(method, given)
        published = published_for(made.build())
        chosen, usual = make_settings(published, given), make_settings(published, {})
        different = {n: v for n, v in given.items() if getattr(chosen, n) != getattr(usual, n)}
        return cls(domain, made.parameters, method, seed, episodes, different)

    @cached_property
    def name(self) -> str:
        """The name of the run, a hash of all of it."""
        return digest(canonical_json(self.to_content()))[:LENGTH_OF_NAME]

    def __hash__(self) -> int:
        return hash(self.name)

    def __str__(self) -> str:
        k = f" k={self.parameters['k']}" if "k" in self.parameters else ""
        return f"{self.domain}{k} {self.method} seed {self.seed}"

    def to_content(self) -> dict[str, Any]:
        """Return the specification as plain JSON data."""
        return {"format": FORMAT} | {name: getattr(self, name) for name in FIELDS}

    @classmethod
    def from_content(cls, content: Any, source: object = "The specification") -> "RunSpec":
        """Return the specification that `to_content` wrote; `source` is named in errors."""
        if not isinstance(content, dict) or set(content) != {"format", *FIELDS}:
            raise FileFormatError(f"{source} does not hold a run: expected {', '.join(FIELDS)}.")
        if content["format"] != FORMAT:
            raise FileFormatError(
                f"{source} has format {content['format']!r}; this library reads {FORMAT}."
            )
        try:
            return cls(**{name: content[name] for name in FIELDS})
        except (*UNREADABLE, NonMarkovError) as error:
            raise FileFormatError(f"{source} does not hold a valid run: {error}") from None


def _plain(name: str, values: object) -> dict[str, Any]:
    """Return a table of names as what it is after a way through JSON."""
    if not isinstance(values, Mapping) or not all(isinstance(key, str) for key in values):
        raise InvalidParameterError(f"{name} must be a table of names and values, got {values!r}.")
    try:
        plain: dict[str, Any] = json.loads(canonical_json(dict(values)))
    except (TypeError, ValueError):
        raise InvalidParameterError(
            f"{name} must hold numbers, texts and lists only, so that they can be written to a "
            f"file; got {dict(values)!r}."
        ) from None
    return plain
