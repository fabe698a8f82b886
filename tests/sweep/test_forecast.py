"""How long the rest will take."""

import pytest

from nonmarkov.sweep import forecast
from nonmarkov.sweep.outcome import Outcome
from tests.results.folders import make_spec


@pytest.fixture
def clock(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(forecast.time, "monotonic", lambda: now[0])
    return now


def test_the_same_kind_counts_most(clock):
    specs = [make_spec(seed, parameters={"k": k}) for k in (2, 3) for seed in (0, 1)]
    left = forecast.Forecast(specs)
    assert left.seconds_left is None
    clock[0] += 10.0
    left.note(Outcome(specs[0], 10.0))
    assert left.seconds_left == pytest.approx(30.0)  # k = 3 is taken to last as long
    clock[0] += 2.0
    left.note(Outcome(specs[2], 2.0))
    assert left.seconds_left == pytest.approx(12.0)  # one of each kind


def test_two_at_a_time_take_half_as_long(clock):
    specs = [make_spec(seed) for seed in range(6)]
    left = forecast.Forecast(specs)
    clock[0] += 10.0
    for spec in specs[:2]:
        left.note(Outcome(spec, 10.0))
    assert left.seconds_left == pytest.approx(20.0)


def test_in_the_end_nothing_is_left(clock):
    left = forecast.Forecast([make_spec()])
    clock[0] += 1.0
    left.note(Outcome(make_spec(), 1.0))
    assert left.seconds_left == 0.0
