"""Doing one run: from its specification to a folder with its results.

The same specification gives the same files, timing.json apart, wherever and however often it is
done: everything is decided by the specification, and looked at only at its evaluations.
"""

import logging
import platform
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from nonmarkov.core import Policy, codec
from nonmarkov.files import make_folder, write_atomically
from nonmarkov.results.checkpoint import Checkpoints, make_agent, resume
from nonmarkov.results.reading import AGENT, CHECKPOINT, RESULT, RUNS, SPEC, TIMING, read_run
from nonmarkov.results.recording import Recorder
from nonmarkov.results.specification import RunSpec
from nonmarkov.results.summary import summarise
from nonmarkov.results.writing import remove_drafts, write_object
from nonmarkov.training import Agent, Result

log = logging.getLogger(__name__)


def run_folder(folder: Path, spec: RunSpec) -> Path:
    """Return where a folder of results keeps a run."""
    return folder / RUNS / spec.name


def execute(spec: RunSpec, folder: Path) -> Path:
    """Do a run, unless it is done; return its own folder, inside of `folder`.

    KeyboardInterrupt ends it before its time; it can be done again then.
    """
    place = run_folder(folder, spec)
    make_folder(place)
    remove_drafts(place)
    write_object(place / SPEC, spec.to_content())
    if read_run(place).complete:
        return place
    (place / RESULT).unlink(missing_ok=True)  # if it is there, it is damaged
    log.info("%s begins: %s, %d episodes", spec.name, spec, spec.episodes)
    agent, recorder = resume(spec, place) or _begin(spec, place)
    checkpoints = Checkpoints(agent, recorder, place / CHECKPOINT, spec.episodes)
    left = spec.episodes - agent.episodes
    result = agent.learn(left, progress=False, callback=checkpoints)
    if result.interrupted:
        raise KeyboardInterrupt
    recorder.finish()
    _conclude(spec, agent, result, place)
    log.info("%s is done: score %.4f after %.1f s", spec.name, result.score, result.seconds)
    return place


def _begin(spec: RunSpec, place: Path) -> tuple[Agent, Recorder]:
    """Return the agent of a run, and what records it."""
    agent = make_agent(spec)
    return agent, Recorder(agent, place)


def _conclude(spec: RunSpec, agent: Agent, result: Result, place: Path) -> None:
    """Write what the run came to; the result itself last, as it makes the run complete."""
    write_atomically(place / AGENT, _portrait_text(agent.portrait).encode())
    seconds = agent.curve[-1].seconds
    write_object(
        place / TIMING,
        {
            "seconds": seconds,
            "episodes_per_second": agent.episodes / max(seconds, 1e-9),
            "versions": versions(),
            "finished_at": datetime.now(UTC).isoformat(timespec="seconds"),
        },
    )
    content = summarise(spec, agent, result.certificate)
    (place / CHECKPOINT).unlink(missing_ok=True)
    write_object(place / RESULT, content)


def _portrait_text(portrait: Policy) -> str:
    """Return abstraction and policy as a sealed text."""
    content = {"automaton": portrait.automaton.to_content(), "policy": portrait.table.tolist()}
    return codec.to_text("portrait", content) + "\n"


def versions() -> dict[str, str]:
    """Return what the seconds of a run depend on."""
    libraries = {name: version(name) for name in ("nonmarkov", "numpy", "numba")}
    return libraries | {"python": platform.python_version(), "machine": platform.machine()}
