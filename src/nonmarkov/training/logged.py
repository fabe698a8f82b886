"""Abstractions and policies from logged episodes alone, whatever policy made them."""

import math
import warnings
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from nonmarkov.abstraction import MarkovAbstraction
from nonmarkov.checks import check_fraction, check_integer
from nonmarkov.core import Automaton, EpisodeBatch, Policy
from nonmarkov.core.alphabet import Symbol
from nonmarkov.core.episodes import NO_EPISODES
from nonmarkov.errors import InvalidParameterError, UnvariedActionsWarning
from nonmarkov.learning.apart import MOST_STEPS, ApartLearner
from nonmarkov.learning.completion import decided
from nonmarkov.learning.drafting import read
from nonmarkov.learning.edges import FEW_PASSAGES, observed_edges
from nonmarkov.logs.episode import LoggedEpisode
from nonmarkov.logs.gathering import Gathering, gather, thinned
from nonmarkov.training.assurance import Evidence, weigh
from nonmarkov.training.decisions import Merge, list_merges, list_splits
from nonmarkov.training.log_bounds import HeldOut, estimate_values, mean_return
from nonmarkov.training.log_result import Gaps, LogResult
from nonmarkov.training.outlook import Outlook, highest_value
from nonmarkov.training.variety import look_at_variety

MANY = 100  # different values
LONGEST_HORIZON = 1_000  # steps, unless one is asked for

Episodes = EpisodeBatch | Iterable[LoggedEpisode | Sequence[Symbol]]


def learn_abstraction(episodes: Episodes, *, seed: int = 0) -> MarkovAbstraction:
    """Return the abstraction that best explains episodes, without mu, n or depth.

    episodes: a batch; or lists of (action, observation, reward), where a terminated episode ends
    with (action, nm.END, 0) and one that was cut off does not; or what `nm.read_log` returns. Any
    policy may have made them; actions that were never varied are warned about. Edges whose target
    is in doubt are left out.
    """
    check_integer("seed", seed, at_least=0)
    gathering = _gathered(episodes)
    batch = gathering.batch
    learner = ApartLearner(batch.alphabet, np.random.default_rng(seed))
    learner.add(batch.symbols, batch.starts)
    learner.search(last=True)
    corpus, explanation = learner.corpus, learner.explanation
    edges = observed_edges(corpus, explanation)
    variety = look_at_variety(edges.draft, edges.target, edges.tried, gathering)
    if variety.statements:
        warnings.warn(" ".join(variety.statements), UnvariedActionsWarning, stacklevel=2)
    return MarkovAbstraction(decided(corpus, explanation, edges))


def learn_from_log(
    episodes: Episodes,
    *,
    delta: float = 0.1,
    horizon: int | None = None,
    held_out: float = 0.5,
    seed: int = 0,
) -> LogResult:
    """Return the abstraction, a policy with a lower bound on its value, and what is not known.

    episodes: as for `learn_abstraction`, in the order in which they were made. horizon: the value
    of a policy is what it earns in so many steps of an episode, by default as many as the longest
    one has. held_out: share of the episodes, the last ones, that have no part in the automaton;
    with probability 1 - delta the bound holds, on the conditions that come with it.
    """
    check_integer("seed", seed, at_least=0)
    check_fraction("delta", delta)
    check_fraction("held_out", held_out)
    if horizon is not None:
        check_integer("horizon", horizon, at_least=1, at_most=10**6)
    gathering = _gathered(episodes)
    horizon = horizon or min(LONGEST_HORIZON, int(gathering.batch.lengths.max()))
    batch, n_held_out = gathering.batch, int(held_out * len(gathering.batch))
    learner = ApartLearner(batch.alphabet, np.random.default_rng(seed))
    seen = batch[: len(batch) - n_held_out]
    learner.add(seen.symbols, seen.starts)
    learner.search(last=True)
    automaton = _claimed(learner)
    if n_held_out:
        fresh = batch[len(seen) :]
        learner.add(fresh.symbols, fresh.starts)
    return _conclude(learner, automaton, gathering, delta, horizon)


def _claimed(learner: ApartLearner) -> Automaton:
    """Return the automaton with all edges but those that were hardly ever passed."""
    corpus, successor = learner.corpus, learner.explanation.successor
    counts = read(corpus, successor).counts
    state, s = np.nonzero((counts >= FEW_PASSAGES) & ~corpus.words.ends)
    edges = np.stack([state, corpus.present[s], successor[state, s]], axis=1)
    return Automaton(corpus.alphabet, len(successor), edges)


def _conclude(
    learner: ApartLearner, automaton: Automaton, gathering: Gathering, delta: float, horizon: int
) -> LogResult:
    """Return what a learner that has seen the whole log knows."""
    outlook = _outlook(learner, horizon)
    forgettings = int(math.log2(gathering.every))
    share = 0.5 * delta * 6.0 / (math.pi * (forgettings + 1)) ** 2
    bounds = HeldOut(learner, automaton, gathering.finals, share, horizon)
    policy = _choose(outlook, bounds, gathering, horizon)
    values = estimate_values(outlook, policy, gathering.finals, horizon)
    evidence = weigh(learner, delta)
    merges = list_merges(learner)
    return LogResult(
        MarkovAbstraction(automaton),
        policy,
        float(values[0]),
        tuple(values.tolist()),
        bounds.lower_bound(policy),
        delta,
        _conditions(automaton),
        horizon,
        mean_return(learner.corpus, horizon),
        gathering.episodes,
        gathering.steps,
        learner.corpus.n_episodes - learner.frozen_at,
        _gaps(outlook, gathering, evidence, merges, automaton),
        merges,
        list_splits(learner, evidence),
    )


def _choose(outlook: Outlook, bounds: HeldOut, gathering: Gathering, horizon: int) -> Policy:
    """Return the policy that the agent would play, or the one of the best bound.

    By the mean of what is likely and what is certain: by the bound alone, a little more certainty
    where hardly anything is certain could cost much.
    """
    greedy = outlook.policy()

    def prospect(policy: Policy) -> float:
        values = estimate_values(outlook, policy, gathering.finals, horizon)
        return bounds.lower_bound(policy) + float(values[0])

    return max(greedy, bounds.cautious(greedy), key=prospect)


def _outlook(learner: ApartLearner, horizon: int) -> Outlook:
    """Return the log read through the automaton; plans need an end, even where none was seen."""
    corpus = learner.corpus
    outlook = Outlook(corpus, learner.explanation, highest_value(corpus))
    if not corpus.words.ends.any():
        rewards = corpus.alphabet.rewards
        outlook.ground = outlook.ground._replace(
            chances=np.full_like(outlook.ground.chances, 1.0 / horizon),
            v_max=horizon * max(0.0, *rewards),
            v_min=horizon * min(0.0, *rewards),
        )
    return outlook


def _conditions(automaton: Automaton) -> tuple[str, ...]:
    n, lowest = automaton.n_states, min(automaton.alphabet.rewards)
    states = "is one state" if n == 1 else f"are these {n} states"
    conditions = [
        f"what matters of a history {states}: the abstraction is a Markov abstraction",
        "the world has stayed the same, and when the log ends has nothing to do with what happened",
    ]
    if lowest < 0.0:
        conditions.append(f"no step pays less than {lowest:g}, the least in the log")
    else:
        conditions.append("no step pays less than 0")
    return tuple(conditions)


def _gaps(
    outlook: Outlook,
    gathering: Gathering,
    evidence: Evidence,
    merges: tuple[Merge, ...],
    automaton: Automaton,
) -> Gaps:
    index = automaton.alphabet.symbol_index
    known = automaton.table
    n_states = outlook.explanation.n_states
    upper = np.triu(np.ones((n_states, n_states), dtype=np.bool_), 1)
    undecided = np.argwhere(upper & ~(evidence.pairs >= evidence.enough))
    return Gaps(
        look_at_variety(outlook.draft, outlook.ground.target, outlook.ground.tried, gathering),
        tuple(
            m for m in merges if (m.state, index(m.action, m.observation, m.reward)) not in known
        ),
        tuple(m for m in merges if not m.decided),
        len(merges),
        tuple((int(p), int(q)) for p, q in undecided),
        evidence.doubt,
        _remarks(gathering),
    )


def _remarks(gathering: Gathering) -> tuple[str, ...]:
    """Return what must be said about a log as a whole."""
    batch, remarks = gathering.batch, []
    rewards, ends = batch.alphabet.rewards, bool(batch.terminated.any())
    if not ends:
        remarks.append("All episodes were cut off: nothing is known about how they end.")
    if len(rewards) == 1 and not (ends and rewards[0]):
        remarks.append(
            f"All rewards are {rewards[0]:g}: nothing is known about what is worth doing."
        )
    if gathering.every > 1:
        remarks.append(
            f"The log is long: of {gathering.every} episodes, one was remembered, {len(batch):,} "
            f"of {gathering.episodes:,}."
        )
    return tuple(remarks)


def _gathered(episodes: Episodes) -> Gathering:
    """Return as many of the episodes as can be learned from."""
    if isinstance(episodes, EpisodeBatch):
        if len(episodes) == 0:
            raise InvalidParameterError(NO_EPISODES)
        gathering = thinned(episodes, MOST_STEPS)
    elif isinstance(episodes, Iterable) and not isinstance(episodes, Mapping):
        gathering = gather(episodes, MOST_STEPS)
    else:
        raise InvalidParameterError(
            f"episodes must be an EpisodeBatch, or lists of (action, observation, reward), got "
            f"{episodes!r}."
        )
    _check_variety(gathering.batch)
    return gathering


def _check_variety(batch: EpisodeBatch) -> None:
    """Refuse rewards and observations that look like real numbers."""
    for name, labels in (
        ("rewards", batch.alphabet.rewards),
        ("observations", batch.alphabet.observations),
    ):
        n = sum(isinstance(label, float) and not label.is_integer() for label in labels)
        if n > MANY:
            raise InvalidParameterError(
                f"The episodes have {n:,} different {name} that are not whole. States are told "
                f"apart by what is observed exactly, so round {name} to a few values first, for "
                f"example with numpy.digitize."
            )
        if len(labels) > max(MANY, batch.n_steps // 2):
            raise InvalidParameterError(
                f"The episodes have {len(labels):,} different {name} in {batch.n_steps:,} steps. "
                f"Nothing can be learned from what is seen once; use fewer {name}."
            )
