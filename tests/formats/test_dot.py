"""Graphviz files: their grammar, and that all edges and labels are in them."""

import re

from hypothesis import given

from nonmarkov.formats.dot import automaton_to_dot, model_to_dot
from nonmarkov.formats.model import model_of_process
from nonmarkov.testing.strategies import processes
from tests.formats.nasty import LABELS, nasty_process

STRING = r'"((?:[^"\\\n]|\\.)*)"'
NODE = re.compile(rf"  (\d+) \[shape=(\w+)(?:, label={STRING})?\];")
EDGE = re.compile(rf"  (\d+) -> (\d+) \[label={STRING}\];")


def parsed(text):
    """Return the nodes and the lines beside every edge, of what is written of the language."""
    lines = text.split("\n")
    assert lines[:3] == ["digraph automaton {", "  rankdir=LR;", '  begin [shape=none, label=""];']
    assert lines[-2:] == ["}", ""]
    start = next(i for i, line in enumerate(lines) if re.fullmatch(r"  begin -> \d+;", line))
    nodes = [NODE.fullmatch(line).groups() for line in lines[3:start]]
    edges = [EDGE.fullmatch(line).groups() for line in lines[start + 1 : -2]]
    # A backslash of a label is doubled, so only breaks are single ones.
    return nodes, {(a, b): re.split(r"(?<!\\)(?:\\\\)*\\n", label) for a, b, label in edges}


@given(process=processes())
def test_edges_are_those_of_the_process(process):
    expected = {(str(q), str(target)) for q, _, target in process.automaton.edges.tolist()}
    for text in automaton_to_dot(process.automaton), model_to_dot(model_of_process(process)):
        nodes, edges = parsed(text)
        assert [name for name, _, _ in nodes] == [str(q) for q in range(process.n_states)]
        assert set(edges) == expected
        assert sum(map(len, edges.values())) == len(process.automaton.edges)


def test_chances_are_written(weather):
    text = model_to_dot(model_of_process(weather))
    assert '0 -> 1 [label="fast / skidded, 0 (0.3)"];' in text
    assert '1 [shape=ellipse, label="wet"];' in text


def test_any_labels_can_be_written():
    process = nasty_process()
    text = automaton_to_dot(process.automaton)
    _, edges = parsed(text)
    lines = [line for written in edges.values() for line in written]
    assert len(lines) == len(process.automaton.edges)
    assert len({line.split(" / ")[0] for line in lines}) == len(LABELS)
    parsed(model_to_dot(model_of_process(process)))
