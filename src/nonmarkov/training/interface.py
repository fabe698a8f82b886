"""What the agent that users hold needs of a training, whatever the method."""

from collections.abc import Sequence
from typing import Any, Protocol

from nonmarkov.agents import Certificate, ConditionalCertificate
from nonmarkov.core import Automaton, Experience, Policy
from nonmarkov.learning import Revision, StructuralChange
from nonmarkov.stored import Stored
from nonmarkov.training.decisions import Merge, Split

LONGEST_STRETCH = 2_000_000  # steps; between two stretches an interrupt can be heard

Change = StructuralChange | Revision
AnyCertificate = Certificate | ConditionalCertificate


class Training(Protocol):
    """One method at work in one process."""

    @property
    def episodes(self) -> int:
        """Episodes played."""

    @property
    def steps(self) -> tuple[int, int]:
        """Steps taken so far on the abstraction, and elsewhere."""

    @property
    def version(self) -> int:
        """Changes whenever the policy may have changed."""

    @property
    def n_states(self) -> int:
        """Number of safe states."""

    @property
    def n_candidates(self) -> int:
        """Number of candidates, or of edges whose target is undecided."""

    @property
    def automaton(self) -> Automaton:
        """What has been learned."""

    @property
    def changes(self) -> Sequence[Change]:
        """What has changed in it so far."""

    @property
    def merges(self) -> Sequence[Merge]:
        """Where edges lead, and why; empty if the changes say all."""

    @property
    def splits(self) -> Sequence[Split]:
        """Why pairs of states are not one; empty if the changes say all."""

    def experience(self) -> Experience:
        """Return what has been seen in the states."""

    def run(self, until: int) -> None:
        """Play on until that many episodes have been played in all, or for a while."""

    def policy(self) -> Policy:
        """Return the policy with which to be evaluated."""

    def portrait(self) -> Policy:
        """Return the policy on what has been learned, to look at."""

    def certificate(self) -> AnyCertificate:
        """Return what can be said about the policy."""

    def state(self) -> dict[str, Any]:
        """Return how far it is, for a file; random generators are kept elsewhere."""

    def restore(self, stored: Stored) -> None:
        """Go on where a stored training was."""
