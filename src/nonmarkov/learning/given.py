"""A learner that is told the automaton: what is left to learn is how to act."""

import numpy as np

from nonmarkov.core import Automaton
from nonmarkov.kernels.evidence import NOWHERE
from nonmarkov.learning.apart import ApartLearner
from nonmarkov.learning.drafting import Explanation
from nonmarkov.learning.search import Finding


class GivenAutomaton(ApartLearner):
    """Remembers episodes, and explains them by an automaton that is not in doubt."""

    def __init__(self, automaton: Automaton, rng: np.random.Generator) -> None:
        super().__init__(automaton.alphabet, rng)
        order = np.arange(automaton.n_states)  # state 0 is the start of an explanation
        order[[0, automaton.start]] = order[[automaton.start, 0]]
        state, symbol, successor = automaton.edges.T
        table = np.full((automaton.n_states, automaton.alphabet.n_symbols), NOWHERE, dtype=np.int32)
        table[order[state], symbol] = order[successor]
        self._table = table

    def _find(self, thorough: bool, last: bool) -> Finding:
        del thorough, last
        successor = self._table[:, self.corpus.present]
        return Finding(Explanation(0.0, successor, np.full(successor.shape, np.inf)), 0.0, 0.0)
