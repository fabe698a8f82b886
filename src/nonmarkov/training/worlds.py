"""Where a method is at work: what it needs to know of a world, and a process as such a world."""

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from nonmarkov.core import Alphabet, Automaton, Policy, RegularProcess, simulation
from nonmarkov.errors import NonMarkovError
from nonmarkov.kernels.exploring import Course
from nonmarkov.learning.corpus import Corpus
from nonmarkov.stored import Stored
from nonmarkov.training.assurance import Stakes
from nonmarkov.training.interface import LONGEST_STRETCH
from nonmarkov.training.outlook import Outlook, course_state, ignorance, read_course


class Played(NamedTuple):
    """Episodes that were played."""

    symbols: NDArray[np.int32]
    starts: NDArray[np.int64]
    error: NonMarkovError | None = None  # that kept the others from being played


class World(Protocol):
    """Something to learn in; courses are what it makes of plans, in a form of its own."""

    @property
    def alphabet(self) -> Alphabet:
        """All symbols known so far; new ones come at the end of observations and rewards."""

    @property
    def revises(self) -> bool:
        """Whether edges in doubt are revised at every plan, not at searches only."""

    def play(self, course: Any, first: int, episodes: int, rng: np.random.Generator) -> Played:
        """Play episodes, at most so many; `first` is the number of the first."""

    def ignorance(self) -> Any:
        """Return how to act before anything is known."""

    def course(self, outlook: Outlook) -> Any:
        """Return how to act in order to learn."""

    def renumbered(self, course: Any, before: Alphabet) -> Any:
        """Return a course made when the alphabet was smaller."""

    def policy(self, outlook: Outlook) -> Policy:
        """Return the policy that is best if all is as observed."""

    def first_policy(self, automaton: Automaton) -> Policy:
        """Return the policy before anything is known."""

    def stakes(self, corpus: Corpus) -> Stakes:
        """Return what certificates depend on."""

    def course_state(self, course: Any) -> dict[str, Any]:
        """Return a course for a file."""

    def read_course(self, stored: Stored) -> Any:
        """Return a stored course."""


class ProcessWorld:
    """A process, played by a kernel."""

    def __init__(self, process: RegularProcess) -> None:
        self._process = process
        self._world = simulation.world(process.tables)

    @property
    def alphabet(self) -> Alphabet:
        """All symbols."""
        return self._process.alphabet

    @property
    def revises(self) -> bool:
        """Episodes are short, so to read them again takes little time."""
        return True

    def play(self, course: Course, first: int, episodes: int, rng: np.random.Generator) -> Played:
        """Play episodes; none begins after LONGEST_STRETCH steps."""
        from nonmarkov.kernels.exploring import explore_episodes

        del first
        starts = np.zeros(episodes + 1, dtype=np.int64)
        symbols, played = explore_episodes(self._world, course, LONGEST_STRETCH, starts, rng)
        return Played(symbols, starts[: played + 1])

    def ignorance(self) -> Course:
        """Return how to act before anything is known."""
        return ignorance(self.alphabet.n_symbols, self.alphabet.n_actions)

    def course(self, outlook: Outlook) -> Course:
        """Return how to act in order to learn."""
        return outlook.course()

    def renumbered(self, course: Course, before: Alphabet) -> Course:
        """Return the same course: the alphabet of a process does not grow."""
        del before
        return course

    def policy(self, outlook: Outlook) -> Policy:
        """Return the policy that is best if all is as observed."""
        return outlook.policy()

    def first_policy(self, automaton: Automaton) -> Policy:
        """Return the policy before anything is known."""
        return Policy.uniform(automaton)

    def stakes(self, corpus: Corpus) -> Stakes:
        """Return what certificates depend on."""
        del corpus
        process = self._process
        steps = process.horizon + 1.0
        text = f"an episode has {process.horizon + 1} steps on average at most"
        if process.stop > 0.0:
            steps = 1.0 / process.stop
            text = f"a step ends an episode with probability {process.stop:.4g} at least"
        rewards = (0.0, *process.rewards)
        return Stakes(min(rewards), max(rewards), steps, 1.0, (text,))

    def course_state(self, course: Course) -> dict[str, Any]:
        """Return a course for a file."""
        return course_state(course)

    def read_course(self, stored: Stored) -> Course:
        """Return a stored course."""
        return read_course(stored, self.alphabet.n_symbols, self.alphabet.n_actions)
