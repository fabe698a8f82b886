"""Algorithm 1 of the paper, NonMarkovRL, in stretches of episodes between two events.

    loop
        while α(h) is safe and the episode is not over: act as the Markov agent says, let it observe
        while the episode is not over: act uniformly
        α ← learner.consume(episode);  agent.update(α)

Nothing changes between two events, which are: a candidate has reached a milestone, a pair has
reached the visits that the agent waits for, an evaluation is due. So the kernel plays any number
of episodes up to the next event in one call, with the same result as one by one.
"""

from typing import Protocol

import numpy as np

from nonmarkov.agents import MarkovAgent, checked_plan, checked_policy
from nonmarkov.core import Automaton, Policy, RegularProcess, simulation
from nonmarkov.core.automaton import UNDEFINED
from nonmarkov.core.experience import Experience
from nonmarkov.kernels.shapes import (
    CANDIDATE,
    CURSOR,
    DONE,
    EPISODE,
    GOAL,
    MILESTONE,
    NODE,
    OUTSIDE_STEPS,
    SAFE_STEPS,
    Ledger,
)
from nonmarkov.learning import StructuralChange
from nonmarkov.learning.hypothesis import Hypothesis
from nonmarkov.training.interface import LONGEST_STRETCH


class Learner(Protocol):
    """What Algorithm 1 needs of its first module."""

    @property
    def hypothesis(self) -> Hypothesis:
        """The graph that episodes walk through."""

    @property
    def automaton(self) -> Automaton:
        """The graph as a record."""

    @property
    def changes(self) -> list[StructuralChange]:
        """What has changed in it so far."""

    @property
    def first_milestone(self) -> int:
        """Arrivals at which a new candidate is tested first."""

    @property
    def probing(self) -> int:
        """Every so many episodes one is a probe; 0 for never."""

    def on_milestone(self, candidate: int, episode: int) -> bool:
        """Test a candidate; return whether the hypothesis changed."""

    def make_room(self, n_symbols: int = 0, busy: int = 0) -> None:
        """Make room for more suffixes and candidates; the suffix of `busy` is incomplete."""


class Trainer:
    """The two modules at work in one process.

    uniform: act uniformly throughout, as Random Sampling does; the agent only watches.
    on_change: which of the agent's statistics start again when the abstraction changes.
    """

    def __init__(
        self,
        process: RegularProcess,
        learner: Learner,
        agent: MarkovAgent,
        rng: np.random.Generator,
        *,
        uniform: bool = False,
        on_change: str = "affected",
    ) -> None:
        self.learner, self.agent = learner, agent
        self.version = 0  # of what the agent knows
        self._uniform, self._on_change, self._rng = uniform, on_change, rng
        self._world = simulation.world(process.tables)
        self._cursor = np.zeros(CURSOR, dtype=np.int64)
        self._adopted, self._changes = learner.hypothesis, 0
        self._ledger = _empty_ledger(learner.hypothesis)
        self._consult()

    @property
    def episodes(self) -> int:
        """Episodes played."""
        return int(self._cursor[EPISODE])

    @property
    def steps(self) -> tuple[int, int]:
        """Steps taken so far from safe states, and elsewhere."""
        return int(self._cursor[SAFE_STEPS]), int(self._cursor[OUTSIDE_STEPS])

    @property
    def n_states(self) -> int:
        """Number of safe states."""
        return self.learner.hypothesis.n_safe

    @property
    def n_candidates(self) -> int:
        """Number of candidates."""
        return self.learner.hypothesis.n_candidates

    @property
    def automaton(self) -> Automaton:
        """The hypothesis as a record."""
        return self.learner.automaton

    @property
    def changes(self) -> list[StructuralChange]:
        """Promotions and merges so far."""
        return self.learner.changes

    def run(self, until: int) -> None:
        """Play on until that many episodes have been played in all, or for a while."""
        from nonmarkov.kernels.stream import train_episodes

        most_steps = sum(self.steps) + LONGEST_STRETCH
        if self._unplanned:  # the agent failed when it was asked the last time
            self._consult()
        while True:
            event = train_episodes(
                self._world,
                self._choice,
                self.learner.hypothesis.graph,
                self.learner.hypothesis.pool,
                self._ledger,
                self._cursor,
                until,
                most_steps,
                self.learner.first_milestone,
                self.learner.probing,
                self._rng,
            )
            if event == DONE:
                return
            if event == GOAL:
                self._consult()
            elif event != MILESTONE:
                self.learner.make_room(busy=max(0, -int(self._cursor[NODE])))
            elif self.learner.on_milestone(int(self._cursor[CANDIDATE]), self.episodes):
                self._adopt()

    def _adopt(self) -> None:
        """Tell the agent about a new abstraction."""
        hypothesis, old = self.learner.hypothesis, self._ledger.counts
        self._ledger = _empty_ledger(hypothesis)
        changes, same = self.learner.changes, hypothesis is self._adopted
        if same and self._on_change != "reset":
            self._ledger.counts[: len(old)] = old
        if same and self._on_change == "affected":
            affected = [c.origin[0] + 1 for c in changes[self._changes :] if c.origin is not None]
            self._ledger.counts[affected] = 0
        self._adopted, self._changes = hypothesis, len(changes)
        self._consult()

    def _consult(self) -> None:
        """Let the agent plan on what it has seen so far; without a safe state, there is no plan."""
        self._unplanned = True
        experience = self.experience()
        rows = np.full((len(self._ledger.counts), experience.n_actions), 1.0)
        rows /= experience.n_actions
        safe = slice(1, experience.n_states + 1)
        if experience.n_states > 0:
            plan = checked_plan(self.agent.plan(experience), experience)
            self._ledger.remaining[safe] = np.maximum(0, plan.goals - experience.visits)
            if not self._uniform:
                rows[safe] = plan.policy
        self._choice = simulation.cumulative_choice(rows)
        self._unplanned = False
        self.version += 1

    def experience(self) -> Experience:
        """Return what the agent has seen on the current abstraction."""
        hypothesis, alphabet = self.learner.hypothesis, self.learner.hypothesis.alphabet
        safe = slice(1, hypothesis.n_safe + 1)
        counts = self._ledger.counts[safe]
        state, symbol = np.nonzero(counts)
        node = hypothesis.graph.successor[safe][state, symbol].astype(np.int64)
        node = np.where(node < 0, hypothesis.graph.target[-np.minimum(node, 0)], node)
        start = hypothesis.start
        return Experience(
            alphabet,
            start - 1 if start > 0 else UNDEFINED,
            counts.reshape(len(counts), alphabet.n_actions, alphabet.n_outcomes + 1).sum(axis=2),
            state,
            symbol,
            counts[state, symbol],
            np.where(node > 0, node - 1, UNDEFINED),
        )

    def policy(self) -> Policy:
        """Return the policy with which to be evaluated; uniform where there is no safe state."""
        return self._policy(candidates=False)

    def portrait(self) -> Policy:
        """Return the same policy on the whole hypothesis, candidates included."""
        return self._policy(candidates=True)

    def _policy(self, candidates: bool) -> Policy:
        automaton = self.learner.hypothesis.to_automaton(candidates)
        experience = self.experience()
        table = np.full((automaton.n_states, experience.n_actions), 1.0 / experience.n_actions)
        if experience.n_states:
            rows = checked_policy("exploit()", self.agent.exploit(experience), experience)
            table[: experience.n_states] = rows
        return Policy(automaton, table)


def _empty_ledger(hypothesis: Hypothesis) -> Ledger:
    """Return a ledger without visits, with room for as many safe nodes as the graph has."""
    n_nodes, n_symbols = hypothesis.graph.successor.shape
    counts = np.zeros((n_nodes, n_symbols), dtype=np.int64)
    return Ledger(counts, np.zeros((n_nodes, hypothesis.alphabet.n_actions), dtype=np.int64))
