"""From what was learned to how to act: plans on the automaton that explains the episodes best."""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nonmarkov.core import Alphabet, Policy
from nonmarkov.kernels.evidence import NOWHERE
from nonmarkov.kernels.exploring import Course, Quests
from nonmarkov.kernels.optimism import Ground, Values
from nonmarkov.learning.completion import completed
from nonmarkov.learning.corpus import Corpus
from nonmarkov.learning.drafting import Explanation
from nonmarkov.learning.edges import observed_edges, undecided_edges
from nonmarkov.stored import Stored

Integers = NDArray[np.int32]

WISHES = 3.0  # imaginary tries of every action, all worth the highest value
SHORT_EPISODE = 20  # steps up to which there are so many; in longer ones, hopes add up
QUEST_SHARE = 0.5  # of episodes, once nothing is left to hope for
LITTLE_HOPE = 0.1  # share of what can be earned at all, below which quests begin
TIE = 1e-9  # relative difference of worth that is none


class Outlook:
    """The episodes read through the automaton that explains them best."""

    def __init__(self, corpus: Corpus, explanation: Explanation, v_max: float) -> None:
        edges, words = observed_edges(corpus, explanation), corpus.words
        draft, n_choices = edges.draft, corpus.alphabet.n_choices
        self.corpus, self.explanation, self.draft = corpus, explanation, draft
        self._unclear = edges.unclear
        self._undecided = undecided_edges(explanation, edges)[edges.number >= 0]
        tries, endings = _chosen(draft.tries, n_choices), _chosen(draft.endings, n_choices)
        self.ground = Ground(
            words.ends,
            symbol_rewards(corpus),
            draft.successor,
            edges.seen,
            tries,
            endings,
            self._ending_chances(tries, endings),
            edges.number,
            edges.target,
            edges.follow,
            _chosen(edges.tried, n_choices),
            edges.is_open,
            v_max,
            lowest_value(corpus),
            WISHES * min(1.0, SHORT_EPISODE / horizon(corpus)),
        )

    def _ending_chances(self, tries: Integers, endings: Integers) -> NDArray[np.float64]:
        """Return the chance that an action ends the episode, (Q, A).

        Environments say it themselves when an episode ends. But it is not known how many steps are
        left, so every one is taken to be the last with the same chance: the longest episode is as
        long as such episodes are on average.
        """
        from nonmarkov.kernels.optimism import ending_chances

        if self.corpus.alphabet.is_of_environment:
            return np.full(tries.shape, 1.0 / (self.corpus.longest + 1.0))
        return ending_chances(self.corpus.words, tries, endings)

    @cached_property
    def _hopes(self) -> Values:
        """What states and actions are worth at best."""
        from nonmarkov.kernels.optimism import plan_optimistically

        return plan_optimistically(self.ground)

    def plan(self) -> Course:
        """Return how to act in order to learn, by the symbols of the corpus, without quests."""
        ground, hopes = self.ground, self._hopes
        return Course(
            ground.successor,
            ground.number,
            hopes.worth,
            hopes.edge_worth,
            ground.is_open,
            self._unclear,
            ground.tried == 0,
            ground.tried.copy(),
            no_quests(len(hopes.worth), *hopes.edge_worth.shape),
        )

    def course(self) -> Course:
        """Return how to act in order to learn, by the symbols of the alphabet."""
        plan, alphabet = self.plan(), self.corpus.alphabet
        return plan._replace(
            successor=self._widened(plan.successor, alphabet),
            number=self._widened(plan.number, alphabet),
            quests=self._quests(),
        )

    def _quests(self) -> Quests:
        """Return which episodes head for undecided edges: more, the less is left to hope for."""
        from nonmarkov.kernels.quests import plan_quests

        ground = self.ground
        worth = plan_quests(ground, self._undecided)
        left = self._hopes.value[0] - self._worth()[0].max()
        hope = float(left) / (ground.v_max - ground.v_min)
        share = QUEST_SHARE * max(0.0, 1.0 - hope / LITTLE_HOPE) if worth[0].any() else 0.0
        return Quests(self._undecided, worth, share)

    def policy(self) -> Policy:
        """Return the policy that is best if all is as observed; it covers every history."""
        return Policy(completed(self.corpus, self.draft), self.choices())

    def choices(self) -> NDArray[np.float64]:
        """Return the action probabilities of that policy, (Q, A)."""
        worth = self._worth()
        best = worth.max(axis=1, keepdims=True)
        chosen = np.isneginf(best) | (worth >= best - TIE * np.abs(best))
        table = np.zeros((len(worth), self.corpus.alphabet.n_actions))
        table[:, : worth.shape[1]] = chosen / chosen.sum(axis=1, keepdims=True)
        return table

    def _worth(self) -> NDArray[np.float64]:
        """Return what actions are worth if all is as observed, (Q, A)."""
        from nonmarkov.kernels.optimism import plan_greedily

        return plan_greedily(self.ground._replace(is_open=np.zeros_like(self.ground.is_open)))

    def _widened(self, table: Integers, alphabet: Alphabet) -> Integers:
        """Return a table with a column for every symbol of the alphabet."""
        wide = np.full((len(table), alphabet.n_symbols), NOWHERE, dtype=np.int32)
        wide[:, self.corpus.present] = table
        return wide


def _chosen(table: Integers, n_choices: int) -> Integers:
    """Return the columns of actions that can be chosen."""
    return np.ascontiguousarray(table[:, :n_choices])


def no_quests(n_states: int, n_edges: int, n_actions: int) -> Quests:
    """Return that no episode is a quest."""
    return Quests(np.zeros(n_edges, dtype=np.bool_), np.zeros((n_states, n_actions)), 0.0)


def ignorance(n_symbols: int, n_actions: int) -> Course:
    """Return how to act before anything is known: without looking."""
    none, flags = np.zeros((0, n_actions)), np.zeros(0, dtype=np.bool_)
    table = np.zeros((0, n_symbols), dtype=np.int32)
    untried, tried = none.astype(np.bool_), none.astype(np.int32)
    quests = no_quests(0, 0, n_actions)
    return Course(table, table, none, none, flags, flags, untried, tried, quests)


def course_state(course: Course) -> dict[str, Any]:
    """Return a way to act, for a file."""
    return course._asdict() | {"quests": course.quests._asdict()}


def read_course(stored: Stored, n_symbols: int, n_actions: int) -> Course:
    """Return a stored way to act."""
    n_states, n_edges = len(stored.plain("worth")), len(stored.plain("edge_worth"))
    table = (n_states, n_symbols)
    course = Course(
        stored.integers("successor", table, NOWHERE, n_states - 1, np.int32),
        stored.integers("number", table, NOWHERE, n_edges - 1, np.int32),
        stored.reals("worth", (n_states, n_actions)),
        stored.reals("edge_worth", (n_edges, n_actions)),
        stored.flags("is_open", (n_edges,)),
        stored.flags("unclear", (n_edges,)),
        stored.flags("untried", (n_edges, n_actions)),
        stored.integers("tried", (n_edges, n_actions), 0, 2**31 - 1, np.int32),
        _read_quests(stored.part("quests"), n_states, n_edges, n_actions),
    )
    stored.require((course.successor[course.number >= 0] >= 0).all(), "edges lead somewhere")
    return course


def _read_quests(stored: Stored, n_states: int, n_edges: int, n_actions: int) -> Quests:
    return Quests(
        stored.flags("undecided", (n_edges,)),
        stored.reals("worth", (n_states, n_actions)),
        stored.real("share"),
    )


def symbol_rewards(corpus: Corpus) -> NDArray[np.float64]:
    """Return the reward of every symbol of a corpus, (S,); 0 for endings."""
    rewards, words = np.array(corpus.alphabet.rewards), corpus.words
    return np.where(words.ends, 0.0, rewards[words.outcome % rewards.size])


def best_return(corpus: Corpus) -> float:
    """Return the most that was earned from some step of an episode to its end."""
    log = corpus.log
    total = np.concatenate([[0.0], np.cumsum(symbol_rewards(corpus)[log.symbols])])
    to_go = total[log.starts[1:]][log.episode] - total[:-1]
    return float(to_go.max())


def horizon(corpus: Corpus) -> float:
    """Return how many steps an episode has at most, or on average if it stops at random."""
    ending = corpus.words.ending
    return min(corpus.longest, 1.0 / ending) if ending > 0.0 else corpus.longest


def lowest_value(corpus: Corpus) -> float:
    """Return what a history is worth at least, judging by the episodes."""
    lowest, words = min(0.0, *corpus.alphabet.rewards), corpus.words
    return lowest / words.ending if words.ending > 0.0 else lowest


def highest_value(corpus: Corpus) -> float:
    """Return V_max: what any history is worth at most, judging by the episodes.

    No more than the highest reward in every step until the end, and no more than was ever earned.
    """
    highest, words = max(corpus.alphabet.rewards), corpus.words
    bound = best_return(corpus)
    if words.ending > 0.0:
        bound = min(bound, highest / words.ending)
    return bound if bound > 0.0 else max(highest, 1.0)
