"""Readers of logs: what they read, and what they say about what they cannot read."""

import contextlib
import json
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nonmarkov as nm
from nonmarkov.errors import InvalidParameterError, LogError, MissingExtraError, NonMarkovError
from nonmarkov.logs import FORMATS, from_aalpy, read_log, write_log
from nonmarkov.logs.episode import NOTHING
from nonmarkov.logs.gathering import gather

STEPS = [("left", "wall", 0), ("right", "goal", 1)]
HEADER = "episode,action,observation,reward,terminated\n"


def written(tmp_path, text, name="log.jsonl"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def episodes(path, kind="auto"):
    return list(read_log(path, kind))


def steps(path, kind="auto"):
    return [[tuple(step) for step in episode.steps] for episode in episodes(path, kind)]


def read_all(path, kind="auto"):
    return gather(read_log(path, kind), 10**6)


# --- JSON Lines -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        '{"steps": [["left", "wall", 0], ["right", "goal", 1]], "terminated": true}',
        (
            '{"terminated": true, "truncated": false, "steps": [{"action": "left", "observation": '
            '"wall", "reward": 0}, {"action": "right", "observation": "goal", "reward": 1}]}'
        ),
    ],
)
def test_an_episode_a_line(tmp_path, line):
    path = written(tmp_path, f"{line}\n\n{line}\n")
    assert steps(path) == [STEPS, STEPS]
    assert [episode.over for episode in episodes(path)] == [True, True]
    assert [episode.place for episode in episodes(path)] == [f"{path}:1", f"{path}:3"]


def test_a_bare_list_was_cut_off(tmp_path):
    path = written(tmp_path, '[["left", "wall", 0], ["right", "goal", 1]]')
    assert steps(path) == [STEPS]
    assert not episodes(path)[0].over


def test_an_action_can_be_answered_by_the_end_alone(tmp_path):
    path = written(tmp_path, '{"steps": [["left", "wall", 0], ["right"]], "terminated": true}')
    assert steps(path) == [[STEPS[0], ("right", nm.END, 0.0)]]
    (history,) = read_all(path).batch
    assert history == [("left", "wall", 0.0), ("right", nm.END, 0.0)]


def test_lists_are_labels_and_there_is_a_first_observation(tmp_path):
    path = written(tmp_path, '{"first": [0, 0], "steps": [["left", [0, 1], 2]]}')
    assert steps(path) == [[("left", (0, 1), 2)]]
    assert episodes(path)[0].first == (0, 0)


@pytest.mark.parametrize("name", ["log.jsonl", "log.txt"])
def test_what_was_written_is_read(tmp_path, name):
    batch = nm.domain("rotating_maze").sample(50, seed=0, max_steps=20)
    write_log(tmp_path / name, batch)
    assert list(read_all(tmp_path / name).batch) == list(batch)


labels = st.recursive(
    st.text(max_size=3) | st.integers(-3, 3), lambda inner: st.tuples(inner, inner), max_leaves=3
)
symbols = st.tuples(labels, labels, st.integers(-2, 2).map(float))


@given(lists=st.lists(st.lists(symbols, min_size=1, max_size=4), min_size=1, max_size=4))
def test_any_labels_survive_a_file(tmp_path_factory, lists):
    path = tmp_path_factory.mktemp("logs") / "log.jsonl"
    write_log(path, lists)
    assert steps(path) == lists


# --- CSV ------------------------------------------------------------------------------------------


def test_a_step_a_row(tmp_path):
    rows = "a,left,wall,0,0\na,right,goal,1,1\n\nb,left,wall,0,false\n"
    path = written(tmp_path, HEADER + rows, "log.csv")
    assert steps(path) == [STEPS, STEPS[:1]]
    assert [episode.over for episode in episodes(path)] == [True, False]
    assert [episode.place for episode in episodes(path)] == [f"{path}:2", f"{path}:5"]


def test_columns_in_any_order_and_numbers_are_numbers(tmp_path):
    text = "time,Reward,episode, action ,observation,terminated\n3,-1.5,7,0,2,0\n4,0,7,1,1.5,True\n"
    assert steps(written(tmp_path, text, "log.csv")) == [[(0, 2, -1.5), (1, 1.5, 0.0)]]


def test_first_observations_and_ends_alone_in_rows(tmp_path):
    path = written(tmp_path, HEADER + "1,,start,,0\n1,left,wall,0,0\n1,right,,,1\n", "log.csv")
    (episode,) = episodes(path)
    assert episode.first == "start"
    assert episode.steps == [("left", "wall", 0.0), ("right", nm.END, 0.0)]


def test_a_byte_order_mark_is_not_part_of_the_header(tmp_path):
    text = "\ufeff" + HEADER + "1,left,wall,0,0\n"
    assert steps(written(tmp_path, text, "log.csv")) == [STEPS[:1]]


# --- AALpy ----------------------------------------------------------------------------------------

LISTS = [["init", ("left", "wall"), ("right", "goal")], ["init", ("left", "wall")]]


def test_lists_of_aalpy():
    found = list(from_aalpy(LISTS, rewards={"goal": 1}))
    assert [list(episode.steps) for episode in found] == [STEPS, STEPS[:1]]
    assert [episode.first for episode in found] == ["init", "init"]
    (bare,) = from_aalpy([LISTS[0][1:]])
    assert bare.first is NOTHING
    assert bare.steps == [("left", "wall", 0.0), ("right", "goal", 0.0)]


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("name", ["log.json", "log.txt"])
def test_lists_of_aalpy_as_json(tmp_path, indent, name):
    path = written(tmp_path, json.dumps(LISTS, indent=indent), name)
    assert steps(path)[1] == [("left", "wall", 0.0)]
    assert [episode.first for episode in episodes(path)] == ["init", "init"]


def test_lists_of_aalpy_one_a_line(tmp_path):
    text = "".join(f"{json.dumps(entries)}\n" for entries in LISTS)
    assert steps(written(tmp_path, text, "log.json"))[1] == [("left", "wall", 0.0)]
    bare = "".join(f"{json.dumps(entries[1:])}\n" for entries in LISTS)
    assert steps(written(tmp_path, bare, "bare.json"))[1] == [("left", "wall", 0.0)]


# --- Abbadingo ------------------------------------------------------------------------------------


def test_labelled_words_are_chosen_and_judged(tmp_path):
    path = written(tmp_path, "4 2\n1 2 0 1\n0 1 1\n-1 1 0\n1 0\n", "words.dat")
    found = read_all(path).batch
    assert [history[:-1] for history in found[:1]] == [
        [("0", "-", 0.0), ("1", "-", 0.0), ("end", "accept", 1.0)]
    ]
    assert found[1][:-1] == [("1", "-", 0.0), ("end", "reject", 0.0)]
    assert found[2] == [("0", "-", 0.0)]
    assert found[3][:-1] == [("end", "accept", 1.0)]
    assert found.terminated.tolist() == [True, True, False, True]


@pytest.mark.parametrize("label", [1, 0, -1])
def test_words_of_one_label_are_observed(tmp_path, label):
    path = written(tmp_path, f"2 2\n{label} 2 0 1\n{label} 0\n", "words.dat")
    assert list(read_all(path).batch) == [
        [("next", "0", 0.0), ("next", "1", 0.0), ("next", nm.END, 0.0)],
        [("next", nm.END, 0.0)],
    ]


# --- what cannot be read --------------------------------------------------------------------------

GOOD = '{"steps": [["left", "wall", 0]]}\n'

MISTAKES = [
    ("log.jsonl", "", "holds no episode"),
    ("log.csv", "", "holds no episode"),
    ("log.csv", HEADER, "holds no episode"),
    ("log.txt", "\n\n", "is empty"),
    ("log.txt", "hello\n", r":1: no known format begins like 'hello'.*Say which"),
    ("log.jsonl", GOOD + "left,wall,0\n", r":2, column 1: no JSON.*Write one episode a line"),
    ("log.jsonl", GOOD + '{"steps": [["left"', r":2, column 19: no JSON"),
    ("log.jsonl", '{"step": []}', r':1: the field "steps" is missing'),
    ("log.jsonl", "17", r':1: the field "steps" is missing'),
    ("log.jsonl", '{"steps": [], "seed": 1}', r":1: the field 'seed' is unknown"),
    ("log.jsonl", '{"steps": {}}', r':1: "steps" must be a list'),
    ("log.jsonl", GOOD + '{"steps": []}', r":2 is empty; an episode needs at least one step"),
    ("log.jsonl", '{"steps": [["a", "o", 0]], "terminated": 1}', '"terminated" must be true or'),
    ("log.jsonl", '[["a", "o", 0], ["a", "o"]]', r":1, step 1: expected"),
    ("log.jsonl", '[["a"], ["a", "o", 1]]', r":1, step 0: expected"),
    ("log.jsonl", '[["a", "o", 0], "abc"]', r":1, step 1: expected"),
    ("log.jsonl", '[{"action": "a", "reward": 1}]', r':1, step 0: the field "observation" is miss'),
    ("log.jsonl", '[["a", "o", NaN]]', r":1: NaN is no number"),
    ("log.jsonl", '[["a", "o", 1e999]]', r":1, step 0: a reward must be a finite number, got inf"),
    ("log.jsonl", '[["a", "o", "1"]]', r":1, step 0: a reward must be a finite number, got '1'"),
    ("log.jsonl", '[["a", "o", null]]', r":1, step 0: a reward must be a finite number, got None"),
    ("log.jsonl", '[["a", {"x": 1}, 0]]', r":1, step 0: .* is no label"),
    ("log.jsonl", '{"first": {}, "steps": [["a", "o", 0]]}', r":1: {} is no label"),
    ("log.jsonl", f'[["a", {"[" * 700}{"]" * 700}, 0]]', r":1, step 0: .* is no label"),
    ("log.json", '[["x", ["a", NaN]]]', r"list 0: nan is no label"),
    ("log.jsonl", f"{'[' * 9999}{']' * 9999}", r":1: .*few levels"),
    (
        "log.jsonl",
        GOOD + '[["left", "wall", 0], ["left", 3, 0]]',
        r":2, step 1: the observation 3 is a number, but at .*:1, step 0 it is text",
    ),
    ("log.jsonl", GOOD + '[[1, "wall", 0]]', r":2, step 0: the action 1 is a number"),
    ("log.jsonl", GOOD + '{"first": "a", "steps": [["left", "wall", 0]]}', r":2: there is first"),
    ("log.jsonl", b'[["a", "\xff\xfe", 0]]', r":1: byte 9 of the line, 0xff, is no UTF-8"),
    ("log.csv", "a,b\n1,2\n", r":1: the column 'episode' is missing.*episode,action,obs.*got a,b"),
    ("log.csv", "episode," + HEADER, r":1: the column 'episode' is there twice"),
    ("log.csv", HEADER + "1,left,wall,0\n", r":2: the row has 4 cells, the header 5"),
    ("log.csv", HEADER + "1,left,wall,zero,0\n", r":2, column reward: 'zero' is no number"),
    ("log.csv", HEADER + "1,left,wall,nan,0\n", r":2, step 0: a reward must be a finite number"),
    ("log.csv", HEADER + "1,left,,0,0\n", r":2, column observation: it is empty"),
    ("log.csv", HEADER + "1,a,o,0,0\n1,,o,0,0\n", r":3, column action: it is empty"),
    ("log.csv", HEADER + ",left,o,0,0\n", r":2, column episode: it is empty"),
    ("log.csv", HEADER + "1,left,o,0,maybe\n", r":2, column terminated: 'maybe' is neither"),
    ("log.csv", HEADER + "1,a,o,0,1\n1,a,o,0,0\n", r":3: episode '1' goes on after a terminated"),
    ("log.csv", HEADER + "1,a,o,0,0\n2,a,o,0,0\n1,a,o,0,0\n", r":4, column ep.*'1' comes back"),
    ("log.csv", HEADER + '1,"left,o,0,0\n', r":2: no CSV"),
    ("log.csv", HEADER + "1,a,2,0,0\n1,a,x,0,0\n", r", step 1: the observation 'x' is text"),
    ("w.dat", "2 2\n1 2 0 1\n", r":2: the header promises 2 words, but there are 1"),
    ("w.dat", "1 2\n1 2 0 1\n0 1 1\n", r":3: there are more words"),
    ("w.dat", "1 1\n1 2 0 1\n", r":2: there are more words or letters"),
    (
        "w.dat",
        "1 2\n1 3 0 1\n",
        r":2: the second number must be the length of the word, 2, got '3'",
    ),
    ("w.dat", "1 2\n2 2 0 1\n", r":2: the label must be 1, 0 or -1, got '2'"),
    ("l.json", "[[1, [2, 3, 4]]]", r"list 0, entry 1: expected \(input, output\)"),
    ("l.json", '["init", ["a", "o"]]\n5\n', r":2: expected \[initial output"),
]


@pytest.mark.parametrize(("name", "text", "message"), MISTAKES)
def test_mistakes_are_named_with_their_place(tmp_path, name, text, message):
    path = written(tmp_path, text, name)
    with pytest.raises(LogError, match=message) as caught:
        read_all(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_wrong_header_of_abbadingo_is_named(tmp_path):
    with pytest.raises(LogError, match=r"w.dat:1: the header must be two numbers, .* got 'a b'"):
        read_all(written(tmp_path, "a b\n", "w.dat"), "abbadingo")


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(LogError, match="is no file"):
        read_log(tmp_path / "none.jsonl")
    with pytest.raises(InvalidParameterError, match="kind must be one of auto, jsonl"):
        read_log(tmp_path, "xml")


def test_a_line_that_is_too_long(tmp_path, monkeypatch):
    monkeypatch.setattr("nonmarkov.logs.lines.LONGEST_LINE", 1 << 20)
    with pytest.raises(LogError, match=r":2: the line is longer than 1 MB"):
        read_all(written(tmp_path, GOOD + "[" * (1 << 21)))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=12,
)
STEP_LIKE = st.lists(JSON, min_size=2, max_size=3)
TEXTS = (
    st.binary(max_size=60)
    | st.text('0123 -,"\n[]{}eNan', max_size=60).map(str.encode)
    | st.lists(JSON | st.lists(STEP_LIKE, max_size=3)).map(
        lambda lines: "\n".join(map(json.dumps, lines)).encode()
    )
    | st.text("01,\n", max_size=40).map(lambda rows: (HEADER + rows).encode())
    | st.text("01 \n", max_size=40).map(lambda words: b"2 2\n" + words.encode())
)


@settings(max_examples=100)
@given(data=TEXTS, kind=st.sampled_from(FORMATS[:-1]))
def test_whatever_is_in_a_file_it_is_read_or_refused(tmp_path_factory, data, kind):
    path = tmp_path_factory.mktemp("fuzz") / "log"
    path.write_bytes(data)
    with contextlib.suppress(NonMarkovError):  # and nothing else
        read_all(path, kind)


# --- Minari ---------------------------------------------------------------------------------------


def test_minari_must_be_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "minari", None)
    with pytest.raises(MissingExtraError, match=r'pip install "nonmarkov\[minari\]"'):
        list(read_log("toy/discrete-v0"))


@pytest.fixture
def minari(tmp_path, monkeypatch):
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    return pytest.importorskip("minari")


def store(minari, name, observation_space, observations):
    import numpy as np
    from gymnasium import spaces
    from minari.data_collector import EpisodeBuffer

    buffers = [
        EpisodeBuffer(
            id=i,
            observations=observations,
            actions=[0, 1],
            rewards=[0.0, 1.0],
            terminations=[False, i == 0],
            truncations=[False, i == 1],
            infos={},
        )
        for i in range(2)
    ]
    minari.create_dataset_from_buffers(
        name,
        [
            EpisodeBuffer(**{**b.__dict__, "observations": np.array(b.observations)})
            if isinstance(observations, list)
            else b
            for b in buffers
        ],
        observation_space=observation_space,
        action_space=spaces.Discrete(2),
        algorithm_name="none",
        author="none",
        code_permalink="none",
        author_email="none",
    )


@pytest.mark.filterwarnings("ignore")
def test_discrete_datasets_of_minari(minari):
    from gymnasium import spaces

    store(minari, "toy/discrete-v0", spaces.Discrete(3), [2, 0, 1])
    one, two = read_log("toy/discrete-v0")
    assert one.steps == two.steps == [(0, 0, 0.0), (1, 1, 1.0)]
    assert (one.first, two.first) == (2, 2)
    assert (one.over, two.over) == (True, False)
    store(minari, "toy/vector-v0", spaces.MultiDiscrete([3, 3]), [[2, 0], [0, 0], [1, 1]])
    one, _ = read_log("toy/vector-v0", "minari")
    assert (one.first, one.steps[0]) == ((2, 0), (0, (0, 0), 0.0))


@pytest.mark.filterwarnings("ignore")
def test_continuous_datasets_of_minari_are_refused(minari):
    import numpy as np
    from gymnasium import spaces

    space = spaces.Box(0, 1, (1,), np.float64)
    store(minari, "toy/box-v0", space, [[0.5], [0.1], [0.7]])
    with pytest.raises(LogError, match=r"toy/box-v0: its observations are Box.*digitize"):
        list(read_log("toy/box-v0"))


@pytest.mark.filterwarnings("ignore")
def test_unknown_datasets_of_minari_are_named(minari):
    with pytest.raises(LogError, match="minari download toy/none-v0"):
        list(read_log("toy/none-v0"))
