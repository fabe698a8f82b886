"""Processes in Gymnasium."""

import subprocess
import sys
from collections import Counter
from types import SimpleNamespace

import gymnasium
import numpy as np
import pytest

import nonmarkov as nm
from nonmarkov import ProcessEnv, histories
from nonmarkov.core.scene import Glyph, Step, Tile, Tone
from nonmarkov.domains import DOMAINS, make_domain
from nonmarkov.envs.picture import TILE, draw_board
from nonmarkov.envs.text import write_board
from nonmarkov.errors import InvalidParameterError, UnknownNameError
from nonmarkov.registration import environment_id
from nonmarkov.testing import check_environment

IDS = {
    "rotating_mab": "nonmarkov/RotatingMab-v0",
    "reset_rotating_mab": "nonmarkov/ResetRotatingMab-v0",
    "malfunction_mab": "nonmarkov/MalfunctionMab-v0",
    "cheat_mab": "nonmarkov/CheatMab-v0",
    "rotating_maze": "nonmarkov/RotatingMaze-v0",
    "flickering_grid": "nonmarkov/FlickeringGrid-v0",
    "enemy_corridor": "nonmarkov/EnemyCorridor-v0",
}


@pytest.mark.parametrize("name", DOMAINS)
def test_every_domain_is_a_gymnasium_environment(name):
    check_environment(lambda **options: gymnasium.make(environment_id(name), **options))


@pytest.mark.parametrize("name", IDS)
def test_ids_are_a_contract(name):
    assert environment_id(name) == IDS[name]


@pytest.mark.parametrize("order", ["nonmarkov, gymnasium", "gymnasium, nonmarkov"])
def test_registered_whichever_is_imported_first(order):
    program = f"import {order}; gymnasium.make('nonmarkov/RotatingMaze-v0', k=3).reset(seed=0)"
    subprocess.run([sys.executable, "-W", "error", "-c", program], check=True)


def test_registered_by_name_alone():
    program = "import gymnasium; gymnasium.make('nonmarkov:nonmarkov/CheatMab-v0').reset(seed=0)"
    subprocess.run([sys.executable, "-W", "error", "-c", program], check=True)


def test_the_import_hook_leaves_no_trace():
    program = (
        "import sys; before = len(sys.meta_path); import nonmarkov;"
        "assert len(sys.meta_path) == before + 1; import gymnasium;"
        "assert len(sys.meta_path) == before;"
        "assert type(gymnasium.__loader__).__module__.endswith('importlib_external')"
        "       or 'frozen' in type(gymnasium.__loader__).__module__, type(gymnasium.__loader__);"
        "assert gymnasium.__spec__.loader is gymnasium.__loader__"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_steps_follow_the_dynamics(weather):
    """Frequencies of the first outcome, against D."""
    env = ProcessEnv(weather)
    env.reset(seed=0)
    n = 4000
    seen = Counter()
    for _ in range(n):
        env.reset()
        observation, reward, terminated, _, _ = env.step(0)
        seen[nm.END if terminated else (weather.observations[observation], reward)] += 1
    for outcome, chance in histories.dynamics(weather, [], "fast").items():
        assert abs(seen[outcome] - n * chance) < 5 * np.sqrt(n * chance * (1 - chance))


def test_returns_fit_the_exact_value(weather):
    env = ProcessEnv(weather)
    env.reset(seed=1)
    returns = []
    for _ in range(3000):
        env.reset()
        total, done = 0.0, False
        while not done:
            _, reward, done, _, _ = env.step(1)
            total += reward
        returns.append(total)
    always_slow = weather.value(nm.Policy.greedy(weather.automaton, [1, 1]))
    assert abs(np.mean(returns) - always_slow) < 5 * np.std(returns) / np.sqrt(len(returns))


def test_nothing_is_seen_before_the_first_action_and_at_random_stopping(weather):
    env = ProcessEnv(weather)
    nothing = len(weather.observations)
    observation, info = env.reset(seed=0)
    assert observation == nothing
    assert info == {"state": "dry"}
    done = False
    while not done:
        observation, reward, done, truncated, info = env.step(1)
        assert not truncated
    assert (observation, reward) == (nothing, 0.0)


def test_reaching_the_goal_terminates_with_its_reward():
    env = gymnasium.make(IDS["flickering_grid"], start=(3, 3), flicker=0.0, evaluation=True)
    env.reset(seed=0)
    observation, reward, terminated, truncated, info = env.step(0)
    process = env.unwrapped.process
    assert process.observations[observation] == (3, 4)
    assert (reward, terminated, truncated, info) == (100.0, True, False, {"state": None})


def test_evaluation_episodes_are_cut_at_the_horizon():
    env = gymnasium.make(IDS["rotating_mab"], evaluation=True)
    for seed in range(20):
        env.reset(seed=seed)
        for _ in range(9):
            assert env.step(0)[2:4] == (False, False)
        assert env.step(0)[2:4] == (False, True)


def test_evaluation_episodes_are_never_stopped_at_random():
    """Stopping has probability 1/11 a step: 100 episodes of 10 steps would hardly survive."""
    env = gymnasium.make(IDS["cheat_mab"], evaluation=True)
    env.reset(seed=0)
    wins = 0
    for _ in range(300):
        env.reset()
        wins += env.step(0)[1] == 100.0
    assert abs(wins - 60) < 5 * np.sqrt(300 * 0.2 * 0.8)


def test_rounding_draws_no_padding():
    """Ten outcomes of 0.1 beside a row of twelve; the largest number below one comes up."""

    def outcomes(state, action):
        n = 10 if action == "few" else 12
        return [(1 / n, i, 0.0, None) for i in range(n)]

    process = nm.RegularProcess.from_outcomes(0, ["few", "many"], outcomes, horizon=3)
    env = ProcessEnv(process)
    env.reset(seed=0)
    env._np_random = SimpleNamespace(random=lambda: np.nextafter(1.0, 0.0))
    assert env.step(0)[0] == 9


def test_looking_for_gymnasium_does_not_lose_the_registration():
    program = (
        "import importlib.util, nonmarkov; importlib.util.find_spec('gymnasium');"
        "import gymnasium; gymnasium.make('nonmarkov/CheatMab-v0').reset(seed=0)"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", program], check=True)


def test_rendering_before_the_first_reset(weather):
    assert "before the first action" in ProcessEnv(weather, render_mode="ansi").render()


def test_an_episode_that_is_over_needs_a_reset(weather):
    env = ProcessEnv(weather)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)
    env.reset(seed=0)
    while not env.step(1)[2]:
        pass
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)


@pytest.mark.parametrize("action", [2, 10**9])
def test_unknown_actions_are_refused(weather, action):
    env = ProcessEnv(weather)
    env.reset(seed=0)
    with pytest.raises(gymnasium.error.InvalidAction, match="below 2"):
        env.step(action)


def test_actions_are_indices(weather):
    env = ProcessEnv(weather)
    env.reset(seed=0)
    with pytest.raises(InvalidParameterError, match="action must be an integer"):
        env.step("fast")


def test_bad_options_are_refused(weather):
    with pytest.raises(gymnasium.error.UnsupportedMode, match="render_mode must be one of"):
        ProcessEnv(weather, render_mode="human")
    with pytest.raises(UnknownNameError, match="Unknown parameter of rotating_maze"):
        gymnasium.make(IDS["rotating_maze"], kk=3)


def test_rendering_without_a_mode_says_what_to_do(weather):
    env = ProcessEnv(weather)
    env.reset(seed=0)
    with pytest.warns(UserWarning, match="render_mode='ansi'"):
        assert env.render() is None


class TestPictures:
    def test_pictures_show_only_what_the_agent_sees(self):
        """Two hidden states, one observation: one picture."""
        maze = make_domain("rotating_maze", k=1)
        images = []
        for state in range(8):
            env = ProcessEnv(maze.build(), board=maze.board, render_mode="rgb_array")
            env.reset(seed=0)
            env._state = state
            env._last = Step("up", (0, 1), 0.0)
            images.append(env.render())
        assert all((image == images[0]).all() for image in images)

    @pytest.mark.parametrize("glyph", Glyph)
    def test_every_glyph_leaves_a_mark(self, glyph):
        empty, drawn = draw_board(((Tile(),),)), draw_board(((Tile(glyph),),))
        assert drawn.shape == (TILE, TILE, 3)
        assert (drawn != empty).any() == (glyph is not Glyph.NOTHING)

    @pytest.mark.parametrize("tone", Tone)
    def test_every_tone_has_its_colour(self, tone):
        plain, lit = draw_board(((Tile(),),)), draw_board(((Tile(tone=tone),),))
        assert (plain != lit).any() == (tone is not Tone.PLAIN)

    def test_boards_are_drawn_from_the_top(self):
        top, bottom = draw_board(((Tile(Glyph.GOAL),), (Tile(),)))[:TILE], draw_board(((Tile(),),))
        assert (top != bottom).any()

    def test_text_shows_the_board_and_the_step(self):
        step = Step("up", (0, 1), 0.0)
        text = write_board(make_domain("rotating_maze").board(step), step)
        lines = text.splitlines()
        assert lines[1] == "|   |   | * |   |"
        assert lines[5] == "|[@]|   |   |   |"
        assert lines[-1] == "action up: saw (0, 1), reward 0"

    def test_text_of_a_beginning_and_an_end(self):
        board = make_domain("rotating_mab").board
        assert write_board(board(Step()), Step()).splitlines()[-1] == "before the first action"
        over = Step(1)
        assert "the episode is over" in write_board(board(over), over)

    def test_blanks_are_fog(self):
        board = make_domain("flickering_grid").board(Step("up", "blank", 0.0))
        assert {tile.tone for row in board for tile in row} == {Tone.FOG}

    def test_long_corridors_are_shown_in_part(self):
        corridor = make_domain("enemy_corridor", k=20)
        board = corridor.board(Step("bottom", (18, "enemy"), 0.0))
        assert len(board[0]) == 16
        assert board[1][14] == Tile(Glyph.ENEMY, Tone.BAD)

    def test_levers_show_what_they_paid(self):
        prizes, levers = make_domain("rotating_mab", k=3).board(Step(1, "win", 100.0))
        assert prizes[1] == Tile(Glyph.WIN, Tone.GOOD)
        assert [tile.glyph for tile in levers] == [Glyph.LEVER, Glyph.PULLED, Glyph.LEVER]
