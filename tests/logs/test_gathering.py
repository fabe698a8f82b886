"""Episodes one by one in bounded memory, and the alphabet found on the way."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import nonmarkov as nm
from nonmarkov.errors import LogError
from nonmarkov.logs import RESET, LoggedEpisode
from nonmarkov.logs.episode import LONGEST_EPISODE
from nonmarkov.logs.gathering import Gatherer, gather, thinned

STEP = ("a", "o", 1.0)


def over(*steps, **options):
    return LoggedEpisode(steps, True, "log:1", **options)


def cut(*steps, **options):
    return LoggedEpisode(steps, False, "log:1", **options)


symbols = st.tuples(st.sampled_from("ab"), st.integers(0, 3), st.sampled_from([0.0, 1.0, -2.5]))
endings = st.sampled_from([[], [("a", nm.END, 0)], [("b", nm.END, 0)]])
lists = st.lists(
    st.tuples(st.lists(symbols, min_size=1, max_size=4), endings).map(
        lambda pair: [*pair[0], *pair[1]]
    ),
    min_size=1,
    max_size=8,
)


@given(episodes=lists)
def test_lists_become_the_same_batch_as_all_at_once(episodes):
    assert gather(episodes, 10**6).batch == nm.EpisodeBatch.from_lists(episodes)


def test_an_outcome_that_ends_is_followed_by_the_end_whatever_one_does():
    last = ("b", "goal", 1.0)
    found = gather([over(STEP, last)] * 4, 10**6)
    assert [list(history[:2]) for history in found.batch] == [[STEP, last]] * 4
    assert [history[2] for history in found.batch] == [
        (action, nm.END, 0.0) for action in ("a", "b", "a", "b")
    ]
    assert found.batch.terminated.all()
    assert found.finals == {"goal"}


def test_an_outcome_that_does_not_always_end_gets_a_name_of_its_own():
    found = gather([over(STEP, STEP), cut(STEP)], 10**6)
    assert found.batch[0] == [STEP, ("a", ("o", "end"), 1.0), ("a", nm.END, 0.0)]
    assert found.batch[1] == [STEP]
    assert found.finals == {("o", "end")}


def test_first_observations_that_vary_are_answers_to_reset():
    found = gather([cut(STEP, first="x"), cut(STEP, first="y")], 10**6)
    assert list(found.batch) == [[(RESET, "x", 0.0), STEP], [(RESET, "y", 0.0), STEP]]
    assert found.first


def test_first_observations_that_are_all_the_same_are_left_out():
    found = gather([cut(STEP, first="x"), over(STEP, STEP, first="x")], 10**6)
    assert found.batch.alphabet.actions == ("a",)
    assert found.batch[0] == [STEP]
    assert not found.first


def test_an_action_may_be_called_reset_unless_there_are_first_observations():
    step = (RESET, "o", 0.0)
    assert list(gather([cut(step)], 10**6).batch) == [[step]]
    with pytest.raises(LogError, match="Rename the action"):
        gather([cut(step, first="x"), cut(step, first="y")], 10**6)


@pytest.mark.parametrize(("most", "every"), [(100, 1), (99, 2), (49, 4), (10, 16), (0, 128)])
def test_every_so_many_episodes_are_remembered(most, every):
    episodes = [[("a", number, 1.0)] for number in range(100)]
    found = gather(episodes, most)
    assert (found.every, found.episodes, found.steps) == (every, 100, 100)
    assert list(found.batch) == episodes[::every]
    assert found.batch.alphabet.observations == tuple(range(100))
    batch = nm.EpisodeBatch.from_lists(episodes)
    assert thinned(batch, most).batch == found.batch


def test_memory_is_bounded_while_episodes_come_in():
    gatherer = Gatherer(1000)
    for _ in range(5000):
        gatherer.add([STEP] * 10)
        assert len(gatherer._numbers) <= 1000
    assert gatherer.gathered().episodes == 5000


def test_endless_episodes_are_cut_off():
    found = gather([over(*[STEP] * (LONGEST_EPISODE + 5))], 10**6)
    assert found.batch.n_steps == LONGEST_EPISODE
    assert not found.batch.terminated.any()


def test_too_many_symbols_are_refused_early_with_advice():
    def endless():
        for number in range(10**9):
            yield cut(("a", number, 1.0))

    message = r"log:1, step 0: up to here there are 10,001 .* round or group the observations"
    with pytest.raises(LogError, match=message):
        gather(endless(), 10**6)


def test_too_many_combinations_are_refused():
    episodes = [[("a", number, float(number))] for number in range(400)]
    with pytest.raises(LogError, match=r"400 rewards make 160,001 symbols.*Round or group"):
        gather(episodes, 10**6)


def test_there_must_be_episodes():
    with pytest.raises(LogError, match="at least one episode"):
        gather([], 10)
    with pytest.raises(LogError, match="episode 1: expected a list of steps, got 5"):
        gather([[STEP], 5], 10)


def test_an_episode_that_goes_on_after_its_end_is_named_even_if_all_is_known():
    end = ("a", nm.END, 0)
    with pytest.raises(LogError, match="episode 1 goes on after termination"):
        gather([[STEP, end], [end, STEP]], 10)
