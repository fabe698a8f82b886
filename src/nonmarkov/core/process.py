"""Non-Markov decision processes with regular dynamics, given by a finite transducer.

The hidden state after a history fixes the dynamics D(or|h,a), and the next hidden state follows
from the outcome: the transducer's iterated transition function is a Markov abstraction.
Ronca, Licks, De Giacomo, "Markov Abstractions for PAC Reinforcement Learning in Non-Markov
Decision Processes", IJCAI 2022, sections 2 and 3.
"""

import os
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nonmarkov.checks import check_integer
from nonmarkov.core import beliefs, building, codec, dense, simulation
from nonmarkov.core.alphabet import Alphabet
from nonmarkov.core.automaton import Automaton
from nonmarkov.core.building import Blueprint, OutcomeList
from nonmarkov.core.episodes import EpisodeBatch
from nonmarkov.core.policy import Policy
from nonmarkov.core.product import Product, product
from nonmarkov.core.simulation import PlayStatistics
from nonmarkov.core.validation import check_blueprint
from nonmarkov.exact import score, solving
from nonmarkov.exact.minimisation import equivalence_classes
from nonmarkov.exact.tables import PADDING, Tables
from nonmarkov.labels import Label
from nonmarkov.records import ArrayRecord


@dataclass(frozen=True, eq=False)
class RegularProcess(ArrayRecord):
    """A decision process with finitely many hidden states; the start is one of them.

    Make one with `from_outcomes`, `from_functions`, `from_tables`, `from_mdp` or `from_pomdp`.
    """

    alphabet: Alphabet
    states: tuple[Label, ...]  # names of the hidden states; None is "the episode is over"
    tables: Tables

    def __post_init__(self) -> None:
        check_blueprint(Blueprint(self.alphabet, self.states, self.tables))

    def __repr__(self) -> str:
        sizes = f"{self.n_states} states, {len(self.actions)} actions"
        return f"RegularProcess({sizes}, {len(self.observations)} observations)"

    # --- ways to write one down -----------------------------------------------------------------

    @classmethod
    def from_outcomes(
        cls,
        start: Hashable,
        actions: Sequence[Label],
        outcomes: Callable[[Any, Any], OutcomeList],
        *,
        stop: float = 0.0,
        horizon: int | None = None,
        observations: Sequence[Label] | None = None,
        rewards: Sequence[float] | None = None,
    ) -> "RegularProcess":
        """Return the process with `outcomes(state, action)`, explored from `start`.

        `outcomes` gives a list of (probability, observation, reward, next_state). A next_state of
        None ends the episode for sure: the outcome is still seen, the next action is answered by
        termination. `stop` is the probability that a step is answered by termination instead;
        `horizon` the number of steps of an evaluation episode, 1/stop - 1 unless given.
        """
        draft = building.explore(start, actions, outcomes)
        return cls._from_draft(draft, actions, observations, rewards, stop, horizon)

    @classmethod
    def from_functions(
        cls,
        start: Hashable,
        actions: Sequence[Label],
        tau: Callable[[Any, Any, Any, float], Any],
        theta: Callable[[Any, Any], Mapping[tuple[Any, float], float]],
        *,
        stop: float = 0.0,
        horizon: int | None = None,
    ) -> "RegularProcess":
        """Return the transducer with outputs `theta(s, a)` and transitions `tau(s, a, o, r)`.

        `theta` maps (observation, reward) to its probability; a `tau` of None ends the episode.
        """
        outcomes = building.from_tau_theta(tau, theta)
        return cls.from_outcomes(start, actions, outcomes, stop=stop, horizon=horizon)

    @classmethod
    def from_tables(
        cls,
        probability: ArrayLike,
        successor: ArrayLike,
        *,
        actions: Sequence[Label],
        observations: Sequence[Label],
        rewards: Sequence[float],
        termination: ArrayLike | None = None,
        states: Sequence[Label] | None = None,
        start: int = 0,
        stop: float = 0.0,
        horizon: int | None = None,
    ) -> "RegularProcess":
        """Return the process with dense tables.

        probability, successor: (Q, A, O, R); termination: (Q, A), zero unless given. All states
        are kept, in the given order, also those that cannot be reached.
        """
        draft = dense.read_tables(
            probability, successor, termination, observations, rewards, states
        )
        return cls._from_draft(draft, actions, observations, rewards, stop, horizon, start)

    @classmethod
    def from_mdp(
        cls,
        transition: ArrayLike,
        reward: ArrayLike,
        *,
        start: int = 0,
        termination: ArrayLike | None = None,
        actions: Sequence[Label] | None = None,
        states: Sequence[Label] | None = None,
        stop: float = 0.0,
        horizon: int | None = None,
    ) -> "RegularProcess":
        """Return a Markov decision process, where the observation is the next state.

        transition: (S, A, S); reward: (S, A) or (S, A, S); termination: (S, A), zero unless given.
        """
        draft = dense.read_mdp(transition, reward, termination, states)
        actions = range(np.shape(transition)[1]) if actions is None else actions
        return cls._from_draft(draft, actions, draft.states, None, stop, horizon, start)

    @classmethod
    def from_pomdp(
        cls,
        start: Hashable | Mapping[Any, float],
        actions: Sequence[Label],
        outcomes: Callable[[Any, Any], OutcomeList],
        *,
        stop: float = 0.0,
        horizon: int | None = None,
        tolerance: float = 1e-9,
        limit: int = 10_000,
    ) -> "RegularProcess":
        """Return the belief process of a POMDP with finitely many reachable beliefs.

        `outcomes(hidden, action)` is as in `from_outcomes`, but one (observation, reward) may lead
        to several hidden states. `start` is a hidden state or a distribution over them. Beliefs
        that agree up to a relative `tolerance` are one state; more than `limit` are an error.
        `nonmarkov.core.beliefs.joint_outcomes` takes the paper's three separate functions.
        """
        draft = beliefs.explore_beliefs(start, actions, outcomes, tolerance=tolerance, limit=limit)
        return cls._from_draft(draft, actions, None, None, stop, horizon)

    @classmethod
    def _from_draft(
        cls,
        draft: building.Draft,
        actions: Sequence[Label],
        observations: Sequence[Label] | None,
        rewards: Sequence[float] | None,
        stop: float,
        horizon: int | None,
        start: int = 0,
    ) -> "RegularProcess":
        return cls(
            *building.assemble(
                draft,
                actions,
                observations=observations,
                rewards=rewards,
                stop=stop,
                horizon=horizon,
                start=start,
            )
        )

    # --- what it consists of --------------------------------------------------------------------

    @property
    def n_states(self) -> int:
        """Number of hidden states."""
        return len(self.states)

    @property
    def actions(self) -> tuple[Label, ...]:
        """The actions, in order."""
        return self.alphabet.actions

    @property
    def observations(self) -> tuple[Label, ...]:
        """The observations, in order."""
        return self.alphabet.observations

    @property
    def rewards(self) -> tuple[float, ...]:
        """The rewards, in order."""
        return self.alphabet.rewards

    @property
    def stop(self) -> float:
        """Probability that a step is answered by termination at random."""
        return self.tables.stop

    @property
    def horizon(self) -> int:
        """Number of steps of an evaluation episode."""
        return self.tables.horizon

    @cached_property
    def automaton(self) -> Automaton:
        """The transducer's own states and transitions: the true abstraction."""
        state, action, entry = np.nonzero(self.tables.outcome != PADDING)
        symbol = action * (self.alphabet.n_outcomes + 1) + self.tables.outcome[state, action, entry]
        successor = self.tables.successor[state, action, entry]
        edges = np.stack([state, symbol, successor], axis=1)
        return Automaton(self.alphabet, self.n_states, edges, self.tables.start)

    # --- exact values ---------------------------------------------------------------------------

    @cached_property
    def solution(self) -> solving.Solution:
        """Optimal values of all hidden states and actions, and an optimal policy."""
        return solving.solve(self.tables)

    @property
    def optimal_value(self) -> float:
        """V* of the empty history, under random stopping."""
        return float(self.solution.values[self.tables.start])

    @cached_property
    def optimal_policy(self) -> Policy:
        """The policy that takes the first best action in every hidden state."""
        return Policy.greedy(self.automaton, self.solution.actions)

    @cached_property
    def optimal_score(self) -> float:
        """Exact score of the optimal policy under the evaluation protocol."""
        return self.score(self.optimal_policy)

    def value(self, policy: Policy) -> float:
        """Return V_π of the empty history, exactly, for a policy on any automaton."""
        pairs = self.paired_with(policy.automaton)
        return float(solving.evaluate(pairs.tables, policy.rows(pairs.memory))[0])

    def score(self, policy: Policy) -> float:
        """Return the exact expected score of a policy under the evaluation protocol."""
        pairs = self.paired_with(policy.automaton)
        return score.expected_score(pairs.tables, policy.rows(pairs.memory))

    def is_epsilon_optimal(self, policy: Policy, epsilon: float) -> bool:
        """Return whether V_π ≥ V* - ε at the empty history, up to rounding."""
        slack = 1e-9 * max(1.0, abs(self.optimal_value))
        return self.value(policy) >= self.optimal_value - epsilon - slack

    def minimal(self) -> "RegularProcess":
        """Return the process with unreachable states dropped and equivalent ones merged."""
        reachable = self.tables.reachable()
        block = equivalence_classes(self.tables, reachable)
        first = reachable[np.unique(block[reachable], return_index=True)[1]]
        tables = replace(
            self.tables,
            probability=self.tables.probability[first],
            outcome=self.tables.outcome[first],
            successor=np.maximum(block[self.tables.successor[first]], 0),
            termination=self.tables.termination[first],
            start=0,
        )
        return RegularProcess(self.alphabet, tuple(self.states[q] for q in first), tables)

    def paired_with(self, automaton: Automaton) -> Product:
        """Return the process and an automaton over the same labels, side by side."""
        return product(self.tables, automaton.over(self.alphabet))

    # --- simulation -----------------------------------------------------------------------------

    def sample(
        self,
        episodes: int,
        *,
        policy: Policy | None = None,
        seed: int | np.random.Generator = 0,
        max_steps: int | None = None,
    ) -> EpisodeBatch:
        """Return simulated episodes under a policy, uniform unless given.

        `max_steps` cuts episodes off; the same seed gives the same episodes.
        """
        check_integer("episodes", episodes, at_least=1)
        if max_steps is not None:
            check_integer("max_steps", max_steps, at_least=1)
        tables, rows = self._under(policy)
        rng = np.random.default_rng(seed)
        arrays = simulation.sample(tables, rows, episodes, max_steps, rng)
        return EpisodeBatch(self.alphabet, *arrays)

    def play(
        self,
        episodes: int,
        *,
        policy: Policy | None = None,
        seed: int | np.random.Generator = 0,
        evaluation: bool = False,
    ) -> PlayStatistics:
        """Simulate any number of episodes in constant memory and return their statistics.

        With `evaluation`, episodes follow the evaluation protocol: at most `horizon` steps, no
        random stopping, over at the goal.
        """
        check_integer("episodes", episodes, at_least=1)
        tables, rows = self._under(policy)
        return simulation.play(tables, rows, episodes, evaluation, np.random.default_rng(seed))

    def _under(self, policy: Policy | None) -> tuple[Tables, NDArray[np.float64]]:
        """Return tables and action probabilities whose rows are the states of the simulation."""
        if policy is None:
            shape = (self.n_states, len(self.actions))
            return self.tables, np.full(shape, 1.0 / shape[1])
        pairs = self.paired_with(policy.automaton)
        return pairs.tables, policy.rows(pairs.memory)

    # --- files ----------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the process to one JSON file."""
        blueprint = Blueprint(self.alphabet, self.states, self.tables)
        codec.write(path, "process", codec.from_blueprint(blueprint))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "RegularProcess":
        """Return the process stored in a file that `save` wrote."""
        return codec.read(path, "process", lambda content: cls(*codec.to_blueprint(content)))
