"""What can be said without mu, n or d: how near to optimal, if the automaton is right."""

from dataclasses import dataclass

MOST_LISTED = 5  # undecided pairs of states


@dataclass(frozen=True)
class ConditionalCertificate:
    """How far a policy can be from optimal, with probability 1 - delta, on stated conditions.

    Everything that the counts allow was considered: the start is worth no more than `optimistic`,
    whatever one does, and the policy earns no less than `pessimistic`.
    """

    epsilon: float  # asked for
    delta: float
    optimistic: float
    pessimistic: float
    episodes: int
    assumptions: tuple[str, ...]
    apart: int  # pairs of states that are certified to be different
    undecided: tuple[tuple[int, int], ...]  # pairs that might be one state, as far as is certain
    doubt: float  # ln E against the automaton itself, from episodes that had no part in it
    obstacle: str = ""  # why it cannot pass, whatever the gap

    @property
    def gap(self) -> float:
        """The epsilon that was reached."""
        return self.optimistic - self.pessimistic

    @property
    def passed(self) -> bool:
        """Whether the epsilon asked for was reached, and nothing stands against it."""
        return self.gap <= self.epsilon and not self.obstacle

    def __str__(self) -> str:
        share = f" ({self.gap / self.optimistic:.0%} of it)" if self.optimistic > 0.0 else ""
        lines = [
            f"After {self.episodes:,} episodes, with probability {1.0 - self.delta:g}: no policy",
            f"earns more than {self.optimistic:.4f} per episode, and this one earns at least",
            f"{self.pessimistic:.4f}. So it is optimal up to epsilon = {self.gap:.4f}{share};",
            f"asked for: {self.epsilon:g}. All this provided that",
            *(f"  * {assumption}" for assumption in self.assumptions),
            self._pairs(),
        ]
        if self.obstacle:
            lines.append(f"It cannot be certified: {self.obstacle}.")
        return "\n".join(lines)

    def _pairs(self) -> str:
        total = self.apart + len(self.undecided)
        if total == 0:
            return "There is one state, so no two had to be told apart."
        text = f"{self.apart:,} of {total:,} pairs of states are certified to be different"
        if not self.undecided:
            return f"{text}."
        listed = ", ".join(f"{p} and {q}" for p, q in self.undecided[:MOST_LISTED])
        rest = len(self.undecided) - MOST_LISTED
        more = f", and {rest:,} more" if rest > 0 else ""
        return f"{text}; undecided are {listed}{more}."
