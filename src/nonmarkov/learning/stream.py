"""The stream learner of probabilistic automata, with safe and candidate states.

Every episode is walked through the hypothesis graph; what follows the first candidate on its way
is a suffix of that candidate. At milestones a candidate is tested against the safe states: it
is merged into one it equals, or promoted when it is distinct from all and its sample is large
enough for the resolution mu. Balle, Castro, Gavaldà, "Adaptively learning probabilistic
deterministic automata from data streams", Machine Learning 96, 2014; paper, section 4.1.

A test needs suffixes under a policy that is the same at every state, the uniform one. Algorithm 1
sees to that: it acts uniformly from the first candidate on. Statistics of a state are frozen when
it is promoted, so what the agent does in safe states never enters them.
"""

from collections import deque
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nonmarkov.checks import check_integer
from nonmarkov.core import Alphabet, Automaton, EpisodeBatch
from nonmarkov.errors import InvalidParameterError
from nonmarkov.kernels.shapes import CANDIDATE, CURSOR, DONE, MILESTONE
from nonmarkov.learning.changes import StructuralChange, changes_state, read_changes
from nonmarkov.learning.counts import make_counts
from nonmarkov.learning.growth import lengthened
from nonmarkov.learning.hypothesis import NEVER, Hypothesis
from nonmarkov.learning.settings import StreamSettings
from nonmarkov.learning.similarity import Distances, Verdict, distances
from nonmarkov.learning.streams import check_cut, check_episodes
from nonmarkov.stored import Stored

# If merges are provisional, one out of so many is a probe: of the strings read, and of the episodes
# that an agent plays.
READING_PROBES, PROBING = 2, 10


class StreamLearner:
    """Learns the automaton of a process from episodes whose actions are uniform.

    With `provisional`, merged and promoted candidates go on receiving suffixes of probing
    episodes, and `refuted` tells when a merge turns out to be wrong.
    """

    def __init__(
        self, alphabet: Alphabet, settings: StreamSettings, *, provisional: bool = False
    ) -> None:
        if not isinstance(settings, StreamSettings):
            raise InvalidParameterError(
                f"settings must be StreamSettings, got {type(settings).__name__}."
            )
        self.settings = settings
        self.hypothesis = Hypothesis(alphabet)
        self.hypothesis.graph.milestone[1] = settings.milestone(1)
        self.changes: list[StructuralChange] = []
        self.provisional = provisional
        self.refuted = False
        self.episodes = 0
        self.probing = PROBING if provisional else 0
        self._n_symbols = alphabet.n_actions * alphabet.n_outcomes
        self._counts = make_counts(alphabet.n_symbols, settings)
        self._identity = [0]  # the candidate that a safe node was
        self._tests: dict[int, int] = {}  # the last milestone passed
        # Safe nodes known to be distinct from a candidate, with a lower bound on the distance.
        self._apart: dict[int, dict[int, float]] = {}
        self._absorbed: dict[int, int] = {}  # position in the chain up to which it is counted
        self._waiting: deque[tuple[int, NDArray[np.int64]]] = deque()  # (safe node, suffixes)

    # --- what it knows --------------------------------------------------------------------------

    @property
    def alphabet(self) -> Alphabet:
        """The symbols it reads."""
        return self.hypothesis.alphabet

    @property
    def automaton(self) -> Automaton:
        """The hypothesis: safe states first, then the candidates."""
        return self.hypothesis.to_automaton()

    @property
    def n_hypotheses(self) -> int:
        """Number of different hypotheses so far."""
        return 1 + len(self.changes)

    @property
    def first_milestone(self) -> int:
        """Arrivals at which a new candidate is tested first."""
        return self.settings.milestone(1)

    @property
    def nbytes(self) -> int:
        """Memory in use, for the graph, the suffixes and their counts."""
        return self.hypothesis.nbytes + self._counts.nbytes

    # --- reading --------------------------------------------------------------------------------

    def consume(self, episodes: EpisodeBatch, *, max_steps: int | None = None) -> bool:
        """Read episodes in which actions were uniform; return whether the hypothesis changed.

        max_steps: number of steps after which episodes were cut off, if any were. Suffixes that
        begin less than d steps before are left out then, complete or not: to keep only those that
        ended would make states look as if they ended more often.
        """
        check_episodes(episodes, self.alphabet)
        latest = NEVER if max_steps is None else check_integer("max_steps", max_steps, at_least=1)
        if (cut := episodes.lengths[~episodes.terminated]).size:
            check_cut(int(cut.min()), max_steps, self.settings.propagation)
            latest -= self.settings.d
        return self._read(episodes.symbols, episodes.starts, 0, int(latest))

    def _read(
        self,
        symbols: NDArray[np.int32],
        starts: NDArray[np.int64],
        begin: int,
        latest: int = NEVER,
    ) -> bool:
        """Walk strings from a node, the start or a safe one."""
        from nonmarkov.kernels.stream import read_strings

        cursor, changed, before = np.zeros(CURSOR, dtype=np.int64), False, self.episodes
        longest = int(np.diff(starts).max(initial=0))
        while True:
            event = read_strings(
                symbols,
                starts,
                begin,
                self.hypothesis.graph,
                self.hypothesis.pool,
                cursor,
                self.first_milestone,
                READING_PROBES * (self.provisional and begin == 0),
                latest,
            )
            if begin == 0:
                self.episodes = before + int(cursor[0])
            if event == DONE:
                return changed
            if event == MILESTONE:
                changed |= self.on_milestone(int(cursor[CANDIDATE]), self.episodes)
            else:
                self.make_room(longest)

    def on_milestone(self, candidate: int, episode: int) -> bool:
        """Test a candidate, then those its suffixes go on to; return whether anything changed.

        Candidates that suffixes are pushed on to are tested when all have arrived, since the
        larger sample is there already.
        """
        self.episodes = episode
        changed = self._test(candidate)
        while self._waiting:
            while self._waiting:
                node, span = self._waiting.popleft()
                while span[0] != span[1]:
                    self._read(*self.hypothesis.unpack(span, drain=True), begin=node)
            graph = self.hypothesis.graph
            for due in np.flatnonzero(graph.arrivals >= graph.milestone).tolist():
                changed |= self._test(due)
        return changed

    def make_room(self, n_symbols: int = 0, busy: int = 0) -> None:
        """Make room for a suffix of so many symbols; count and drop what need not be kept.

        busy: a candidate whose last suffix is not complete yet, so that it cannot be counted.
        """
        for candidate in np.flatnonzero(self.hypothesis.pool.head >= 0).tolist():
            if candidate != busy and not self._keeps(candidate):
                self._absorb(candidate)
        self.hypothesis.make_room(n_symbols)

    # --- testing --------------------------------------------------------------------------------

    def _keeps(self, candidate: int) -> bool:
        """Return whether suffixes are kept, to go on when the candidate is decided."""
        undecided = self.hypothesis.graph.target[candidate] == 0
        return bool(self.settings.propagation and undecided)

    def _absorb(self, candidate: int) -> None:
        """Count the suffixes that have arrived since the last time."""
        keep = self._keeps(candidate)
        span = self.hypothesis.chain(candidate) if keep else self.hypothesis.detach(candidate)
        if span[0] < 0:
            return
        if keep:
            span[0] = self._absorbed.get(candidate, span[0])
            self._absorbed[candidate] = int(span[1])
        while span[0] != span[1]:
            self._counts.absorb(candidate, *self.hypothesis.unpack(span, drain=not keep))

    def _test(self, candidate: int) -> bool:
        """Make the next test of a candidate; return whether the hypothesis changed."""
        self._absorb(candidate)
        self._tests[candidate] = self._next_test(candidate)
        if self.hypothesis.graph.target[candidate]:
            self._check_merge(candidate)
            return False
        apart = self._apart.setdefault(candidate, {})
        nodes = [node for node in range(1, len(self._identity)) if node not in apart]
        bounds = self._distances(candidate, [self._identity[node] for node in nodes])
        verdicts = bounds.verdicts(self.settings.mu)
        apart |= {
            node: float(least)
            for node, verdict, least in zip(nodes, verdicts, bounds.least, strict=True)
            if verdict is Verdict.DISTINCT
        }
        if equal := [i for i, verdict in enumerate(verdicts) if verdict is Verdict.EQUAL]:
            # With mu no larger than the distinguishability there is at most one.
            nearest = min(equal, key=lambda i: bounds.most[i])
            self._settle("merge", candidate, nodes[nearest], float(bounds.most[nearest]))
            return True
        if len(apart) == self.hypothesis.n_safe:
            itself = self._distances(candidate, [candidate])
            if itself.verdicts(self.settings.mu) == [Verdict.EQUAL]:
                self._promote(candidate, min(apart.values(), default=1.0))
                return True
        return False

    def _next_test(self, candidate: int) -> int:
        """Return the number of the last milestone that a candidate has passed, and set the next.

        Milestones that were passed by many suffixes at once are skipped, and their share of the
        error probability is not used.
        """
        graph, number = self.hypothesis.graph, self._tests.get(candidate, 0) + 1
        while self.settings.milestone(number + 1) <= graph.arrivals[candidate]:
            number += 1
        graph.milestone[candidate] = self.settings.milestone(number + 1)
        return number

    def _distances(self, candidate: int, others: list[int], parts: int = 1) -> Distances:
        """Return how far other candidates are from one, as far as its last test can tell.

        parts: number of comparisons that share the error probability of one.
        """
        if self.provisional:
            for other in others:
                self._absorb(other)
        comparison = self._counts.compare(candidate, others)
        test = self._tests[candidate]
        return distances(comparison, self.settings, self._n_symbols, test, parts)

    def _check_merge(self, candidate: int) -> None:
        """Notice when a candidate is distinct from another one that stands for the same state.

        Whatever mu says: a lower bound above zero is proof that the two differ.
        """
        target = self.hypothesis.graph.target
        alike = np.flatnonzero(target == target[candidate]).tolist()
        alike.remove(candidate)
        if alike:
            bounds = self._distances(candidate, alike, parts=len(alike))
            self.refuted |= bool((bounds.least > 0.0).any())

    # --- changing the graph ---------------------------------------------------------------------

    def _promote(self, candidate: int, distance: float) -> None:
        node = self.hypothesis.add_safe()
        self._identity.append(candidate)
        self._settle("promotion", candidate, node, distance)

    def _settle(self, kind: str, candidate: int, node: int, distance: float) -> None:
        """Let a candidate's edge lead to a safe node, and its suffixes go on from there."""
        graph = self.hypothesis.graph
        origin, symbol = graph.origin[candidate].tolist()
        edge = (origin - 1, symbol) if origin else None
        suffixes = int(graph.arrivals[candidate])
        self.changes.append(
            StructuralChange(kind, self.episodes, node - 1, edge, suffixes, distance)
        )
        if self.provisional:
            graph.target[candidate] = node
        else:
            self.hypothesis.redirect(candidate, node)
        span = self.hypothesis.detach(candidate)
        self._absorbed.pop(candidate, None)
        self._apart.pop(candidate, None)
        if self.settings.propagation and span[0] >= 0:
            self._waiting.append((node, span))

    # --- files ----------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Return all that it knows."""
        if self._waiting:
            raise InvalidParameterError(
                "The learner was stopped in the middle of a step, so it cannot be saved."
            )
        apart = [(c, node) for c in sorted(self._apart) for node in sorted(self._apart[c])]
        return {
            "mu": self.settings.mu,
            "n": self.settings.n,
            "delta": self.settings.delta,
            "hypothesis": self.hypothesis.state(self._absorbed),
            "counts": self._counts.state(),
            "changes": changes_state(self.changes),
            "refuted": self.refuted,
            "episodes": self.episodes,
            "identity": np.array(self._identity, dtype=np.int64),
            "apart": np.array(apart, dtype=np.int64).reshape(-1, 2),
            "distance": np.array([self._apart[c][node] for c, node in apart], dtype=np.float64),
        }

    def restore(self, stored: Stored, busy: int) -> None:
        """Become a stored learner; the last suffix of the candidate `busy` is incomplete."""
        mu, n_states, delta = stored.real("mu"), stored.integer("n"), stored.real("delta")
        self.settings = replace(self.settings, mu=mu, n=n_states, delta=delta)
        self.hypothesis, alphabet = Hypothesis(self.alphabet), self.alphabet
        waiting = self.hypothesis.restore(stored.part("hypothesis"), busy)
        self._counts = make_counts(alphabet.n_symbols, self.settings)
        self._absorbed, n = waiting.marks, self.hypothesis.n_numbered
        self._counts.restore(stored.part("counts"), n)
        self.changes = read_changes(stored, "changes")
        self.refuted, self.episodes = stored.flag("refuted"), stored.integer("episodes")
        self._tests = {}  # the next test of a candidate finds out which one it is
        self._restore_relations(stored, n)
        reached = lengthened(self._counts.reached[:n, 0], n)
        stored.require(
            (self.hypothesis.graph.arrivals[:n] == reached + waiting.behind).all(),
            "every suffix that arrived is counted, or waits",
        )
        decided = np.flatnonzero(self.hypothesis.graph.target).tolist()
        counted = [reached[c] > 0 for c in (*self._identity[1:], *decided)]
        stored.require(all(counted), "decided candidates have counts")

    def _restore_relations(self, stored: Stored, n: int) -> None:
        """Read which candidates the safe nodes were, and which are known to be distinct."""
        n_safe = self.hypothesis.n_safe
        identity = stored.integers("identity", (n_safe + 1,), 0, n - 1)
        stored.require((identity[:1] == 0).all() and (identity[1:] > 0).all(), "nodes have origins")
        self._identity = identity.tolist()
        pairs = stored.integers("apart", (None, 2), 1, max(n - 1, n_safe))
        stored.require((pairs <= (n - 1, n_safe)).all(), "candidates are apart from safe nodes")
        self._apart = {}
        distance = stored.reals("distance", (len(pairs),)).tolist()
        for (candidate, node), least in zip(pairs.tolist(), distance, strict=True):
            self._apart.setdefault(candidate, {})[node] = least
