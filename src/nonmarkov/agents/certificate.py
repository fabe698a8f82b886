"""What can be said about a trained policy, and under which conditions."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Certificate:
    """The termination test: if it is passed, the policy is near-optimal under the assumptions.

    The value of the start was computed once with everything unknown at its best, and once at its
    worst. Where the two differ by less than epsilon/4, nothing unknown can matter any more.
    """

    epsilon: float
    delta: float
    optimistic: float  # value of the start with everything unknown worth V_max
    pessimistic: float  # value of the start with everything unknown worth 0
    episodes: int
    assumptions: tuple[str, ...]
    obstacle: str = ""  # why it cannot pass, whatever the gap

    @property
    def gap(self) -> float:
        """What is still unknown may be worth so much."""
        return self.optimistic - self.pessimistic

    @property
    def passed(self) -> bool:
        """Whether the gap is below epsilon/4, and nothing stands against it."""
        return self.gap < self.epsilon / 4.0 and not self.obstacle

    def __str__(self) -> str:
        verdict = "passed" if self.passed else "not passed"
        lines = [
            f"Termination test {verdict} after {self.episodes:,} episodes. In the learned model,",
            f"the start is worth {self.pessimistic:.4f} if all that is unknown is worth nothing,",
            f"and {self.optimistic:.4f} at best. That leaves a gap of {self.gap:.4f}; it must be",
            f"less than epsilon/4 = {self.epsilon / 4.0:g}. Then the policy is optimal up to",
            f"epsilon = {self.epsilon:g} with probability {1.0 - self.delta:g}, provided that",
            *(f"  * {assumption}" for assumption in self.assumptions),
        ]
        if self.obstacle:
            lines.append(f"It cannot be certified: {self.obstacle}.")
        return "\n".join(lines)
