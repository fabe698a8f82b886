"""The container of agents: what is written comes back, and lies are refused."""

import hashlib
import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from nonmarkov import stored
from nonmarkov.errors import FileFormatError, NonMarkovError
from nonmarkov.stored import VERSION, Stored, pack, unpack

numbers = arrays.arrays(
    st.sampled_from([np.bool_, np.int32, np.int64, np.uint8, np.float64]),
    arrays.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=4),
)
values = st.none() | st.booleans() | st.integers() | st.text() | numbers
trees = st.dictionaries(
    st.text("abc", min_size=1),
    st.recursive(values, lambda v: st.lists(v) | st.dictionaries(st.text("abc", min_size=1), v)),
)


def same(one, other):
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, np.ndarray):
        return one.shape == other.shape and np.array_equal(one, other, equal_nan=one.dtype == float)
    return one == other


HEAD = f"nonmarkov thing {VERSION}".encode()


def sealed(line, rest=b"", head=HEAD):
    body = line.encode() + b"\n" + rest
    return head + b"\n" + hashlib.sha256(body).hexdigest().encode() + b"\n" + body


@given(trees)
def test_trees_come_back(tree):
    data = pack("thing", tree)
    back = unpack("thing", data, "it")._content
    assert same(tree, back)
    assert pack("thing", back) == data


def test_the_file_is_as_described():
    data = pack("thing", {"b": np.array([1, 300]), "a": {"c": np.array([0.5]), "d": "x"}})
    first, seal, line, rest = data.split(b"\n", 3)
    assert first == HEAD
    assert seal.decode() == hashlib.sha256(line + b"\n" + rest).hexdigest()
    assert json.loads(line) == {"a": {"c": {"@": ["f8", [1]]}, "d": "x"}, "b": {"@": ["u2", [2]]}}
    assert rest == np.array([0.5]).tobytes() + bytes([1, 0, 44, 1])


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ([], "u1"),
        ([0, 255], "u1"),
        ([-1, 127], "i1"),
        ([-1, 128], "i2"),
        ([2**32 - 1], "u4"),
        ([2**63 - 1, -(2**63)], "i8"),
    ],
)
def test_integers_take_little_room(values, code):
    array = np.array(values, dtype=np.int64)
    data = pack("thing", {"a": array})
    assert f'["{code}",' in data.decode(errors="replace")
    back = unpack("thing", data, "it").integers("a", array.shape, -(2**63))
    assert (back == array).all()
    assert back.dtype == np.int64
    assert back.flags.writeable


@pytest.mark.parametrize(
    "line",
    [
        '{"a": {"@": ["f8", [1]]}}',
        '{"a": {"@": ["f8", [1099511627776]]}}',
        '{"a": {"@": ["f8", [1000000000, 1000000000]]}}',
        '{"a": {"@": ["u1", [0, 9]]}, "b": {"@": ["u1", [-1]]}}',
        '{"a": {"@": ["u1", [1.0]]}}',
        '{"a": {"@": ["u1", [true]]}}',
        '{"a": {"@": ["u1", ["1"]]}}',
        '{"a": {"@": ["u1", [1, 1, 1, 1, 1]]}}',
        '{"a": {"@": ["O", [1]]}}',
        '{"a": {"@": ["V8", [1]]}}',
        '{"a": {"@": ["u8", [0]]}}',
        '{"a": {"@": [["u1"], [1]]}}',
        '{"a": {"@": "u1"}}',
        '{"a": {"@": null}}',
        '{"a": NaN}',
        '{"a": ',
        "[]",
        "3",
        "",
        "[" * 100_000,
        '{"a": {"@": ["u1", [3]]}}',
        "{}",
    ],
)
def test_lies_about_arrays_are_refused(line):
    with pytest.raises(FileFormatError, match=r"it does not hold a valid thing|must have named"):
        unpack("thing", sealed(line, b"1234"), "it")


def test_the_liars_seal_would_be_good():
    assert unpack("thing", sealed('{"a": {"@": ["u1", [4]]}}', b"1234"), "it").has("a")


def test_flags_are_zero_or_one():
    with pytest.raises(FileFormatError, match="a flag must be 0 or 1"):
        unpack("thing", sealed('{"a": {"@": ["b1", [2]]}}', b"\1\2"), "it")


def test_long_lines_are_not_read(monkeypatch):
    monkeypatch.setattr(stored, "LARGEST_LINE", 20)
    with pytest.raises(FileFormatError, match="no line of JSON, or a very long one"):
        unpack("thing", sealed('{"a": "' + "x" * 50 + '"}'), "it")
    with pytest.raises(FileFormatError, match="too many for one file"):
        pack("thing", {"a": "x" * 50})


def test_what_is_too_large_is_not_written(monkeypatch):
    monkeypatch.setattr(stored, "LARGEST_FILE", 1000)
    with pytest.raises(FileFormatError, match="too many for one file"):
        pack("thing", {"a": np.zeros(1000)})


CONTENT = Stored(
    {
        "integer": 5,
        "real": 0.5,
        "flag": True,
        "text": "x",
        "none": None,
        "integers": np.array([1, 2, 3]),
        "reals": np.array([0.5, math.inf]),
        "no numbers": np.array([math.nan]),
        "flags": np.array([True]),
        "records": {"a": np.array([1]), "b": np.array([1.0, 2.0])},
    },
    "part",
)


@pytest.mark.parametrize(
    "ask",
    [
        lambda c: c.plain("missing"),
        lambda c: c.part("integer"),
        lambda c: c.integer("integer", 6),
        lambda c: c.integer("integer", 0, 4),
        lambda c: c.integer("flag"),
        lambda c: c.integer("real"),
        lambda c: c.integer("none"),
        lambda c: c.real("text"),
        lambda c: c.flag("integer"),
        lambda c: c.text("integer"),
        lambda c: c.integers("integers", (2,)),
        lambda c: c.integers("integers", (3, None)),
        lambda c: c.integers("integers", (3,), 2),
        lambda c: c.integers("integers", (3,), 0, 2),
        lambda c: c.integers("reals", (2,)),
        lambda c: c.integers("flags", (1,)),
        lambda c: c.integers("integer", ()),
        lambda c: c.reals("integers", (3,)),
        lambda c: c.reals("no numbers", (1,)),
        lambda c: c.flags("integers", (3,)),
    ],
)
def test_what_is_asked_for_must_be_there(ask):
    with pytest.raises(NonMarkovError, match=r"part\."):
        ask(CONTENT)


def test_what_is_there_is_given():
    assert CONTENT.integer("integer", 5, 5) == 5
    assert (CONTENT.real("real"), CONTENT.flag("flag"), CONTENT.text("text")) == (0.5, True, "x")
    assert CONTENT.integers("integers", (None,), 1, 3).tolist() == [1, 2, 3]
    assert CONTENT.reals("reals", (2,)).tolist() == [0.5, math.inf]
    assert not CONTENT.has("none")
    assert not CONTENT.has("missing")


def test_columns_of_records_have_one_length():
    class Row(tuple):
        a: int
        b: float

    with pytest.raises(FileFormatError, match=r"columns of part\.records differ in length"):
        CONTENT.records("records", Row)
