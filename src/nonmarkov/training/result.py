"""What a training came to."""

from dataclasses import dataclass

from nonmarkov.training.evaluation import Evaluation
from nonmarkov.training.interface import AnyCertificate


@dataclass(frozen=True)
class Result:
    """What a training came to."""

    method: str
    episodes: int  # trained so far, in all calls of `learn`
    curve: tuple[Evaluation, ...]
    score: float  # exact, of the greedy policy at the end
    n_states: int  # safe states
    seconds: float  # of this call, evaluations included
    episodes_per_second: float
    certificate: AnyCertificate
    interrupted: bool = False

    def __repr__(self) -> str:
        return (
            f"Result({self.method}: score {self.score:.4f} with {self.n_states} states after "
            f"{self.episodes:,} episodes, {self.seconds:.1f} s)"
        )
