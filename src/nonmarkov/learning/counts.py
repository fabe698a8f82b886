"""Prefix counts of candidates: one interface, exact or in bounded memory."""

import math
from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nonmarkov.errors import InvalidParameterError
from nonmarkov.learning.forests import (
    FIRST_NODES,
    forest_state,
    longer,
    n_nodes,
    new_forest,
    read_forest,
)
from nonmarkov.learning.growth import lengthened, room_for
from nonmarkov.learning.settings import StreamSettings
from nonmarkov.learning.similarity import Comparison
from nonmarkov.stored import Stored

Integers = NDArray[np.int32]
Longs = NDArray[np.int64]

FIRST_CANDIDATES = 16
SMALLEST_SKETCHED = 1e-4
SUMMARY = ("keys", "counts", "errors")  # of a sketch


class PrefixCounts(ABC):
    """How often each prefix of at most d symbols began a suffix, for every candidate."""

    def __init__(self, settings: StreamSettings) -> None:
        self.reached = np.zeros((FIRST_CANDIDATES, settings.d + 1), dtype=np.int64)

    def absorb(self, candidate: int, symbols: Integers, starts: Longs) -> None:
        """Count the prefixes of more suffixes of a candidate."""
        while candidate >= len(self.reached):
            self.reached = lengthened(self.reached, 2 * len(self.reached))
        self._absorb(candidate, symbols, starts)

    def compare(self, candidate: int, others: list[int]) -> Comparison:
        """Return a candidate side by side with the others."""
        places = np.array(others, dtype=np.int64)
        reached, others_reached = self.reached[candidate], self.reached[places]
        low, high = self._distances(candidate, places)
        return Comparison(low, high, reached, others_reached)

    def state(self) -> dict[str, Any]:
        """Return all counts, of candidates that have any."""
        return {"reached": self.reached[: self._n_counted]}

    @property
    def _n_counted(self) -> int:
        """Number of candidates up to the last that has counts."""
        return int(self.reached[:, 0].nonzero()[0].max(initial=-1)) + 1

    def restore(self, stored: Stored, n_candidates: int) -> None:
        """Become the counts that were stored, of candidates below a number."""
        rows, depth = len(stored.plain("reached")), self.reached.shape[1]
        stored.require(rows <= n_candidates, "only candidates have counts")
        reached = stored.integers("reached", (rows, depth))
        stored.require((np.diff(reached) <= 0).all(), "long suffixes are fewer than short ones")
        self.reached = lengthened(reached, room_for(rows, FIRST_CANDIDATES))

    @abstractmethod
    def _absorb(self, candidate: int, symbols: Integers, starts: Longs) -> None: ...

    @abstractmethod
    def _distances(self, candidate: int, others: Longs) -> tuple[Any, Any]:
        """Return bounds on the largest difference of frequencies, each (n, d + 1)."""

    @property
    @abstractmethod
    def nbytes(self) -> int:
        """Memory in use."""


class ExactCounts(PrefixCounts):
    """Every prefix that was ever seen."""

    def __init__(self, n_symbols: int, settings: StreamSettings) -> None:
        super().__init__(settings)
        self._roots: dict[int, int] = {}
        self._nodes = new_forest(FIRST_NODES, n_symbols)
        self._hashed = True

    @property
    def _forest(self) -> Any:
        """The forest, with a hash table; one that was read from a file gets it when it is used."""
        from nonmarkov.kernels.prefix_trie import rehash

        if not self._hashed:
            rehash(self._nodes)
            self._hashed = True
        return self._nodes

    def _absorb(self, candidate: int, symbols: Integers, starts: Longs) -> None:
        from nonmarkov.kernels.prefix_trie import absorb

        done = 0
        while done < starts.size - 1:
            root = self._root(candidate)
            done = absorb(self._forest, root, self.reached[candidate], symbols, starts, done)
            if done < starts.size - 1:
                self._grow()

    def _root(self, candidate: int) -> int:
        root = self._roots.get(candidate)
        return self._add_root(candidate) if root is None else root

    def _add_root(self, candidate: int) -> int:
        from nonmarkov.kernels.prefix_trie import add_node

        if n_nodes(self._nodes) == self._nodes.counts.size:
            self._grow()
        root = self._roots[candidate] = add_node(self._forest, -1, 0, 0)
        return root

    def _grow(self) -> None:
        self._nodes, self._hashed = longer(self._nodes), False

    def _distances(self, candidate: int, others: Longs) -> tuple[Any, Any]:
        from nonmarkov.kernels.prefix_trie import compare

        root = self._root(candidate)
        roots = np.array([self._root(other) for other in others.tolist()], dtype=np.int64)
        distance = np.empty((others.size, self.reached.shape[1]))
        compare(self._forest, root, roots, distance)
        return distance, distance

    @property
    def nbytes(self) -> int:
        """Memory in use: it grows with the number of different prefixes."""
        arrays = [array for array in self._nodes if isinstance(array, np.ndarray)]
        return self.reached.nbytes + sum(array.nbytes for array in arrays)

    def state(self) -> dict[str, Any]:
        """Return all counts, and which candidates the roots belong to, in the order of nodes."""
        owners = sorted(self._roots, key=self._roots.__getitem__)
        return {
            **super().state(),
            "owners": np.array(owners, dtype=np.int64),
            "forest": forest_state(self._nodes),
        }

    def restore(self, stored: Stored, n_candidates: int) -> None:
        """Become the counts that were stored."""
        super().restore(stored, n_candidates)
        depth = self.reached.shape[1] - 1
        nodes = read_forest(stored.part("forest"), self._nodes.n_symbols, depth)
        roots = np.flatnonzero(nodes.parent[: n_nodes(nodes)] < 0)
        owners = stored.integers("owners", roots.shape, 1, n_candidates - 1)
        stored.require(np.unique(owners).size == owners.size, "a candidate has one root")
        counted = np.zeros(max(n_candidates, len(self.reached)), dtype=np.int64)
        counted[owners] = nodes.counts[roots]
        counted[: len(self.reached)] -= self.reached[:, 0]
        stored.require(not counted.any(), "as many suffixes are counted as were seen")
        self._roots = dict(zip(owners.tolist(), roots.tolist(), strict=True))
        self._nodes, self._hashed = nodes, False


class SketchCounts(PrefixCounts):
    """The frequent prefixes only: 8/mu of each length, so that both errors together are mu/4."""

    def __init__(self, n_symbols: int, settings: StreamSettings) -> None:
        super().__init__(settings)
        if n_symbols**settings.d >= 2**63:
            raise InvalidParameterError(
                f"d = {settings.d} symbols out of {n_symbols} are too many prefixes to sketch; "
                f'use counts="exact" or a smaller d.'
            )
        if settings.mu < SMALLEST_SKETCHED:
            raise InvalidParameterError(
                f"sketches need mu of at least {SMALLEST_SKETCHED:g}, got {settings.mu}; use "
                f'counts="exact".'
            )
        shape = (len(self.reached), settings.d, math.ceil(8.0 / settings.mu))
        self._sketch = _sketch(shape, n_symbols)

    def _absorb(self, candidate: int, symbols: Integers, starts: Longs) -> None:
        from nonmarkov.kernels.prefix_sketch import absorb

        if len(self.reached) > len(self._sketch.keys):
            old, size = self._sketch, len(self.reached)
            self._sketch = _sketch((size, *old.keys.shape[1:]), old.n_symbols)
            for name in SUMMARY:
                getattr(self._sketch, name)[: len(old.keys)] = getattr(old, name)
        absorb(self._sketch, candidate, self.reached[candidate], symbols, starts)

    def _distances(self, candidate: int, others: Longs) -> tuple[Any, Any]:
        from nonmarkov.kernels.prefix_sketch import compare

        gaps = np.empty((others.size, self.reached.shape[1], 2))
        compare(self._sketch, candidate, others, self.reached, gaps)
        return gaps[..., 0], gaps[..., 1]

    @property
    def nbytes(self) -> int:
        """Memory in use: it grows with the number of candidates only."""
        return int(self.reached.nbytes + 3 * self._sketch.keys.nbytes)

    def state(self) -> dict[str, Any]:
        """Return all summaries."""
        used = slice(0, self._n_counted)
        entries = {name: getattr(self._sketch, name)[used] for name in SUMMARY}
        return {**super().state(), **entries}

    def restore(self, stored: Stored, n_candidates: int) -> None:
        """Become the summaries that were stored."""
        super().restore(stored, n_candidates)
        rows, shape = len(stored.plain("reached")), self._sketch.keys.shape[1:]
        self._sketch = _sketch((len(self.reached), *shape), self._sketch.n_symbols)
        for name in SUMMARY:
            getattr(self._sketch, name)[:rows] = stored.integers(name, (rows, *shape))
        stored.require((self._sketch.errors <= self._sketch.counts).all(), "errors are too large")


def make_counts(n_symbols: int, settings: StreamSettings) -> PrefixCounts:
    """Return the counts that the settings ask for."""
    kind = ExactCounts if settings.counts == "exact" else SketchCounts
    return kind(n_symbols, settings)


def _sketch(shape: tuple[int, int, int], n_symbols: int) -> Any:
    from nonmarkov.kernels.prefix_sketch import Sketch

    keys, counts, errors = np.zeros((3, *shape), dtype=np.int64)
    return Sketch(keys, counts, errors, n_symbols)
