"""Spaces become labels, and what has none is refused with advice."""

import numpy as np
import pytest
from gymnasium import spaces
from hypothesis import given
from hypothesis import strategies as st

from nonmarkov.envs.spaces import as_action, enumerate_actions, observation_encoder, plain_label
from nonmarkov.errors import InvalidParameterError, UnsuitableEnvironmentError
from nonmarkov.labels import as_label


def small_spaces():
    sizes = st.integers(1, 3)
    leaves = st.one_of(
        st.builds(spaces.Discrete, sizes, start=st.integers(-2, 2)),
        st.builds(spaces.MultiDiscrete, st.lists(sizes, min_size=1, max_size=3)),
        st.just(spaces.MultiDiscrete([[2, 3], [1, 2]])),
        st.builds(spaces.MultiBinary, sizes),
        st.just(spaces.MultiBinary([2, 2])),
        st.just(spaces.Text(4)),
    )
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.lists(inner, min_size=1, max_size=3).map(spaces.Tuple),
            st.dictionaries(st.sampled_from("abc"), inner, min_size=1).map(spaces.Dict),
        ),
        max_leaves=4,
    )


@given(small_spaces(), st.integers(0, 100))
def test_every_observation_has_a_label_that_alphabets_take(space, seed):
    space.seed(seed)
    encode = observation_encoder(space)
    for _ in range(5):
        observation = space.sample()
        label = encode(observation)
        assert as_label(label) == label
        assert encode(observation) == plain_label(observation)


def test_different_observations_have_different_labels():
    space = spaces.Dict({"a": spaces.Discrete(3), "b": spaces.MultiBinary(2)})
    encode = observation_encoder(space)
    seen = [
        {"a": np.int64(a), "b": np.array([b, c])} for a in range(3) for b in (0, 1) for c in (0, 1)
    ]
    assert len({encode(observation) for observation in seen}) == 12
    assert encode(seen[1]) == (("a", 0), ("b", (0, 1)))


@pytest.mark.parametrize(
    ("space", "number"),
    [
        (spaces.Discrete(3, start=-1), 3),
        (spaces.MultiDiscrete([2, 3], start=[1, 0]), 6),
        (spaces.MultiDiscrete([[2, 2], [1, 2]]), 8),
        (spaces.MultiBinary(3), 8),
        (spaces.MultiBinary([2, 2]), 16),
    ],
)
def test_all_actions_are_listed_once_and_belong_to_the_space(space, number):
    labels = enumerate_actions(space)
    assert len(set(labels)) == number
    assert all(space.contains(np.asarray(as_action(label), dtype=space.dtype)) for label in labels)


@pytest.mark.parametrize(
    ("space", "message"),
    [
        (spaces.Box(0, 1, (2,)), r"actions must be Discrete"),
        (spaces.Tuple([spaces.Discrete(2)]), r"actions must be Discrete"),
        (spaces.MultiBinary(13), r"8,192 actions; at most 4,096"),
    ],
)
def test_other_actions_are_refused(space, message):
    with pytest.raises(UnsuitableEnvironmentError, match=message):
        enumerate_actions(space)


@pytest.mark.parametrize(
    ("space", "message"),
    [
        (spaces.Box(-np.inf, np.inf, (4,)), r"real numbers.*nm\.Discretize"),
        (spaces.Tuple([spaces.Discrete(2), spaces.Box(0, 1)]), r"nm\.Discretize"),
        (spaces.Box(0, 255, (8, 8, 3), np.uint8), r"arrays.*ObservationWrapper"),
        (spaces.Graph(spaces.Discrete(2), None), r"must be Discrete, MultiDiscrete"),
    ],
)
def test_other_observations_are_refused(space, message):
    with pytest.raises(UnsuitableEnvironmentError, match=message):
        observation_encoder(space)


@pytest.mark.parametrize(
    ("space", "stranger"),
    [
        (spaces.Discrete(3), 3),
        (spaces.Discrete(3), 1.5),
        (spaces.Discrete(3), "one"),
        (spaces.MultiDiscrete([2, 2]), np.array([0, 2])),
        (spaces.Text(3), 5),
        (spaces.Text(10), "(ended)"),
        (spaces.Tuple([spaces.Discrete(2)]), (0, 0)),
        (spaces.Dict({"a": spaces.Discrete(2)}), {"b": 0}),
    ],
)
def test_what_is_not_in_the_space_is_noticed(space, stranger):
    with pytest.raises(
        UnsuitableEnvironmentError, match="does not belong to the observation space"
    ):
        observation_encoder(space)(stranger)


def test_what_has_no_label_is_refused():
    with pytest.raises(InvalidParameterError, match="must be a number, a text"):
        plain_label(object())
