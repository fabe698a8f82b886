"""Numbers that a finished run is summarised with."""

import pytest

from nonmarkov.results.summary import share_of, sustained


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([1.0, 1.0, 1.0], 10),
        ([0.0, 0.96, 0.95], 20),
        ([1.0, 0.9, 1.0], 30),
        ([1.0, 1.0, 0.9], None),
        ([], None),
    ],
)
def test_only_what_lasts_counts(scores, expected):
    curve = [(10 * (i + 1), score) for i, score in enumerate(scores)]
    assert sustained(curve, share_of(1.0, 0.95)) == expected


def test_shares_of_negative_optima_lie_below_them():
    assert share_of(100.0, 0.95) == pytest.approx(95.0)
    assert share_of(-100.0, 0.95) == pytest.approx(-105.0)
    assert share_of(0.0, 0.95) == 0.0
