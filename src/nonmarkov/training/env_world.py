"""An environment of Gymnasium as a world: symbols are discovered while it is played.

An episode begins with the symbol (RESET, what was seen first, 0). One that terminates ends with
(action, ENDED, reward): nothing comes after that, so what else was seen then does not matter. One
that is truncated, or cut off here, just stops; that says nothing about what would have followed.
"""

import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nonmarkov.core import Alphabet, Automaton
from nonmarkov.core.alphabet import RESET
from nonmarkov.envs.crew import CHUNK, Crew
from nonmarkov.envs.env_policy import EnvPolicy
from nonmarkov.envs.playing import Chunk
from nonmarkov.envs.scout import Guide
from nonmarkov.envs.symbol_table import SymbolTable
from nonmarkov.errors import EndlessEpisodesWarning, FileFormatError
from nonmarkov.kernels.evidence import NOWHERE
from nonmarkov.kernels.exploring import Course
from nonmarkov.labels import Label
from nonmarkov.learning.completion import familiar, usual_states
from nonmarkov.learning.corpus import Corpus
from nonmarkov.stored import Stored
from nonmarkov.training.assurance import Stakes
from nonmarkov.training.outlook import WISHES, Outlook, course_state, ignorance, read_course
from nonmarkov.training.worlds import Played

MOST_EPISODES = 64 * CHUNK  # in one go; then an interrupt can be heard
PATIENCE = 20  # episodes in a row that had to be cut off, after which that is said


class Route(NamedTuple):
    """How to act, by those symbols that had been seen when it was planned."""

    course: Course
    symbols: NDArray[np.int64]  # (S,), columns of the course, by their numbers in the alphabet
    usual: NDArray[np.int64]  # (O,), the state that an observation usually leads to, or NOWHERE
    tries: NDArray[np.int32]  # (Q, A)
    ahead: NDArray[np.float64]  # the chance that a step is not the last, and the highest value


class EnvWorld:
    """An environment, played in Python, by one process or several."""

    def __init__(self, crew: Crew, seed: int) -> None:
        self.crew = crew
        self._table = SymbolTable(crew.stage.actions)
        self._seed = seed
        self._cut_in_a_row = 0
        self._guided: tuple[Route | None, Guide | None] = (None, None)

    @property
    def alphabet(self) -> Alphabet:
        """All symbols seen so far."""
        return self._table.alphabet

    @property
    def revises(self) -> bool:
        """It takes time, and has not been shown to help in environments."""
        return False

    def adopt(self, alphabet: Alphabet, steps: int) -> None:
        """Go on with a stored alphabet."""
        here = self.alphabet.actions
        if alphabet.actions != here or not alphabet.is_of_environment:
            raise FileFormatError(
                f"the agent learned with the actions {_listed(alphabet.actions)}, but the "
                f"environment has {_listed(here)}"
            )
        self._table.adopt(alphabet, steps)

    # --- playing --------------------------------------------------------------------------------

    def play(self, course: Route, first: int, episodes: int, rng: np.random.Generator) -> Played:
        """Play episodes; every one has a seed of its own, by its number."""
        del rng
        numbers = range(first, first + min(episodes, MOST_EPISODES))
        chunks = self.crew.play(self._guide(course), [self._episode_seed(i) for i in numbers])
        failed = next((i for i, chunk in enumerate(chunks) if chunk.error), None)
        if failed is not None:
            chunks = chunks[: failed + 1]  # as if they had been played one after the other
        symbols, starts = self._table.read(chunks)
        self._warn_of_endless(chunks)
        return Played(symbols, starts, chunks[-1].error)

    def _episode_seed(self, number: int) -> int:
        state = np.random.SeedSequence([self._seed, number]).generate_state(1)
        return int(state[0]) >> 1  # environments may take 31 bits only

    def _warn_of_endless(self, chunks: list[Chunk]) -> None:
        """Say it once if no episode ends by itself, and nobody has set a limit."""
        stage = self.crew.stage
        for cut in (cut for chunk in chunks for cut in chunk.cut):
            self._cut_in_a_row = self._cut_in_a_row + 1 if cut else 0
            if self._cut_in_a_row == PATIENCE and not stage.has_limit:
                warnings.warn(
                    f"{PATIENCE} episodes in a row did not end within {stage.max_steps:,} steps "
                    f"and were cut off. Choose where to cut with max_steps=..., or wrap the "
                    f"environment in gymnasium.wrappers.TimeLimit.",
                    EndlessEpisodesWarning,
                    stacklevel=2,
                )

    def _guide(self, route: Route) -> Guide:
        if self._guided[0] is not route:
            self._guided = (route, _guide(route, self.alphabet))
        assert self._guided[1] is not None
        return self._guided[1]

    # --- plans ----------------------------------------------------------------------------------

    def ignorance(self) -> Route:
        """Return how to act before anything is known."""
        none, n_choices = np.zeros(0, dtype=np.int64), self.alphabet.n_choices
        tries = np.zeros((0, n_choices), dtype=np.int32)
        return Route(ignorance(0, n_choices), none, none, tries, np.zeros(2))

    def course(self, outlook: Outlook) -> Route:
        """Return how to act in order to learn."""
        ground = outlook.ground
        return Route(
            outlook.plan(),
            outlook.corpus.present,
            usual_states(outlook.corpus, outlook.draft),
            ground.tries,
            np.array([1.0 - ground.chances.max(), ground.v_max]),
        )

    def renumbered(self, course: Route, before: Alphabet) -> Route:
        """Return a course made when the alphabet was smaller; how it guides is the same."""
        renewed = course._replace(symbols=before.renumbered(course.symbols, self.alphabet))
        if self._guided[0] is course:
            self._guided = (renewed, self._guided[1])
        return renewed

    def policy(self, outlook: Outlook) -> EnvPolicy:
        """Return the policy that is best if all is as observed."""
        corpus, draft = outlook.corpus, outlook.draft
        usual = usual_states(corpus, draft)
        return EnvPolicy(familiar(corpus, draft), outlook.choices(), usual)

    def first_policy(self, automaton: Automaton) -> EnvPolicy:
        """Return the policy before anything is known."""
        return EnvPolicy.ignorant(automaton)

    def stakes(self, corpus: Corpus) -> Stakes:
        """Return what certificates depend on: what was seen so far is all there is."""
        rewards, longest = (0.0, *corpus.alphabet.rewards), corpus.longest
        lowest, highest = min(rewards), max(rewards)
        known = f"rewards lie between {lowest:g} and {highest:g}, and all that can be seen was seen"
        cut = (
            f"rewards are discounted by {longest}/{longest + 1}: no episode had more than "
            f"{longest} steps, and when one is cut off is not part of the automaton"
        )
        return Stakes(lowest, highest, float(longest), longest / (longest + 1.0), (known, cut))

    # --- files ----------------------------------------------------------------------------------

    def course_state(self, course: Route) -> dict[str, Any]:
        """Return a course for a file."""
        return {
            "course": course_state(course.course),
            "symbols": course.symbols,
            "usual": course.usual,
            "tries": course.tries,
            "ahead": course.ahead,
        }

    def read_course(self, stored: Stored) -> Route:
        """Return a stored course."""
        alphabet = self.alphabet
        symbols = stored.integers("symbols", (None,), 0, alphabet.n_symbols - 1)
        course = read_course(stored.part("course"), symbols.size, alphabet.n_choices)
        highest = len(course.worth) - 1
        usual = stored.integers("usual", (None,), NOWHERE, highest)
        stored.require(usual.size <= len(alphabet.observations), "observations are known")
        stored.require((np.diff(symbols) > 0).all(), "symbols are in order")
        tries = stored.integers("tries", course.worth.shape, 0, 2**31 - 1, np.int32)
        return Route(course, symbols, usual, tries, stored.reals("ahead", (2,)))


def _guide(route: Route, alphabet: Alphabet) -> Guide:
    """Return a route in plain lists, by labels."""
    course, n_choices = route.course, alphabet.n_choices
    steps: list[dict[Any, tuple[int, int]]] = [{} for _ in course.worth]
    names = [_triple(alphabet, int(symbol)) for symbol in route.symbols]
    for q, s in np.argwhere(course.number >= 0).tolist():
        steps[q][names[s]] = (int(course.successor[q, s]), int(course.number[q, s]))
    near = [{name[1]: target for name, (target, _) in row.items()} for row in steps]
    is_open = np.flatnonzero(course.is_open).tolist()
    known = zip(alphabet.observations, route.usual.tolist(), strict=False)
    return Guide(
        n_choices,
        steps,
        near,
        {label: state for label, state in known if state != NOWHERE},
        course.worth.tolist(),
        (route.tries + WISHES).tolist(),
        {edge: course.edge_worth[edge].tolist() for edge in is_open},
        {edge: course.tried[edge].astype(float).tolist() for edge in is_open},
        set(np.flatnonzero(course.unclear).tolist()),
        *route.ahead.tolist(),
    )


def _triple(alphabet: Alphabet, symbol: int) -> tuple[int, Label, float]:
    """Return number of action, observation and reward of a symbol."""
    action, outcome = divmod(symbol, alphabet.n_outcomes + 1)
    observation, reward = divmod(outcome, len(alphabet.rewards))
    return action, alphabet.observations[observation], alphabet.rewards[reward]


def _listed(actions: tuple[Label, ...]) -> str:
    shown = [repr(action) for action in actions if action != RESET]
    return ", ".join(shown[:5]) + (f", ... ({len(shown)} in all)" if len(shown) > 5 else "")
