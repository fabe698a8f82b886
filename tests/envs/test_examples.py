"""The T-maze and the tiger are as their data sheets say."""

import pytest
from gymnasium.utils.env_checker import check_env

from nonmarkov.envs.examples import FORWARD, LEFT, LISTEN, OPEN_LEFT, OPEN_RIGHT, Tiger, TMaze
from nonmarkov.errors import InvalidParameterError


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("env", [TMaze(), Tiger()], ids=lambda env: type(env).__name__)
def test_they_are_gymnasium_environments(env):
    check_env(env, skip_render_check=True)


@pytest.mark.parametrize("seed", range(6))
def test_the_sign_says_where_to_turn(seed):
    env = TMaze(length=2)
    sign, _ = env.reset(seed=seed)
    assert env.step(LEFT)[:3] == (2, -0.25, False)
    assert env.step(FORWARD)[:3] == (2, -0.25, False)
    assert env.step(FORWARD)[:3] == (3, -0.25, False)
    assert env.step(FORWARD)[:3] == (3, -0.25, False)
    assert env.step(LEFT)[1:3] == (4.0 if sign == 0 else -1.0, True)


def test_a_corridor_has_a_length():
    with pytest.raises(InvalidParameterError, match="length must be at least 1"):
        TMaze(0)


def test_the_tiger_is_heard_where_it_is_and_stays_there():
    """A door opened after listening ten times is the right one if one trusts most of it."""
    env, paid = Tiger(), []
    for seed in range(200):
        env.reset(seed=seed)
        heard = [env.step(LISTEN)[0] for _ in range(11)]
        on_the_left = heard.count(1) > heard.count(2)
        paid.append(env.step(OPEN_RIGHT if on_the_left else OPEN_LEFT)[1])
    assert set(paid) <= {10.0, -100.0}
    assert paid.count(10.0) > 190
