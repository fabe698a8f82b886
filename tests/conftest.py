"""Settings shared by all tests."""

import os
import signal

import pytest
from hypothesis import HealthCheck, settings

import nonmarkov as nm

# Where tests are started in the background, Ctrl-C may be ignored, and by all their children.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The same examples every time, so that a failure is never a matter of luck; set
# HYPOTHESIS_PROFILE=explore to look for new ones.
settings.register_profile("repeatable", deadline=None, max_examples=40, derandomize=True)
settings.register_profile(
    "explore",
    deadline=None,
    max_examples=1000,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))

PUBLISHED = [
    *[("rotating_mab", k) for k in (2, 3, 4, 5, 6)],
    *[("reset_rotating_mab", k) for k in (4, 8)],
    *[("malfunction_mab", k) for k in (3, 5)],
    *[("cheat_mab", k) for k in (3, 4)],
    *[("rotating_maze", k) for k in (1, 2, 3)],
    ("flickering_grid", 8),
    *[("enemy_corridor", k) for k in (2, 4, 8, 16, 32, 64, 128)],
]
# Of every domain, the first.
SMALLEST = [c for i, c in enumerate(PUBLISHED) if c[0] not in dict(PUBLISHED[:i])]


@pytest.fixture(params=PUBLISHED, ids=lambda c: f"{c[0]}-{c[1]}", scope="session")
def published(request):
    """A process of each of the 22 published configurations."""
    name, k = request.param
    return nm.domain(name, k=k)


@pytest.fixture
def weather():
    """A small process for examples: roads get wet and stay so until one goes slowly."""

    def outcomes(state, action):
        if action == "slow":
            return [(1.0, "arrived", 1.0, "dry")]
        if state == "dry":
            return [(0.7, "arrived", 3.0, "dry"), (0.3, "skidded", 0.0, "wet")]
        return [(0.1, "arrived", 3.0, "wet"), (0.9, "skidded", 0.0, "wet")]

    return nm.RegularProcess.from_outcomes(
        start="dry", actions=["fast", "slow"], outcomes=outcomes, stop=1 / 11, horizon=10
    )
