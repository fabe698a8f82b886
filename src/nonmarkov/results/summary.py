"""What a finished training came to, as data."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import Any

from nonmarkov.results.specification import FORMAT, RunSpec
from nonmarkov.training import Agent
from nonmarkov.training.interface import AnyCertificate, Change

TOLERANCE = 1e-9  # relative


def summarise(spec: RunSpec, agent: Agent, certificate: AnyCertificate) -> dict[str, Any]:
    """Return the content of result.json."""
    process, last = agent.process, agent.curve[-1]
    optimum = float(process.optimal_score)
    curve = [(point.episodes, float(point.score)) for point in agent.curve]
    return {
        "format": FORMAT,
        "spec": spec.to_content(),
        "name": spec.name,
        "episodes": last.episodes,
        "score": float(last.score),
        "optimal_score": optimum,
        "states": agent.n_states,
        "minimal_states": process.minimal().n_states,
        "right": bool(agent.abstraction.matches(process)),
        "certificate": certificate_content(certificate),
        "episodes_to_95": sustained(curve, share_of(optimum, 0.95)),
        "episodes_to_99": sustained(curve, share_of(optimum, 0.99)),
    }


def share_of(optimum: float, share: float) -> float:
    """Return the score that is this share of the optimum, or as far below it if negative."""
    return optimum - (1.0 - share + TOLERANCE) * abs(optimum)


def sustained(curve: Sequence[tuple[int, float]], least: float) -> int | None:
    """Return from which point of a curve on the score stays at or above `least`."""
    first = None
    for episodes, score in reversed(curve):
        if score < least:
            break
        first = episodes
    return first


def certificate_content(certificate: AnyCertificate) -> dict[str, Any]:
    """Return a certificate as JSON data; of undecided pairs of states, only how many."""
    content: dict[str, Any] = {"passed": bool(certificate.passed)}
    names = ["gap", *(field.name for field in fields(certificate))]
    for name in names:
        value = getattr(certificate, name)
        if name == "undecided":
            value = len(value)
        elif isinstance(value, float):
            value = float(value) if math.isfinite(value) else None
        elif isinstance(value, tuple):
            value = list(value)
        content[name] = value
    return content


def change_contents(changes: Iterable[Change]) -> list[dict[str, Any]]:
    """Return changes of an automaton as the lines of events.jsonl."""
    return [
        {"episode": int(c.episode), "kind": getattr(c, "kind", "revision"), "text": str(c)}
        for c in changes
    ]
