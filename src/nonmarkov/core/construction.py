"""The record of a regular decision process, and the ways to write one down."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from numpy.typing import ArrayLike

from nonmarkov.core import beliefs, building, dense
from nonmarkov.core.alphabet import Alphabet
from nonmarkov.core.building import Blueprint, OutcomeList, assemble
from nonmarkov.core.validation import check_blueprint
from nonmarkov.exact.tables import Tables
from nonmarkov.labels import Label
from nonmarkov.records import ArrayRecord

if TYPE_CHECKING:
    from nonmarkov.core.temporal import Properties, Rules


@dataclass(frozen=True, eq=False)
class ProcessRecord(ArrayRecord):
    """What a process consists of; `RegularProcess` adds what can be done with it."""

    alphabet: Alphabet
    states: tuple[Label, ...]  # names of the hidden states; None is "the episode is over"
    tables: Tables

    def __post_init__(self) -> None:
        check_blueprint(Blueprint(self.alphabet, self.states, self.tables))

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
        limit: int = 1_000_000,
    ) -> Self:
        """Return the process with `outcomes(state, action)`, explored from `start`.

        `outcomes` gives a list of (probability, observation, reward, next_state). A next_state of
        None ends the episode for sure: the outcome is still seen, the next action is answered by
        termination. `stop` is the probability that a step is answered by termination instead;
        `horizon` the number of steps of an evaluation episode, 1/stop - 1 unless given.
        Observations and rewards are collected unless given, which also fixes their order. Rewards
        beyond 1e100, and more than `limit` reachable states, are an error.
        """
        draft = building.explore(start, actions, outcomes, limit)
        return cls(*assemble(draft, actions, observations, rewards, stop=stop, horizon=horizon))

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
    ) -> Self:
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
    ) -> Self:
        """Return the process with dense tables.

        probability, successor: (Q, A, O, R); termination: (Q, A), zero unless given. All states
        are kept, in the given order, also those that cannot be reached.
        """
        alphabet = Alphabet(tuple(actions), tuple(observations), tuple(rewards))
        draft = dense.read_tables(probability, successor, termination, alphabet, states)
        return cls(
            *assemble(
                draft, actions, observations, rewards, start=start, stop=stop, horizon=horizon
            )
        )

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
    ) -> Self:
        """Return a Markov decision process, where the observation is the next state.

        transition: (S, A, S); reward: (S, A) or (S, A, S); termination: (S, A), zero unless given.
        """
        draft, names = dense.read_mdp(transition, reward, termination, actions, states)
        return cls(*assemble(draft, names, draft.states, start=start, stop=stop, horizon=horizon))

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
    ) -> Self:
        """Return the belief process of a POMDP with finitely many reachable beliefs.

        `outcomes(hidden, action)` is as in `from_outcomes`, but one (observation, reward) may lead
        to several hidden states. `start` is a hidden state or a distribution over them. Beliefs
        that agree up to a relative `tolerance` are one state; more than `limit` are an error.
        `nonmarkov.core.beliefs.joint_outcomes` takes the paper's three separate functions.
        """
        draft = beliefs.explore_beliefs(start, actions, outcomes, tolerance=tolerance, limit=limit)
        return cls(*assemble(draft, actions, stop=stop, horizon=horizon))

    @classmethod
    def from_formulas(
        cls,
        actions: Sequence[Label],
        rules: "Rules",
        *,
        stop: float = 0.0,
        horizon: int | None = None,
        propositions: "Properties | None" = None,
        exclusive: bool = False,
        limit: int = 10_000,
    ) -> Self:
        """Return the process whose dynamics follow the first rule that holds of the history.

        A rule is (formula, {action: [(probability, observation, reward), ...]}) with a formula of
        LTLf or LDLf; an outcome with END as a fourth part ends the episode. Propositions are the
        names of actions and observations (all entries of an observation that is a tuple), unless
        `propositions(action, observation, reward)` says which hold after a step. Some rule must
        hold after every history; with `exclusive`, exactly one. `minimal()` merges the states that
        formulas tell apart in vain. See docs/formats.md.
        """
        from nonmarkov.core.temporal import RuledDynamics

        dynamics = RuledDynamics(actions, rules, propositions, exclusive)
        draft = building.explore(0, actions, dynamics.outcomes, limit)
        return cls(*assemble(draft, actions, stop=stop, horizon=horizon))
