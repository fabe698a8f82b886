"""Non-Markov decision processes with regular dynamics, given by a finite transducer.

The hidden state after a history fixes the dynamics D(or|h,a), and the next hidden state follows
from the outcome: the transducer's iterated transition function is a Markov abstraction.
Ronca, Licks, De Giacomo, "Markov Abstractions for PAC Reinforcement Learning in Non-Markov
Decision Processes", IJCAI 2022, sections 2 and 3.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nonmarkov.checks import check_integer
from nonmarkov.core import codec, simulation
from nonmarkov.core.automaton import Automaton
from nonmarkov.core.building import Blueprint
from nonmarkov.core.construction import ProcessRecord
from nonmarkov.core.distinguishability import distinguishability
from nonmarkov.core.episodes import EpisodeBatch
from nonmarkov.core.policy import Policy
from nonmarkov.core.product import Product, product
from nonmarkov.core.simulation import PlayStatistics
from nonmarkov.errors import InvalidParameterError
from nonmarkov.exact import score, solving
from nonmarkov.exact.minimisation import equivalence_classes
from nonmarkov.exact.tables import PADDING, Tables
from nonmarkov.files import read_bytes, write_atomically
from nonmarkov.labels import Label


@dataclass(frozen=True, eq=False)
class RegularProcess(ProcessRecord):
    """A decision process with finitely many hidden states; the start is one of them.

    Make one with `from_outcomes`, `from_functions`, `from_tables`, `from_mdp`, `from_pomdp` or
    `from_formulas`.
    """

    def __repr__(self) -> str:
        sizes = f"{self.n_states} states, {len(self.actions)} actions"
        return f"RegularProcess({sizes}, {len(self.observations)} observations)"

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

    def policy(self, actions: Mapping[Any, Label] | Callable[[Any], Label]) -> Policy:
        """Return the policy that takes `actions[state]`, or `actions(state)`, by their names.

        A policy like this knows the hidden state; one that does not is a `Policy` on an automaton.
        """
        choose = actions.__getitem__ if isinstance(actions, Mapping) else actions
        chosen = [
            0 if state is None else self.alphabet.action_index(choose(state))
            for state in self.states
        ]
        return Policy.greedy(self.automaton, chosen)

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
        return float(solving.evaluate(*self._under(policy))[0])

    def score(self, policy: Policy) -> float:
        """Return the exact expected score of a policy under the evaluation protocol."""
        return score.expected_score(*self._under(policy))

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

    def distinguishability(self, depth: int) -> float:
        """Return by how much prefixes of `depth` symbols tell any two states apart, at least.

        Equivalent states count as one, actions are uniform, and random stopping is included.
        """
        check_integer("depth", depth, at_least=1, at_most=1000)
        return distinguishability(self.minimal().tables, depth)

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
        rng = simulation.generator(seed)
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
        return simulation.play(tables, rows, episodes, evaluation, simulation.generator(seed))

    def _under(self, policy: Policy | None) -> tuple[Tables, NDArray[np.float64]]:
        """Return tables and action probabilities on the pairs that the policy can reach.

        Without a policy the states themselves will do, under the uniform one.
        """
        if policy is not None and not isinstance(policy, Policy):
            raise InvalidParameterError(
                f"policy must be a Policy, got {policy!r}; RegularProcess.policy makes one from a "
                f"function or a table of names."
            )
        if policy is None:
            shape = (self.n_states, len(self.actions))
            return self.tables, np.full(shape, 1.0 / shape[1])
        policy = policy.over(self.alphabet)
        pairs = product(self.tables, policy.automaton)
        return pairs.tables, policy.rows(pairs.memory)

    # --- files ----------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the process to one JSON file."""
        blueprint = Blueprint(self.alphabet, self.states, self.tables)
        text = codec.to_text("process", codec.from_blueprint(blueprint))
        write_atomically(path, text.encode())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "RegularProcess":
        """Return the process stored in a file that `save` wrote."""
        return codec.from_text(
            read_bytes(path), "process", lambda content: cls(*codec.to_blueprint(content)), path
        )
