"""How long a sweep will take, judging by the runs that are done."""

import time
from collections import defaultdict
from collections.abc import Hashable, Sequence

from nonmarkov.files import canonical_json
from nonmarkov.results.specification import RunSpec
from nonmarkov.sweep.outcome import Outcome


class Forecast:
    """Takes runs to last as long as others that differ in the seed, else in the domain too.

    How many are done at a time is not asked but measured: a cluster may grow and shrink.
    """

    def __init__(self, missing: Sequence[RunSpec]) -> None:
        self._open = {spec.name: spec for spec in missing}
        self._began, self._busy = time.monotonic(), 0.0
        self._seen: dict[Hashable, list[float]] = defaultdict(lambda: [0.0, 0.0])

    def note(self, outcome: Outcome) -> None:
        """Take note of a run that has ended."""
        self._open.pop(outcome.spec.name, None)
        self._busy += outcome.seconds
        for kind in _kinds(outcome.spec):
            self._seen[kind][0] += 1.0
            self._seen[kind][1] += outcome.seconds

    @property
    def seconds_left(self) -> float | None:
        """About how long the rest will take, or None if nothing is known yet."""
        total = 0.0
        for spec in self._open.values():
            known = next((kind for kind in _kinds(spec) if kind in self._seen), None)
            if known is None:
                return None
            number, seconds = self._seen[known]
            total += seconds / number
        at_a_time = self._busy / max(1e-9, time.monotonic() - self._began)
        return total / max(1.0, min(at_a_time, len(self._open)))


def _kinds(spec: RunSpec) -> tuple[Hashable, ...]:
    """Return what a run is one of, from the narrowest kind to the widest."""
    same = canonical_json(spec.to_content() | {"seed": 0})
    return same, (spec.method, spec.domain), spec.method, None
