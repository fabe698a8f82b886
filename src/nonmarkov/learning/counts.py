"""Prefix counts of candidates: one interface, exact or in bounded memory."""

import math
from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nonmarkov.errors import InvalidParameterError
from nonmarkov.learning.growth import lengthened
from nonmarkov.learning.settings import StreamSettings
from nonmarkov.learning.similarity import Comparison

Integers = NDArray[np.int32]
Longs = NDArray[np.int64]

FIRST_NODES, FIRST_CANDIDATES = 1 << 12, 16
SMALLEST_SKETCHED = 1e-4


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
        low, high = self._distances(candidate, places)
        return Comparison(low, high, self.reached[candidate], self.reached[places])

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
        self._forest = _forest(FIRST_NODES, n_symbols)

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
        from nonmarkov.kernels.prefix_trie import N_NODES, add_node

        if self._forest.sizes[N_NODES] == self._forest.counts.size:
            self._grow()
        root = self._roots[candidate] = add_node(self._forest, -1, 0, 0)
        return root

    def _grow(self) -> None:
        from nonmarkov.kernels.prefix_trie import N_NODES, rehash

        old = self._forest
        self._forest = _forest(2 * old.counts.size, old.n_symbols)
        for name in ("counts", "parent", "symbol", "length", "younger", "youngest"):
            getattr(self._forest, name)[: old.counts.size] = getattr(old, name)
        self._forest.sizes[N_NODES] = old.sizes[N_NODES]
        rehash(self._forest)

    def _distances(self, candidate: int, others: Longs) -> tuple[Any, Any]:
        from nonmarkov.kernels.prefix_trie import compare

        roots = np.array([self._root(other) for other in others.tolist()], dtype=np.int64)
        distance = np.empty((others.size, self.reached.shape[1]))
        compare(self._forest, self._root(candidate), roots, distance)
        return distance, distance

    @property
    def nbytes(self) -> int:
        """Memory in use: it grows with the number of different prefixes."""
        arrays = [array for array in self._forest if isinstance(array, np.ndarray)]
        return self.reached.nbytes + sum(array.nbytes for array in arrays)


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
            for name in ("keys", "counts", "errors"):
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


def make_counts(n_symbols: int, settings: StreamSettings) -> PrefixCounts:
    """Return the counts that the settings ask for."""
    kind = ExactCounts if settings.counts == "exact" else SketchCounts
    return kind(n_symbols, settings)


def _forest(n_nodes: int, n_symbols: int) -> Any:
    from nonmarkov.kernels.prefix_trie import Forest

    return Forest(
        keys=np.zeros(4 * n_nodes, dtype=np.int64),
        children=np.empty(4 * n_nodes, dtype=np.int32),
        counts=np.empty(n_nodes, dtype=np.int64),
        parent=np.empty(n_nodes, dtype=np.int32),
        symbol=np.empty(n_nodes, dtype=np.int32),
        length=np.empty(n_nodes, dtype=np.int32),
        younger=np.empty(n_nodes, dtype=np.int32),
        youngest=np.empty(n_nodes, dtype=np.int32),
        match=np.empty(n_nodes, dtype=np.int32),
        sizes=np.zeros(1, dtype=np.int64),
        n_symbols=n_symbols,
    )


def _sketch(shape: tuple[int, int, int], n_symbols: int) -> Any:
    from nonmarkov.kernels.prefix_sketch import Sketch

    keys, counts, errors = np.zeros((3, *shape), dtype=np.int64)
    return Sketch(keys, counts, errors, n_symbols)
