"""From counts to certificates: docs/apart.md has the statements and their proofs."""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nonmarkov.agents.conditional import ConditionalCertificate
from nonmarkov.core import Policy
from nonmarkov.kernels.evidence import NOWHERE
from nonmarkov.learning.apart import ApartLearner
from nonmarkov.learning.corpus import Corpus
from nonmarkov.training.outlook import Outlook, symbol_rewards

Floats = NDArray[np.float64]

MOST_STATES = 400  # whose pairs are compared
BATCH = 500  # edges that are judged together


class Evidence(NamedTuple):
    """What fresh episodes say about the automaton; fresh are those that had no part in it."""

    pairs: Floats  # (Q, Q), ln E against merging two states, above the diagonal
    enough: float  # ln E at which a pair is apart
    doubt: float  # ln E against the automaton itself


class Stakes(NamedTuple):
    """What certificates take for granted about a world."""

    lowest: float  # reward, or 0
    highest: float  # reward, or 0
    steps: float  # of an episode, on average, at most
    discount: float  # chance that a step is not the last, unless the episodes show that
    conditions: tuple[str, ...]  # in words


def weigh(learner: ApartLearner, delta: float) -> Evidence:
    """Return what the episodes since the last change of the automaton say about it.

    Of delta, one quarter goes to all pairs of all versions of the automaton, one to all versions
    themselves; the v-th gets the share 6 / (π v)² of either.
    """
    from nonmarkov.kernels import apartness

    corpus, n_states = learner.corpus, learner.explanation.n_states
    frozen, older, fresh, edges = _frozen_counts(learner)
    concentration = apartness.concentration_for(fresh.shape[2])
    share = 0.25 * delta * 6.0 / (math.pi * learner.version) ** 2
    enough = math.log(max(1, n_states * (n_states - 1) // 2) / share)
    pairs = np.zeros((n_states, n_states))
    if n_states <= MOST_STATES:
        pairs = apartness.pair_evalues(frozen, fresh, older, concentration, enough)
    batches = [
        apartness.edge_evalues(target, follow, fresh, older, concentration)
        for target, follow in _followers(corpus, frozen, edges)
    ]
    values = np.concatenate([np.zeros(0), *batches])
    doubt = float(np.logaddexp.reduce(values) - math.log(values.size)) if values.size else 0.0
    return Evidence(pairs, enough, doubt + math.log(share))


def _frozen_counts(
    learner: ApartLearner,
) -> tuple[NDArray[np.int32], Floats, Floats, NDArray[np.int64]]:
    """Return the automaton as it was when it was last changed, and counts before and since.

    The last are the edges before the steps since then.

    Edges that were first seen since then are left out: their targets were chosen later.
    """
    from nonmarkov.kernels.apartness import read_frozen

    corpus, ends = learner.corpus, learner.corpus.words.ends
    successor, frozen_at = learner.explanation.successor, learner.frozen_at
    older, _ = read_frozen(corpus.log, ends, successor, 0, frozen_at)
    frozen = np.where((older > 0) & ~ends, successor, NOWHERE).astype(np.int32)
    fresh, edges = read_frozen(corpus.log, ends, frozen, frozen_at, corpus.n_episodes)
    return frozen, _by_action(corpus, older), _by_action(corpus, fresh), edges


def _followers(
    corpus: Corpus, frozen: NDArray[np.int32], edges: NDArray[np.int64]
) -> Iterator[tuple[NDArray[np.int32], Floats]]:
    """Yield the targets of some edges, (E,), and what followed each of them, (E, A, K).

    edges: before every step. With many states there are too many of them to count all at once.
    """
    n_symbols = corpus.n_symbols
    state, symbol = np.nonzero(frozen != NOWHERE)
    number = np.full(frozen.size, NOWHERE)
    number[state * n_symbols + symbol] = np.arange(state.size)
    after = edges != NOWHERE
    cells, counts = np.unique(
        number[edges[after]] * n_symbols + corpus.log.symbols[after], return_counts=True
    )
    for begin in range(0, state.size, BATCH):
        some = slice(begin, begin + BATCH)
        target = frozen[state[some], symbol[some]]
        low, high = np.searchsorted(cells, np.array([begin, begin + BATCH]) * n_symbols)
        follow = np.zeros(target.size * n_symbols)
        follow[cells[low:high] - begin * n_symbols] = counts[low:high]
        yield target, _by_action(corpus, follow.reshape(target.size, n_symbols))


def _by_action(corpus: Corpus, counts: NDArray[Any]) -> Floats:
    """Return counts of symbols, (n, S), as counts of outcomes, endings last, (n, A, K).

    In environments the outcomes are those seen so far.
    """
    alphabet = corpus.alphabet
    kinds, outcome = alphabet.n_outcomes + 1, corpus.words.outcome.astype(np.int64)
    if alphabet.is_of_environment:
        seen, outcome = np.unique(outcome, return_inverse=True)
        kinds = seen.size + 1
    wide = np.zeros((len(counts), alphabet.n_actions * kinds))
    wide[:, corpus.words.action * kinds + outcome] = counts
    return wide.reshape(len(counts), alphabet.n_actions, kinds)


def certify(
    stakes: Stakes,
    outlook: Outlook,
    policy: Policy,
    evidence: Evidence,
    learner: ApartLearner,
    epsilon: float,
    delta: float,
) -> ConditionalCertificate:
    """Return what can be said about the policy of an outlook."""
    v_min, v_max = stakes.lowest * stakes.steps, stakes.highest * stakes.steps
    share = 0.5 * delta * 6.0 / (math.pi * (learner.forgettings + 1)) ** 2
    bounds = Bounds(outlook, policy, share, stakes.discount)
    optimistic = bounds.value(1.0, stakes.highest + v_max, v_max)
    pessimistic = -bounds.value(-1.0, -stakes.lowest - v_min, -v_min)
    n_states = outlook.explanation.n_states
    upper = np.triu(np.ones((n_states, n_states), dtype=np.bool_), 1)
    undecided = np.argwhere(upper & ~(evidence.pairs >= evidence.enough))
    obstacle = ""
    if evidence.doubt >= 0.0:
        obstacle = "later episodes speak against the automaton; it will be searched for again"
    return ConditionalCertificate(
        epsilon,
        delta,
        optimistic,
        pessimistic,
        learner.seen_episodes,
        _assumptions(stakes, n_states),
        int(upper.sum()) - len(undecided),
        tuple((int(p), int(q)) for p, q in undecided),
        evidence.doubt,
        obstacle,
    )


def nothing_certain(
    stakes: Stakes, epsilon: float, delta: float, episodes: int
) -> ConditionalCertificate:
    """Return what can be said before there is an automaton."""
    v_min, v_max = stakes.lowest * stakes.steps, stakes.highest * stakes.steps
    obstacle = "too few episodes to say anything"
    return ConditionalCertificate(
        epsilon, delta, v_max, v_min, episodes, _assumptions(stakes, 1), 0, (), 0.0, obstacle
    )


def _assumptions(stakes: Stakes, n_states: int) -> tuple[str, ...]:
    states = "is one state" if n_states == 1 else f"are these {n_states} states"
    right = f"what matters of a history {states}: the automaton is a Markov abstraction"
    return (right, *stakes.conditions)


class Bounds:
    """Bounds on the value of the start of an automaton, from all counts."""

    def __init__(self, outlook: Outlook, policy: Policy, delta: float, discount: float) -> None:
        corpus, draft = outlook.corpus, outlook.draft
        counts = _by_action(corpus, draft.counts)
        n_choices = corpus.alphabet.n_choices
        self._resets, self._discount = n_choices < corpus.alphabet.n_actions, discount
        self._width = _widths(counts, _first_visits(draft.state, len(counts)), delta)
        self.policy = policy.table[:, :n_choices]
        self._list_outcomes(outlook)
        if self._resets:
            self._add_start()

    def _list_outcomes(self, outlook: Outlook) -> None:
        """List the observed outcomes of every pair of state and action."""
        corpus, draft = outlook.corpus, outlook.draft
        n_pairs, n_actions = draft.tries.size, draft.tries.shape[1]
        state, symbol = np.nonzero(draft.counts)
        pair = state * n_actions + corpus.words.action[symbol]
        count = draft.counts[state, symbol].astype(np.float64)
        total = np.bincount(pair, count, minlength=n_pairs)
        self._first = np.searchsorted(pair, np.arange(n_pairs + 1))
        self._share = count / total[pair]
        self._gain = symbol_rewards(corpus)[symbol]
        ends = (corpus.words.ends | corpus.final)[symbol]
        self._successor = np.where(ends, NOWHERE, draft.successor[state, symbol]).astype(np.int32)

    def _add_start(self) -> None:
        """Turn resets, which nobody chooses, into what every action does in one more state."""
        n_states, n_choices = self.policy.shape
        n_actions = n_choices + 1
        pairs = np.arange(n_states * n_actions).reshape(n_states, n_actions)
        order = [*pairs[:, :n_choices].ravel().tolist(), *[n_choices] * n_choices]
        spans = [np.arange(self._first[pair], self._first[pair + 1]) for pair in order]
        entries = np.concatenate(spans)
        self._first = np.cumsum([0, *map(len, spans)])
        self._width = self._width[order]
        columns = (self._share, self._gain, self._successor)
        self._share, self._gain, self._successor = (column[entries] for column in columns)
        self.policy = np.vstack([self.policy, np.full(n_choices, 1.0 / n_choices)])

    def value(self, sign: float, unseen: float, ceiling: float) -> float:
        """Return a bound on sign times the value of the start."""
        from nonmarkov.kernels.confidence import bound_values

        values = bound_values(
            self._first,
            self._share,
            sign * self._gain,
            self._successor,
            self._width,
            np.ascontiguousarray(self.policy),
            unseen,
            ceiling,
            sign,
            self._discount,
        )
        # Nothing is discounted by a reset.
        bound = float(values[-1]) / self._discount if self._resets else float(values[0])
        return min(bound, ceiling)


def _widths(counts: Floats, first_visit: NDArray[np.int64], delta: float) -> Floats:
    """Return how far the shares of outcomes can be from the truth, (Q * A,); inf if untried."""
    from nonmarkov.kernels.apartness import concentration_for
    from nonmarkov.kernels.confidence import radius

    n_states, n_actions, kinds = counts.shape
    concentration = concentration_for(kinds)
    order = np.empty(n_states)
    order[np.argsort(first_visit, kind="stable")] = np.arange(n_states)
    width = np.full(n_states * n_actions, np.inf)
    for q in range(n_states):
        share = delta * 6.0 / (math.pi * (order[q] + 1.0)) ** 2 / n_actions
        for a in range(n_actions):
            if (total := counts[q, a].sum()) > 0.0:
                bound = radius(counts[q, a], concentration, math.log(1.0 / share))
                width[q * n_actions + a] = bound / total
    return width


def _first_visits(state: NDArray[np.int32], n_states: int) -> NDArray[np.int64]:
    """Return the step at which every state was first visited."""
    first = np.full(n_states, state.size)
    np.minimum.at(first, state, np.arange(state.size))
    return first
