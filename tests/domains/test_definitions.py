"""Each domain step by step, as its definition says."""

import pytest

import nonmarkov as nm
from nonmarkov import histories
from nonmarkov.domains.flickering_grid import FlickeringGrid


def answers(process, history, action):
    """D(·|h,a) without random stopping: what the definition of a domain speaks of."""
    keep = 1 - process.stop
    return {
        outcome: chance / keep
        for outcome, chance in histories.dynamics(process, history, action).items()
        if outcome is not nm.END
    }


def test_rotating_mab_turns_on_a_win_only():
    process = nm.domain("rotating_mab", k=3)
    win, lose = ("win", 100.0), ("lose", 0.0)
    assert answers(process, [], 0) == pytest.approx({win: 0.9, lose: 0.1})
    assert answers(process, [], 1) == pytest.approx({win: 0.2, lose: 0.8})
    after_win, after_loss = [(2, *win)], [(2, *lose)]
    assert answers(process, after_win, 1)[win] == pytest.approx(0.9)
    assert answers(process, after_loss, 0)[win] == pytest.approx(0.9)
    assert answers(process, after_win * 3, 0)[win] == pytest.approx(0.9)
    assert answers(process, [*after_win, *after_loss], 1)[win] == pytest.approx(0.9)


def test_reset_rotating_mab_starts_again_after_a_loss():
    process = nm.domain("reset_rotating_mab", k=4)
    history = [(0, "win", 100.0), (1, "win", 100.0), (2, "lose", 0.0)]
    assert answers(process, history[:2], 2)["win", 100.0] == pytest.approx(0.9)
    assert answers(process, history, 0)["win", 100.0] == pytest.approx(0.9)


def test_malfunction_mab_breaks_after_k_pulls_for_one_turn():
    process = nm.domain("malfunction_mab", k=3)
    pull, other = (0, 0, 100.0), (1, 1, 0.0)
    assert answers(process, [], 0) == pytest.approx({(0, 100.0): 0.8, (0, 0.0): 0.2})
    assert answers(process, [], 1) == pytest.approx({(1, 100.0): 0.2, (1, 0.0): 0.8})
    assert answers(process, [pull, other, pull, other, pull], 0) == {(0, 0.0): 1.0}
    assert answers(process, [pull, pull, pull], 1)[1, 100.0] == pytest.approx(0.2)
    for repair in ((0, 0, 0.0), other):
        assert answers(process, [pull, pull, pull, repair], 0)[0, 100.0] == pytest.approx(0.8)


def test_cheat_mab_needs_the_whole_sequence_and_keeps_no_partial_match():
    process = nm.domain("cheat_mab", k=3)
    zero, one = (0, 0, 0.0), (1, 1, 0.0)
    assert answers(process, [zero, zero], 1)[1, 100.0] == pytest.approx(0.2)
    unlocked = [zero, zero, one]
    assert answers(process, unlocked, 0) == {(0, 100.0): 1.0}
    assert answers(process, [*unlocked, (1, 1, 100.0)], 1) == {(1, 100.0): 1.0}
    # 0 0 0 1: the third zero was wrong and counts for nothing.
    assert answers(process, [zero, zero, zero, one], 0)[0, 100.0] == pytest.approx(0.2)


def test_rotating_maze_turns_every_kth_action():
    process = nm.domain("rotating_maze", k=2)
    here = ((0, 0), 0.0)
    up = ((0, 1), 0.0)
    assert answers(process, [], "up") == pytest.approx({up: 0.9, here: 0.1})
    first = [("up", *up)]
    assert answers(process, first, "up") == pytest.approx({((0, 2), 0.0): 0.9, here: 0.1})
    # After two actions every direction is one turn to the left: right is up, up is left.
    second = [*first, ("up", (0, 2), 0.0)]
    assert answers(process, second, "right") == pytest.approx(
        {((0, 3), 0.0): 0.9, ((0, 1), 0.0): 0.1}
    )
    assert answers(process, second, "up") == pytest.approx({((0, 2), 0.0): 0.9, ((1, 2), 0.0): 0.1})


def test_rotating_maze_ends_at_the_goal():
    process = nm.domain("rotating_maze", start=(2, 2))
    assert answers(process, [], "up")[(2, 3), 100.0] == pytest.approx(0.9)
    assert histories.dynamics(process, [("up", (2, 3), 100.0)], "left") == {nm.END: 1.0}


def test_flickering_grid_shows_the_reward_even_when_the_cell_is_blank():
    process = nm.domain("flickering_grid", start=(3, 3))
    assert answers(process, [], "up") == pytest.approx(
        {((3, 4), 100.0): 0.8, ("blank", 100.0): 0.2}
    )
    assert answers(process, [], "down") == pytest.approx({((3, 2), 0.0): 0.8, ("blank", 0.0): 0.2})


@pytest.mark.parametrize("parameters", [{}, {"k": 5, "flicker": 0.5, "start": (4, 0)}])
def test_flickering_grid_is_the_belief_process_of_a_pomdp(parameters):
    domain = FlickeringGrid(**parameters)
    beliefs, grid = domain.pomdp(), domain.build()
    assert nm.distinguish(beliefs, grid) is None
    assert beliefs.n_states == grid.n_states
    assert beliefs.optimal_value == pytest.approx(grid.optimal_value, abs=1e-9)


def test_enemy_corridor_swaps_sides_when_an_enemy_is_met():
    process = nm.domain("enemy_corridor", k=4)
    clear, enemy = ((1, "clear"), 100.0), ((1, "enemy"), 0.0)
    assert answers(process, [], "top") == pytest.approx({clear: 0.8, enemy: 0.2})
    assert answers(process, [], "bottom") == pytest.approx({clear: 0.2, enemy: 0.8})
    # Column 2 is in the second half; the phase is flipped by an enemy.
    assert answers(process, [("top", *clear)], "top")[(2, "enemy"), 0.0] == pytest.approx(0.9)
    assert answers(process, [("top", *enemy)], "top")[(2, "enemy"), 0.0] == pytest.approx(0.1)
    around = [("top", (column, "clear"), 100.0) for column in (1, 2, 3)]
    assert answers(process, around, "top") == pytest.approx(
        {((0, "clear"), 100.0): 0.8, ((0, "enemy"), 0.0): 0.2}
    )


@pytest.mark.parametrize(
    ("k", "horizon"),
    [(2, 10), (4, 10), (8, 10), (16, 20), (32, 40), (64, 70), (128, 130), (30, 30)],
)
def test_enemy_corridor_gives_episodes_the_time_they_need(k, horizon):
    process = nm.domain("enemy_corridor", k=k)
    assert process.horizon == horizon
    assert process.stop == pytest.approx(1 / (horizon + 1))
    assert nm.domain("enemy_corridor", k=k, horizon=5).horizon == 5


def test_an_odd_corridor_has_a_middle_column_in_its_first_half():
    process = nm.domain("enemy_corridor", k=3)
    assert answers(process, [], "top")[(1, "enemy"), 0.0] == pytest.approx(0.2)
