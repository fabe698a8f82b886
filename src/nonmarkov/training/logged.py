"""Abstractions from logged episodes alone, whatever policy made them."""

import warnings
from collections.abc import Iterable, Sequence

import numpy as np

from nonmarkov.abstraction import MarkovAbstraction
from nonmarkov.checks import check_integer
from nonmarkov.core import EpisodeBatch
from nonmarkov.core.alphabet import Symbol
from nonmarkov.core.episodes import NO_EPISODES
from nonmarkov.errors import InvalidParameterError, UnvariedActionsWarning
from nonmarkov.learning.apart import ApartLearner
from nonmarkov.learning.completion import decided
from nonmarkov.learning.drafting import read

MOST_LISTED = 3  # actions in a warning
MANY = 100  # different values


def learn_abstraction(
    episodes: EpisodeBatch | Iterable[Sequence[Symbol]], *, seed: int = 0
) -> MarkovAbstraction:
    """Return the abstraction that best explains episodes, without mu, n or depth.

    episodes: a batch, or lists of (action, observation, reward), where a terminated episode ends
    with (action, nm.END, 0) and one that was cut off does not. Any policy may have made them;
    actions that were never varied are warned about. Edges whose target is in doubt are left out.
    """
    check_integer("seed", seed, at_least=0)
    batch = _as_batch(episodes)
    learner = ApartLearner(batch.alphabet, np.random.default_rng(seed))
    learner.remember(batch.symbols, batch.starts)
    learner.search()
    _warn_of_untried_actions(learner)
    return MarkovAbstraction(decided(learner.corpus, learner.explanation))


def _as_batch(episodes: EpisodeBatch | Iterable[Sequence[Symbol]]) -> EpisodeBatch:
    if not isinstance(episodes, EpisodeBatch):
        episodes = EpisodeBatch.from_lists(episodes)
    if len(episodes) == 0:
        raise InvalidParameterError(NO_EPISODES)
    _check_variety(episodes)
    return episodes


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


def _warn_of_untried_actions(learner: ApartLearner) -> None:
    """Say which actions were never tried in some states, for nothing is known about them there."""
    corpus, n_states = learner.corpus, learner.explanation.n_states
    draft = read(corpus, learner.explanation.successor)
    untried = (draft.tries + draft.endings == 0).sum(axis=0)
    names = corpus.alphabet.actions
    parts = [
        f"{names[a]!r} in {untried[a]} of {n_states} state{'s' if n_states != 1 else ''}"
        for a in np.argsort(-untried, kind="stable")
        if untried[a] > 0
    ]
    if parts:
        more = ", ..." if len(parts) > MOST_LISTED else ""
        warnings.warn(
            f"Some actions were never tried: {', '.join(parts[:MOST_LISTED])}{more}. States that "
            f"differ only in what these do cannot be told apart.",
            UnvariedActionsWarning,
            stacklevel=3,
        )
