"""What a policy earns, judging by a log: estimates from all of it, bounds from what was held out.

docs/logs.md has the statement and its proof.
"""

import math
from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from nonmarkov.core import Automaton, Policy
from nonmarkov.kernels.evidence import NOWHERE
from nonmarkov.labels import Label
from nonmarkov.learning.apart import ApartLearner
from nonmarkov.learning.corpus import Corpus
from nonmarkov.training.outlook import TIE, Outlook, symbol_rewards

Floats = NDArray[np.float64]


def is_final(corpus: Corpus, finals: Collection[Label]) -> NDArray[np.bool_]:
    """Return which symbols of a corpus end the episode for sure, (S,)."""
    alphabet = corpus.alphabet
    final = [alphabet.symbol(int(symbol))[1] in finals for symbol in corpus.present]
    return corpus.words.ends | np.array(final, dtype=np.bool_)


class HeldOut:
    """Lower bounds from episodes that had no part in the automaton, if that is right.

    Beyond edges that it does not have, every step is taken to bring the worst.
    """

    def __init__(
        self,
        learner: ApartLearner,
        automaton: Automaton,
        finals: Collection[Label],
        delta: float,
        horizon: int,
    ) -> None:
        from nonmarkov.kernels.apartness import read_frozen
        from nonmarkov.kernels.confidence import LEFT

        corpus, ends = learner.corpus, learner.corpus.words.ends
        table = np.full((automaton.n_states, corpus.n_symbols), NOWHERE, dtype=np.int32)
        state, symbol, target = automaton.edges.T
        table[state, np.searchsorted(corpus.present, symbol)] = target
        counts, _ = read_frozen(corpus.log, ends, table, learner.frozen_at, corpus.n_episodes)
        self._n_actions, self._horizon = corpus.alphabet.n_actions, horizon
        self._floor = min(0.0, *corpus.alphabet.rewards)
        state, symbol = np.nonzero(counts)
        pair = state * self._n_actions + corpus.words.action[symbol]
        n_pairs = automaton.n_states * self._n_actions
        count = counts[state, symbol].astype(np.float64)
        self._first = np.searchsorted(pair, np.arange(n_pairs + 1))
        self._share = count / np.bincount(pair, count, minlength=n_pairs)[pair]
        self._gain = symbol_rewards(corpus)[symbol]
        beyond = np.where(table[state, symbol] == NOWHERE, LEFT, table[state, symbol])
        self._successor = np.where(is_final(corpus, finals)[symbol], NOWHERE, beyond).astype(
            np.int32
        )
        kinds = corpus.alphabet.n_outcomes + 1
        self._width = self._widths(count, kinds, math.log(n_pairs / delta))

    def _widths(self, count: Floats, kinds: int, log_inverse_delta: float) -> Floats:
        """Return how far every pair may be from its counts, (Q * A,)."""
        from nonmarkov.kernels.apartness import concentration_for
        from nonmarkov.kernels.confidence import radius

        concentration = concentration_for(kinds)
        width = np.full(self._first.size - 1, np.inf)
        for pair, (begin, end) in enumerate(zip(self._first[:-1], self._first[1:], strict=True)):
            if end > begin:
                counts = np.zeros(kinds)
                counts[: end - begin] = count[begin:end]  # in whatever order
                width[pair] = radius(counts, concentration, log_inverse_delta) / counts.sum()
        return width

    def _worths(self, policy: Floats) -> Floats:
        from nonmarkov.kernels.confidence import worst_worths

        return worst_worths(
            self._first,
            self._share,
            self._gain,
            self._successor,
            self._width,
            policy.copy(),  # to numba, a frozen table would be of another type
            self._floor,
            self._horizon,
        )

    def lower_bound(self, policy: Policy) -> float:
        """Return what a policy earns at least."""
        return float(policy.table[0] @ self._worths(policy.table)[0])

    def cautious(self, policy: Policy) -> Policy:
        """Return a policy with the best bound, which acts like this one where all bounds agree."""
        worth = self._worths(np.zeros((0, self._n_actions)))
        best = worth.max(axis=1, keepdims=True)
        chosen = worth >= best - TIE * np.abs(best)
        informed = ~chosen.all(axis=1, keepdims=True)
        return Policy(
            policy.automaton,
            np.where(informed, chosen / chosen.sum(axis=1, keepdims=True), policy.table),
        )


def estimate_values(
    outlook: Outlook, policy: Policy, finals: Collection[Label], horizon: int
) -> Floats:
    """Return what the states are worth over so many steps if all is as observed, (Q,).

    Where the policy does what was never tried, nothing is earned.
    """
    corpus, draft = outlook.corpus, outlook.draft
    state, symbol = np.nonzero(draft.counts)
    action = corpus.words.action[symbol]
    tries = (draft.tries + draft.endings)[state, action]
    chance = policy.table[state, action] * draft.counts[state, symbol] / tries
    n_states = len(policy.table)
    gain = np.bincount(state, chance * symbol_rewards(corpus)[symbol], minlength=n_states)
    goes_on = ~is_final(corpus, finals)[symbol]
    move = np.zeros((n_states, n_states))
    target = draft.successor[state, symbol]
    np.add.at(move, (state[goes_on], target[goes_on]), chance[goes_on])
    values = np.zeros(n_states)
    for _ in range(horizon):
        values = gain + move @ values
    return values


def mean_return(corpus: Corpus, horizon: int) -> float:
    """Return what the episodes of a log earned on average in their first steps."""
    log = corpus.log
    early = np.arange(corpus.n_steps) - log.starts[log.episode] < horizon
    return float(symbol_rewards(corpus)[log.symbols[early]].sum() / corpus.n_episodes)
