"""What can be said about a trained policy, and under which conditions."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Certificate:
    """The termination test: the policy is near-optimal if the assumptions hold.

    The value of the start was computed once with everything unknown at its best, and once at its
    worst. Where the two differ by less than epsilon/4, nothing unknown can matter any more.
    """

    epsilon: float
    delta: float
    optimistic: float  # value of the start with everything unknown worth V_max
    pessimistic: float  # value of the start with everything unknown worth 0
    episodes: int
    assumptions: tuple[str, ...]

    @property
    def gap(self) -> float:
        """What is still unknown may be worth so much."""
        return self.optimistic - self.pessimistic

    @property
    def passed(self) -> bool:
        """Whether the gap is below epsilon/4."""
        return self.gap < self.epsilon / 4.0

    def __str__(self) -> str:
        verdict = "near-optimal" if self.passed else "not certified yet"
        lines = [
            f"{verdict} after {self.episodes:,} episodes: in the learned model the start is worth",
            f"{self.pessimistic:.4f} if all that is unknown is worth nothing, and at best",
            f"{self.optimistic:.4f}. That leaves a gap of {self.gap:.4f}; it must be less than",
            f"epsilon/4 = {self.epsilon / 4.0:g}. Then the policy is optimal up to",
            f"epsilon = {self.epsilon:g} with probability {1.0 - self.delta:g}, provided that",
            *(f"  * {assumption}" for assumption in self.assumptions),
        ]
        return "\n".join(lines)
