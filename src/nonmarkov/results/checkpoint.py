"""Long runs that go on where they were when they were ended."""

import logging
import time
from pathlib import Path

from nonmarkov.domains import domain
from nonmarkov.errors import FileFormatError
from nonmarkov.results.reading import CHECKPOINT, SNAPSHOTS, read_lines
from nonmarkov.results.recording import Recorder
from nonmarkov.results.specification import RunSpec
from nonmarkov.training import Agent, Evaluation

PAUSE = 20.0  # seconds between two checkpoints
PATIENCE = 20.0  # the same, in times that writing one takes

log = logging.getLogger(__name__)


def make_agent(spec: RunSpec) -> Agent:
    """Return the agent of a run, before its first episode."""
    process = domain(spec.domain, **spec.parameters)
    return Agent(process, spec.method, seed=spec.seed, **spec.settings)


class Checkpoints:
    """Called with every evaluation: records it, and saves the agent now and then.

    The agent is saved at evaluations only, where it is looked at anyway: so whether and when that
    happens makes no difference to what it learns.
    """

    def __init__(self, agent: Agent, recorder: Recorder, path: Path, episodes: int) -> None:
        self._agent, self._recorder, self._path = agent, recorder, path
        self._episodes = episodes  # of the whole run
        self._next = time.monotonic() + PAUSE

    def __call__(self, point: Evaluation) -> None:
        """Take note of an evaluation."""
        self._recorder(point)
        if time.monotonic() >= self._next and point.episodes < self._episodes:
            self._save()

    def _save(self) -> None:
        """Save the agent, after the snapshots that it will be taken up with."""
        began = time.monotonic()
        self._recorder.flush()
        self._agent.save(self._path)
        ended = time.monotonic()
        self._next = ended + max(PAUSE, PATIENCE * (ended - began))


def resume(spec: RunSpec, place: Path) -> tuple[Agent, Recorder] | None:
    """Return agent and recorder of an unfinished run, or None if it must begin anew."""
    path = place / CHECKPOINT
    try:
        agent = Agent.load(path)
        recorder = Recorder(agent, place, read_lines(place / SNAPSHOTS, ("episodes",)))
    except FileNotFoundError:
        return None
    except (FileFormatError, OSError) as error:
        log.warning("%s begins anew: %s", spec.name, error)
        return None
    if not _belongs(agent, spec) or not recorder.gapless:
        log.warning("%s begins anew: %s does not belong to it", spec.name, path)
        return None
    log.info("%s goes on after %d episodes", spec.name, agent.episodes)
    return agent, recorder


def _belongs(agent: Agent, spec: RunSpec) -> bool:
    """Return whether an agent is one of this run, with something left to learn."""
    new = make_agent(spec)
    same = (agent.process, agent.method, agent.seed, agent.settings) == (
        new.process,
        new.method,
        new.seed,
        new.settings,
    )
    return same and 0 < agent.episodes < spec.episodes and bool(agent.curve)
