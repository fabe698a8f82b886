"""How a scout acts: by its guide, and by what it has tried in the same episode."""

import random

import pytest

from nonmarkov.envs.scout import FAMILIAR, Guide, Scout, best_actions

WISHES = 3.0


def guide_of(steps, worth, *, near=None, weight=None, edges=None, tried=None, unclear=(), keep=1.0):
    """A guide to states whose observations are their numbers."""
    return Guide(
        n_actions=len(worth[0]),
        steps=steps,
        near=near or [{} for _ in worth],
        usual={q: q for q in range(len(worth))},
        worth=worth,
        weight=weight or [[WISHES] * len(row) for row in worth],
        edge_worth=edges or {},
        edge_weight=tried or {},
        unclear=set(unclear),
        keep=keep,
        highest=1.0,
    )


def looking(guide, first=0):
    """A scout at the beginning of an episode in which it looks."""
    scout = Scout(guide)
    seed = next(s for s in range(100) if random.Random(s).random() < 0.5 and _looks(s))
    scout.begin(first, random.Random(seed))
    return scout


def _looks(seed):
    rng = random.Random(seed)
    rng.random()
    return rng.random() >= 0.5


WALL = [{(2, 0, 0.0): (0, 0), (0, 0, -1.0): (0, 1), (1, 0, -1.0): (0, 2)}]


def test_what_brings_nothing_is_not_tried_for_ever():
    """Both actions are hoped for and lead nowhere: they take turns."""
    scout = looking(guide_of(WALL, [[1.0, 1.0]]))
    counts = [0, 0]
    for _ in range(20):
        action = scout.act()
        counts[action] += 1
        scout.see(action, 0, -1.0)
    assert min(counts) >= 8


def test_what_is_familiar_stays_as_it_was():
    scout = looking(guide_of(WALL, [[1.0, 0.9]], weight=[[FAMILIAR, FAMILIAR]]))
    for _ in range(20):
        assert scout.act() == 0
        scout.see(0, 0, -1.0)


def test_the_next_episode_begins_with_the_guide_again():
    scout = looking(guide_of(WALL, [[1.0, 0.9]]))
    actions = []
    for _ in range(2):
        scout.begin(0, random.Random(3))
        scout._looking = True
        episode = []
        for _ in range(10):
            episode.append(scout.act())
            scout.see(episode[-1], 0, -1.0)
        actions.append(episode)
    assert actions[0] == actions[1]
    assert set(actions[0]) == {0, 1}


def test_one_try_moves_a_worth_by_its_share():
    """(3 · 1 + (-1 + 1)) / 4: three imaginary tries, and what was gained and is hoped for next."""
    scout = looking(guide_of(WALL, [[1.0, 0.8]]))
    assert scout.act() == 0
    scout.see(0, 0, -1.0)
    assert scout._place().worth == pytest.approx([0.75, 0.8])


def test_what_is_likely_to_be_cut_off_is_worth_less():
    scout = looking(guide_of(WALL, [[1.0, 0.8]], keep=0.5))
    scout.see(0, 0, -1.0)
    assert scout._place().worth[0] == pytest.approx((3.0 + 0.5 * (-1.0 + 1.0)) / 4.0)


def test_nothing_is_worth_more_than_the_highest_value():
    scout = looking(guide_of(WALL, [[1.0, 0.8]]))
    scout.see(0, 0, 5.0)
    assert scout._place().worth[0] == 1.0


def test_a_corridor_is_walked_to_its_end_in_one_episode():
    """Staying is hoped for as much as going on, everywhere; going back never."""
    length = 30
    steps = [{(2, 0, 0.0): (0, 3 * length)}] + [{} for _ in range(length - 1)]
    for q in range(length):
        steps[q][(0, q, 0.0)] = (q, q)
        steps[q][(1, min(q + 1, length - 1), 0.0)] = (min(q + 1, length - 1), length + q)
    scout = looking(guide_of(steps, [[0.5, 0.5] for _ in range(length)], keep=0.9))
    q, walked = 0, 0
    while q < length - 1:
        action = scout.act()
        q = min(q + action, length - 1)
        scout.see(action, q, 0.0)
        walked += 1
        assert walked < 20 * length


def test_after_an_open_edge_its_own_worth_counts():
    guide = guide_of(WALL, [[1.0, 0.0]], edges={0: [0.0, 1.0]}, tried={0: [1.0, 1.0]})
    scout = looking(guide)
    assert scout.act() == 1
    scout.see(1, 0, -1.0)  # along an edge that is not open
    assert scout.act() == 0


def test_what_is_untried_after_an_open_edge_counts_in_half_of_the_episodes_as_in_its_state():
    """After the edge action 1 is untried, and hoped for; in the state it is worth nothing."""
    guide = guide_of(WALL, [[0.5, 0.0]], edges={0: [0.5, 1.0]}, tried={0: [1.0, 0.0]})
    scout, chosen = Scout(guide), []
    for seed in range(400):
        scout.begin(0, random.Random(seed))
        if scout._looking:
            chosen.append(scout.act())
    assert 0.4 < sum(chosen) / len(chosen) < 0.6


def test_a_step_that_was_never_seen_leads_where_its_observation_usually_does():
    steps = [{(2, 0, 0.0): (0, 0)}, {}]
    scout = looking(guide_of(steps, [[1.0, 0.0], [0.0, 1.0]]))
    scout.see(0, 1, 7.0)
    assert scout._state == 1
    scout.see(0, "unheard of", 0.0)
    assert scout._state == -1
    assert scout.act() in (0, 1)


def test_it_leads_where_its_observation_leads_from_there_if_that_is_known():
    steps, near = [{(2, 0, 0.0): (0, 0), (0, 1, 1.0): (2, 1)}, {}, {}], [{1: 2}, {}, {}]
    scout = looking(guide_of(steps, [[1.0, 0.0]] * 3, near=near))
    scout.see(0, 1, 7.0)
    assert scout._state == 2


def test_equally_good_actions_are_all_best():
    assert best_actions([1.0, 2.0, 2.0 - 1e-12]) == [1, 2]
