"""What was learned from a log, and what the log cannot tell."""

from dataclasses import dataclass

from nonmarkov.abstraction import MarkovAbstraction
from nonmarkov.core import Policy
from nonmarkov.labels import Label
from nonmarkov.training.decisions import Merge, Split
from nonmarkov.training.variety import Variety

MOST_LISTED = 5  # examples in a statement


@dataclass(frozen=True)
class Gaps:
    """What a log cannot tell."""

    variety: Variety  # of the actions
    rare: tuple[Merge, ...]  # observed edges that are not in the abstraction: hardly ever passed
    doubtful: tuple[Merge, ...]  # observed edges that may lead elsewhere
    observed_edges: int
    undecided: tuple[tuple[int, int], ...]  # pairs that might be one state, as far as is certain
    doubt: float  # ln E against the automaton; from 0 on, held-out episodes speak against it
    remarks: tuple[str, ...]  # about the log as a whole

    @property
    def untried(self) -> tuple[tuple[int, Label], ...]:
        """Actions never tried in a state."""
        return self.variety.untried

    @property
    def statements(self) -> tuple[str, ...]:
        """The same in words."""
        lines = list(self.remarks)
        if self.doubt >= 0.0:
            lines.append(
                "Episodes that were held out speak against the automaton, so its condition is "
                "probably not met: learn from more episodes."
            )
        lines += self.variety.statements
        of = f"of {self.observed_edges:,} observed edges"
        if self.rare:
            lines.append(
                f"Too rare for the abstraction are {len(self.rare):,} {of}: {_edges(self.rare)}."
            )
        if self.doubtful:
            lines.append(
                f"Another target would explain the log nearly as well for {len(self.doubtful):,} "
                f"{of}: {_edges(self.doubtful)}."
            )
        if self.undecided:
            pairs = _listed([f"{p} and {q}" for p, q in self.undecided])
            lines.append(f"It is not certain that these states are different: {pairs}.")
        return tuple(lines)


@dataclass(frozen=True)
class LogResult:
    """What was learned from a log.

    Values are expected rewards of the first `horizon` steps of an episode. With probability
    1 - delta, the policy earns at least `lower_bound`, on the `conditions`.
    """

    abstraction: MarkovAbstraction  # the edges that were passed more than a few times
    policy: Policy  # covers every history
    value: float  # of the policy, estimated from the whole log
    values: tuple[float, ...]  # of the states, under the policy
    lower_bound: float
    delta: float
    conditions: tuple[str, ...]
    horizon: int
    logged_value: float  # what the episodes of the log earned on average
    episodes: int  # in the log
    steps: int
    held_out: int  # episodes that had no part in the automaton, from which the bound is
    gaps: Gaps
    merges: tuple[Merge, ...]
    splits: tuple[Split, ...]

    @property
    def n_states(self) -> int:
        """Number of states."""
        return self.abstraction.n_states

    @property
    def portrait(self) -> Policy:
        """The policy on the edges of the abstraction, to be drawn."""
        return Policy(self.abstraction.automaton, self.policy.table)

    def __str__(self) -> str:
        states = f"{self.n_states} state{'s' if self.n_states != 1 else ''}"
        earned = f"in the first {self.horizon:,} steps of an episode"
        sure = f"With probability {1.0 - self.delta:g}, judging by {self.held_out:,} episodes that"
        lines = [
            f"{states} from {self.episodes:,} episodes with {self.steps:,} steps.",
            f"The policy earns about {self.value:.4f} {earned}.",
            f"The log earned {self.logged_value:.4f}.",
            f"{sure} were held out, it earns at least {self.lower_bound:.4f}, provided that",
            *(f"  * {condition}" for condition in self.conditions),
        ]
        if self.gaps.statements:
            lines += ["What the log cannot tell:", *(f"  * {s}" for s in self.gaps.statements)]
        return "\n".join(lines)


def _listed(examples: list[str]) -> str:
    rest = len(examples) - MOST_LISTED
    return ", ".join(examples[:MOST_LISTED]) + (f", and {rest:,} more" if rest > 0 else "")


def _edges(merges: tuple[Merge, ...]) -> str:
    return _listed(
        [
            f"{m.state} -> {m.target} after ({m.action!r}, {m.observation!r}, {m.reward:g})"
            for m in merges
        ]
    )
