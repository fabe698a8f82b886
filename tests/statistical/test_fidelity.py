"""The paper's agent converges where the published program does, within a factor of 1.5."""

import pytest

from nonmarkov.bench.fidelity import compare
from nonmarkov.bench.reference import REFERENCE

pytestmark = pytest.mark.slow

# Those that take seconds; `make fidelity` runs them all.
QUICK = [c for c, r in REFERENCE.items() if r.converged is not None and r.converged <= 500_000]


def test_quick_configurations_are_as_published():
    rows = list(compare(QUICK, seeds=5, jobs=2))
    assert len(rows) == len(QUICK) >= 12
    for row in rows:
        assert row.ratio is not None, row.domain
        assert 1 / 1.5 <= row.ratio <= 1.5, (row.domain, row.k, row.ratio)
        assert all(run.matches for run in row.runs)
