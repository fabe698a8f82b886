"""The hypothesis graph: safe nodes, candidates, and the suffixes that wait at them."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nonmarkov.core import Alphabet, Automaton
from nonmarkov.errors import AlphabetError, InvalidParameterError
from nonmarkov.kernels.shapes import (
    BLOCK,
    FIRST_FREE,
    N_CANDIDATES,
    N_FREE,
    N_SAFE,
    START,
    Graph,
    Pool,
)
from nonmarkov.learning.chains import gathered, read_chains, scattered
from nonmarkov.learning.growth import lengthened, room_for
from nonmarkov.stored import Stored

FIRST_CANDIDATES, FIRST_SAFE, FIRST_BLOCKS = 64, 16, 4096
GROWTH = 1.25  # of the pool: memory is the scarcer good
MOST_SYMBOLS = 1_000_000
NEVER = int(np.iinfo(np.int64).max)
PORTION = 1 << 15  # symbols that are unpacked at a time

Strings = tuple[NDArray[np.int32], NDArray[np.int64]]  # symbols, starts


class Waiting(NamedTuple):
    """What waits at the candidates of a graph that was read from a file."""

    marks: dict[int, int]  # positions in chains
    behind: NDArray[np.int64]  # (C,), complete suffixes behind the mark


class Hypothesis:
    """The graph that kernels walk, with room that grows as it is needed.

    It starts with one candidate, the start. Nodes are numbered as in `kernels.shapes`.
    """

    def __init__(self, alphabet: Alphabet) -> None:
        if not isinstance(alphabet, Alphabet):
            raise InvalidParameterError(
                f"alphabet must be an Alphabet, got {type(alphabet).__name__}; processes and "
                f"batches of episodes have one."
            )
        if alphabet.n_symbols > MOST_SYMBOLS:
            raise AlphabetError(
                f"{alphabet.n_symbols} symbols are too many for a table of all safe states and "
                f"symbols; group observations or rewards, to at most {MOST_SYMBOLS}."
            )
        self.alphabet = alphabet
        self.graph = Graph(
            successor=np.zeros((FIRST_SAFE, alphabet.n_symbols), dtype=np.int32),
            arrivals=np.zeros(FIRST_CANDIDATES, dtype=np.int64),
            milestone=np.full(FIRST_CANDIDATES, NEVER, dtype=np.int64),
            target=np.zeros(FIRST_CANDIDATES, dtype=np.int32),
            origin=np.zeros((FIRST_CANDIDATES, 2), dtype=np.int32),
            sizes=np.array([-1, 1, 2], dtype=np.int64),
        )
        self._portion = (np.empty(PORTION, dtype=np.int32), np.empty(PORTION + 1, dtype=np.int64))
        ends = np.arange(alphabet.n_symbols + 1) % (alphabet.n_outcomes + 1) == alphabet.n_outcomes
        ends[-1] = True  # written where a string is cut off
        self.pool = Pool(
            data=np.empty(FIRST_BLOCKS * BLOCK, dtype=np.uint8),
            following=_chain(0, FIRST_BLOCKS),
            head=np.full(FIRST_CANDIDATES, -1, dtype=np.int64),
            tail=np.full(FIRST_CANDIDATES, -1, dtype=np.int64),
            free=np.array([0, FIRST_BLOCKS], dtype=np.int64),
            ends=ends,
            width=np.min_scalar_type(alphabet.n_symbols).itemsize,
        )

    @classmethod
    def of(cls, automaton: Automaton) -> "Hypothesis":
        """Return the graph of an automaton whose states are all safe."""
        hypothesis = cls(automaton.alphabet)
        for _ in range(automaton.n_states):
            hypothesis.add_safe()
        hypothesis.graph.sizes[START] = automaton.start + 1
        state, symbol, successor = automaton.edges.T
        hypothesis.graph.successor[state + 1, symbol] = successor + 1
        return hypothesis

    # --- nodes ----------------------------------------------------------------------------------

    @property
    def n_safe(self) -> int:
        """Number of safe nodes."""
        return int(self.graph.sizes[N_SAFE]) - 1

    @property
    def n_numbered(self) -> int:
        """Candidates that there ever were, and one more: their numbers are below."""
        return int(self.graph.sizes[N_CANDIDATES])

    @property
    def n_candidates(self) -> int:
        """Number of candidates that are neither promoted nor merged."""
        return len(self.candidates())

    @property
    def start(self) -> int:
        """The node of the empty history."""
        return self.resolve(int(self.graph.sizes[START]))

    def candidates(self) -> list[int]:
        """Return the candidates, as positive numbers, in order of appearance."""
        leading = self.graph.successor[1 : self.n_safe + 1]
        found = {-int(node) for node in leading[leading < 0]}
        if (first := int(self.graph.sizes[START])) < 0:
            found.add(-first)
        return sorted(c for c in found if self.graph.target[c] == 0)

    def resolve(self, node: int) -> int:
        """Return the safe node that a candidate stands for, or the node itself."""
        return int(self.graph.target[-node]) or node if node < 0 else node

    def add_safe(self) -> int:
        """Return a new safe node without edges."""
        node = int(self.graph.sizes[N_SAFE])
        if node == len(self.graph.successor):
            longer = lengthened(self.graph.successor, 2 * node)
            self.graph = self.graph._replace(successor=longer)
        self.graph.sizes[N_SAFE] += 1
        return node

    def redirect(self, candidate: int, node: int) -> None:
        """Let the edge that leads to a candidate lead to a safe node."""
        origin, symbol = self.graph.origin[candidate]
        if origin == 0:
            self.graph.sizes[START] = node
        else:
            self.graph.successor[origin, symbol] = node
        self.graph.milestone[candidate] = NEVER

    def to_automaton(self, candidates: bool = True) -> Automaton:
        """Return the graph as a record: safe states first, then the candidates."""
        rows = self.graph.successor[1 : self.n_safe + 1]
        places = {
            -c: self.n_safe + i for i, c in enumerate(self.candidates() if candidates else ())
        }
        edges = []
        for state, symbol in np.argwhere(rows).tolist():
            node = self.resolve(int(rows[state, symbol]))
            if node > 0 or node in places:
                edges.append((state, symbol, node - 1 if node > 0 else places[node]))
        start = self.start - 1 if self.start > 0 else places.get(self.start, 0)
        n_states = max(1, self.n_safe + len(places))
        frontier = tuple(range(self.n_safe, n_states))
        return Automaton(self.alphabet, n_states, np.array(edges), start, frontier)

    # --- suffixes -------------------------------------------------------------------------------

    def chain(self, candidate: int) -> NDArray[np.int64]:
        """Return the span of a candidate's suffixes, to be unpacked."""
        span = [self.pool.head[candidate], self.pool.tail[candidate]]
        return np.array(span if span[0] >= 0 else [-1, -1], dtype=np.int64)

    def detach(self, candidate: int) -> NDArray[np.int64]:
        """Return the span of a candidate's suffixes, which it then has no more."""
        span = self.chain(candidate)
        self.pool.head[candidate] = self.pool.tail[candidate] = -1
        return span

    def unpack(self, span: NDArray[np.int64], *, drain: bool) -> Strings:
        """Return the next portion of a span; with `drain`, its blocks are free again."""
        from nonmarkov.kernels.strings import unpack_strings

        symbols, starts = unpack_strings(self.pool, span, *self._portion, drain)
        # Frozen like the arrays of an EpisodeBatch: to numba, others would be another type.
        symbols.setflags(write=False)
        starts.setflags(write=False)
        return symbols, starts

    def make_room(self, n_symbols: int) -> None:
        """Make room for a suffix of so many symbols, and for more candidates."""
        from nonmarkov.kernels import stream

        n_candidates = self.graph.arrivals.size
        if self.graph.sizes[N_CANDIDATES] == n_candidates:
            self._lengthen_candidates(2 * n_candidates)
        blocks = stream.room_for(max(n_symbols, stream.SCRATCH), self.pool.width)
        while self.pool.free[N_FREE] < blocks:
            self._add_blocks(int(len(self.pool.following) * (GROWTH - 1.0)))

    def _lengthen_candidates(self, length: int) -> None:
        graph, pool = self.graph, self.pool
        self.graph = graph._replace(
            arrivals=lengthened(graph.arrivals, length),
            milestone=lengthened(graph.milestone, length, NEVER),
            target=lengthened(graph.target, length),
            origin=lengthened(graph.origin, length),
        )
        self.pool = pool._replace(
            head=lengthened(pool.head, length, -1), tail=lengthened(pool.tail, length, -1)
        )

    def _add_blocks(self, number: int) -> None:
        pool, size = self.pool, len(self.pool.following)
        # `resize` moves large arrays without a second copy of them.
        pool.data.resize((size + number) * BLOCK, refcheck=False)
        following = np.concatenate([pool.following, _chain(size, size + number)])
        following[-1] = pool.free[FIRST_FREE]
        self.pool = pool._replace(following=following)
        self.pool.free[:] = size, pool.free[N_FREE] + number

    # --- files ----------------------------------------------------------------------------------

    def state(self, marks: dict[int, int]) -> dict[str, Any]:
        """Return the graph and its suffixes; marks are positions in chains, by candidate."""
        graph = self.graph
        used = slice(0, self.n_numbered)
        return {
            "successor": graph.successor[: self.n_safe + 1],
            "start": int(graph.sizes[START]),
            "arrivals": graph.arrivals[used],
            "milestone": graph.milestone[used],
            "target": graph.target[used],
            "origin": graph.origin[used],
            "room": graph.arrivals.size,
            "blocks": self.pool.following.size,
            "chains": gathered(self.pool, self.n_numbered, marks)._asdict(),
        }

    def restore(self, stored: Stored, busy: int) -> Waiting:
        """Become a stored graph; only the last suffix of the candidate `busy` may be incomplete."""
        rows, n = len(stored.plain("successor")), len(stored.plain("arrivals"))
        stored.require(rows > 0 and n > 1, "a graph has a start")
        room = stored.integer("room", n, max(FIRST_CANDIDATES, 2 * n))
        symbols, nodes = self.alphabet.n_symbols, rows - 1
        successor = stored.integers("successor", (rows, symbols), 1 - n, nodes, np.int32)
        milestone = stored.integers("milestone", (n,), 1)
        target = stored.integers("target", (n,), 0, nodes, np.int32)
        origin = stored.integers("origin", (n, 2), 0, max(nodes, symbols - 1), np.int32)
        self.graph = Graph(
            lengthened(successor, room_for(rows, FIRST_SAFE)),
            lengthened(stored.integers("arrivals", (n,)), room),
            lengthened(milestone, room, NEVER),
            lengthened(target, room),
            lengthened(origin, room),
            np.array([stored.integer("start", -1, nodes), rows, n], dtype=np.int64),
        )
        self._check_graph(stored)
        ends = self.pool.ends
        chains = read_chains(stored.part("chains"), n, self.pool)
        stored.require(set(chains.incomplete(ends)) <= {busy}, "suffixes must be complete")
        blocks = stored.integer("blocks", 1)
        self.pool, marks = scattered(chains, self.pool, room, blocks)
        return Waiting(marks, chains.suffixes_behind(ends))

    def _check_graph(self, stored: Stored) -> None:
        graph, ends = self.graph, self.pool.ends
        origin, n_symbols = graph.origin[: self.n_numbered], self.alphabet.n_symbols
        node, symbol = np.nonzero(graph.successor)
        candidate = -np.minimum(graph.successor[node, symbol], 0)
        edges, led = np.stack([node, symbol], axis=1), candidate > 0
        stored.require(graph.sizes[START] != 0, "an episode must start somewhere")
        stored.require((node > 0).all() and not ends[symbol].any(), "edges join safe nodes")
        stored.require(
            (origin <= (self.n_safe, n_symbols - 1)).all()
            and (origin[:2] == 0).all()
            and (origin[2:, 0] > 0).all()
            and (origin[candidate[led]] == edges[led]).all(),
            "one edge leads to a candidate",
        )
        stored.require((graph.arrivals < graph.milestone).all(), "no test may be overdue")

    @property
    def nbytes(self) -> int:
        """Memory in use."""
        arrays: list[Any] = [a for a in (*self.graph, *self.pool) if isinstance(a, np.ndarray)]
        return sum(array.nbytes for array in arrays)


def _chain(first: int, end: int) -> NDArray[np.int32]:
    """Return a list of free blocks, each followed by the next."""
    return np.arange(first + 1, end + 1, dtype=np.int32)
