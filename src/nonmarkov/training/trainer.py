"""Algorithm 1 of the paper, NonMarkovRL, in stretches of episodes between two events.

    loop
        while α(h) is safe and the episode is not over: act as the Markov agent says, let it observe
        while the episode is not over: act uniformly
        α ← learner.consume(episode);  agent.update(α)

Nothing changes between two events, which are: a candidate has reached a milestone, a pair has
reached the visits that the agent waits for, an evaluation is due. So the kernel plays any number
of episodes up to the next event in one call, with the same result as one by one.
"""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from nonmarkov.agents import MarkovAgent, checked_plan, checked_policy
from nonmarkov.checks import MOST
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
    PROBE,
    SAFE_STEPS,
    STATE,
    UNIFORM,
    Ledger,
)
from nonmarkov.learning import StructuralChange
from nonmarkov.learning.hypothesis import Hypothesis
from nonmarkov.stored import LARGEST_INTEGER, Stored
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

    def state(self) -> dict[str, Any]:
        """Return all that it knows, for a file."""

    def restore(self, stored: Stored, busy: int) -> None:
        """Become a stored learner; the last suffix of the candidate `busy` is incomplete."""


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
        self._unplanned = True  # the agent is to be asked before anything is played

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
        if self._unplanned:  # it was never asked, or failed when it was asked the last time
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

    # --- files ----------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Return how far training is, maybe in the middle of an episode."""
        used = slice(0, self.n_states + 1)
        return {
            "learner": self.learner.state(),
            "agent": self.agent.state(),
            "cursor": self._cursor,
            "counts": self._ledger.counts[used],
            "remaining": self._ledger.remaining[used],
            "choice": None if self._unplanned else self._choice[used],
            "version": self.version,
        }

    def restore(self, stored: Stored) -> None:
        """Go on where a stored training was."""
        cursor = stored.integers("cursor", (CURSOR,), -LARGEST_INTEGER)
        self.learner.restore(stored.part("learner"), busy=max(0, -int(cursor[NODE])))
        self.agent.restore(stored.part("agent"))
        hypothesis = self.learner.hypothesis
        _check_cursor(stored, cursor, hypothesis, len(self._world.chance))
        self._cursor, self.version = cursor, stored.integer("version")
        self._adopted, self._changes = hypothesis, len(self.learner.changes)
        self._ledger = _empty_ledger(hypothesis)
        rows, n_actions = self.n_states + 1, hypothesis.alphabet.n_actions
        counts = stored.integers("counts", (rows, hypothesis.alphabet.n_symbols), 0, MOST)
        self._ledger.counts[:rows] = counts
        self._ledger.remaining[:rows] = stored.integers("remaining", (rows, n_actions))
        self._unplanned = not stored.has("choice")
        if not self._unplanned:
            choice = stored.reals("choice", (rows, n_actions))
            stored.require(((choice >= 0.0) & (choice <= 1.0)).all(), "choices are probabilities")
            adds_up = (choice[:, -1] == 1.0).all() and (np.diff(choice) >= 0.0).all()
            stored.require(adds_up, "choices add up to 1")
            uniform = np.full((len(self._ledger.counts), n_actions), 1.0 / n_actions)
            self._choice = simulation.cumulative_choice(uniform)
            self._choice[:rows] = choice


def _check_cursor(
    stored: Stored, cursor: NDArray[np.int64], hypothesis: Hypothesis, n_states: int
) -> None:
    """Refuse a place in an episode that does not exist."""
    last = hypothesis.n_numbered - 1
    limits = {
        EPISODE: (0, MOST),
        STATE: (0, n_states - 1),
        NODE: (-last, hypothesis.n_safe),
        PROBE: (-LARGEST_INTEGER // 4, LARGEST_INTEGER // 4),
        UNIFORM: (0, 1),
        CANDIDATE: (0, last),
        SAFE_STEPS: (0, LARGEST_INTEGER // 4),
        OUTSIDE_STEPS: (0, LARGEST_INTEGER // 4),
    }
    inside = all(low <= cursor[place] <= high for place, (low, high) in limits.items())
    stored.require(inside, "an episode goes on where it cannot be")


def _empty_ledger(hypothesis: Hypothesis) -> Ledger:
    """Return a ledger without visits, with room for as many safe nodes as the graph has."""
    n_nodes, n_symbols = hypothesis.graph.successor.shape
    counts = np.zeros((n_nodes, n_symbols), dtype=np.int64)
    return Ledger(counts, np.zeros((n_nodes, hypothesis.alphabet.n_actions), dtype=np.int64))
