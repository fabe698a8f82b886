"""An abstraction that is given, in the place of a learner: for baselines and upper bounds."""

from typing import Any

import numpy as np

from nonmarkov.core import Automaton, RegularProcess
from nonmarkov.learning.changes import StructuralChange
from nonmarkov.learning.hypothesis import NEVER, Hypothesis
from nonmarkov.stored import Stored


class FixedAbstraction:
    """Knows its automaton from the start and learns nothing."""

    def __init__(self, automaton: Automaton) -> None:
        self.automaton = automaton
        self.hypothesis = Hypothesis.of(automaton)
        self.changes: list[StructuralChange] = []
        self.first_milestone = NEVER
        self.probing = 0

    def on_milestone(self, candidate: int, episode: int) -> bool:
        """Return that nothing changed."""
        del candidate, episode
        return False

    def make_room(self, n_symbols: int = 0, busy: int = 0) -> None:
        """Make room for suffixes, should an edge be missing in the automaton."""
        del busy
        self.hypothesis.make_room(n_symbols)

    def state(self) -> dict[str, Any]:
        """Return the graph: it has candidates where an edge was missing in the automaton."""
        return {"hypothesis": self.hypothesis.state({})}

    def restore(self, stored: Stored, busy: int) -> None:
        """Become a stored learner; the last suffix of the candidate `busy` is incomplete."""
        hypothesis = Hypothesis(self.automaton.alphabet)
        hypothesis.restore(stored.part("hypothesis"), busy)
        known, now = self.hypothesis.graph.successor, hypothesis.graph.successor
        same = known.shape == now.shape and (known == np.maximum(now, 0)).all()
        same &= self.hypothesis.start == hypothesis.start
        stored.require(same, "the abstraction must be the one that is given")
        self.hypothesis = hypothesis


def last_observation(process: RegularProcess) -> Automaton:
    """Return the memory of a Markov agent: the last observation, or none yet."""
    alphabet = process.alphabet
    width, n_rewards = alphabet.n_outcomes + 1, len(alphabet.rewards)
    edges = [
        (state, action * width + outcome, 1 + outcome // n_rewards)
        for state in range(len(alphabet.observations) + 1)
        for action in range(alphabet.n_actions)
        for outcome in range(alphabet.n_outcomes)
    ]
    return Automaton(alphabet, len(alphabet.observations) + 1, edges)  # type: ignore[arg-type]
