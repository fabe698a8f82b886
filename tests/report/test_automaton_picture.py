"""Pictures of learned automata."""

import re

import numpy as np
import pytest

import nonmarkov as nm
from nonmarkov.errors import InvalidParameterError
from nonmarkov.report.automaton_picture import MOST_LINES, _condense, _edges
from nonmarkov.report.layout import fits_on_ring
from nonmarkov.report.style import BLUE, MUTED

OBSERVATIONS = tuple("pqrstuvw")
ALPHABET = nm.Alphabet(("stay", "go"), OBSERVATIONS, (0.0, 2.5))


def make_automaton(n_states, *steps, candidates=()):
    """Return an automaton with steps (state, action, observation, reward, successor)."""
    edges = [(q, ALPHABET.symbol_index(a, o, r), target) for q, a, o, r, target in steps]
    return nm.Automaton(ALPHABET, n_states, np.array(edges), candidates=candidates)


@pytest.fixture
def small():
    """Two safe states and a candidate."""
    return make_automaton(
        3,
        (0, "stay", "p", 0.0, 0),
        (0, "go", "p", 0.0, 1),
        (0, "go", "q", 2.5, 1),
        (1, "stay", "q", 2.5, 0),
        (1, "go", "r", 0.0, 2),
        candidates=(2,),
    )


@pytest.fixture
def large():
    """Three safe states in a row, with three, four and two candidates; their numbers are mixed."""
    frontier = {0: (1, 3, 4), 5: (6, 7, 8, 9), 2: (10, 11)}
    steps = [(0, "go", "p", 0.0, 5), (5, "go", "p", 0.0, 2), (2, "go", "p", 0.0, 2)]
    for state, candidates in frontier.items():
        for observation, candidate in zip("qrst", candidates, strict=False):
            steps.append((state, "stay", observation, 0.0, candidate))
            steps.append((state, "stay", observation, 2.5, candidate))
    candidates = tuple(candidate for some in frontier.values() for candidate in some)
    return make_automaton(12, *steps, candidates=candidates)


def act(automaton, **actions):
    """Return the policy with some actions given, as in _0="go", and uniform elsewhere."""
    table = np.full((automaton.n_states, 2), 0.5)
    for state, action in actions.items():
        table[int(state[1:])] = np.eye(2)[ALPHABET.action_index(action)]
    return nm.Policy(automaton, table)


def draw(policy, folder, **options):
    """Return the picture as SVG and the texts in it, which matplotlib leaves in comments."""
    path = folder / "picture.svg"
    nm.save_automaton_picture(policy, path, **options)
    svg = path.read_text()
    return svg, [text.strip() for text in re.findall(r"<!--(.*?)-->", svg)]


@pytest.mark.parametrize(
    ("suffix", "begin"), [("png", b"\x89PNG\r\n"), ("svg", b"<?xml"), ("pdf", b"%PDF")]
)
def test_the_suffix_says_the_format(small, suffix, begin, tmp_path):
    path = tmp_path / "new" / f"picture.{suffix}"
    nm.save_automaton_picture(act(small, _0="go"), path, title="A title")
    assert path.read_bytes().startswith(begin)
    assert path.stat().st_size > 3000
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("name", ["picture.docx", "picture", "picture.PNG.txt"])
def test_other_formats_are_refused(small, name, tmp_path):
    with pytest.raises(InvalidParameterError, match="must end in one of png, svg, pdf"):
        nm.save_automaton_picture(act(small), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_edges_say_what_happens_with_the_policy_first(small):
    edges = _edges(act(small, _0="go", _1="stay"))
    assert set(edges) == {(0, 0), (0, 1), (1, 0), (1, 2)}
    assert edges[0, 0].lines == [("stay → p, 0", False)]
    assert edges[0, 1].lines == [("go → p, 0", True), ("go → q, 2.5", True)]
    assert edges[1, 0].lines == [("stay → q, 2.5", True)]
    assert {ends for ends, edge in edges.items() if edge.optimal} == {(0, 1), (1, 0)}


def test_the_lines_of_the_policy_come_first():
    automaton = make_automaton(1, *((0, a, "p", r, 0) for a in ("stay", "go") for r in (0.0, 2.5)))
    lines = _edges(act(automaton, _0="go"))[0, 0].lines
    assert [best for _, best in lines] == [True, True, False, False]
    assert lines[0][0].startswith("go")


def test_a_small_automaton_labels_every_edge(small, tmp_path):
    _, texts = draw(act(small, _0="go"), tmp_path, title="A title")
    for label in ("stay → p, 0", "go → p, 0", "go → q, 2.5", "stay → q, 2.5", "go → r, 0"):
        assert texts.count(label) == 1
    assert {"0", "1", "A title"} <= set(texts)
    assert texts.count("?") == 1  # the candidate
    assert "2" not in texts


def test_many_outcomes_of_an_edge_are_cut_short():
    steps = [(0, "stay", o, 0.0, 0) for o in OBSERVATIONS] + [(0, "go", "p", 2.5, 0)]
    policy = act(make_automaton(1, *steps), _0="go")
    lines = _edges(policy)[0, 0].lines
    assert len(lines) == MOST_LINES
    assert lines[0] == ("go → p, 2.5", True)
    assert lines[-1] == (f"and {len(steps) - MOST_LINES + 1} more", False)


def test_undecided_states_have_no_blue(small, tmp_path):
    assert not any(edge.optimal for edge in _edges(act(small)).values())
    svg, _ = draw(act(small), tmp_path)
    assert MUTED in svg
    assert BLUE not in svg

    edges = _edges(act(small, _1="go"))
    assert {ends for ends, edge in edges.items() if edge.optimal} == {(1, 2)}
    svg, _ = draw(act(small, _1="go"), tmp_path)
    assert BLUE in svg


def test_actions_that_are_equally_good_are_all_blue():
    alphabet = nm.Alphabet(("a", "b", "c"), ("o",), (0.0,))
    steps = [(0, action, "o", 0.0, 0) for action in "abc"]
    policy = nm.Policy(nm.Automaton.from_steps(alphabet, 1, steps), [[0.5, 0.0, 0.5]])
    assert _edges(policy)[0, 0].actions == ["a", "c"]


def test_a_large_automaton_has_one_square_for_all_candidates_of_a_state(large):
    policy = act(large, _0="stay", _5="go")
    edges, squares = _condense(_edges(policy), policy)
    ends = {state: large.n_states + state for state in (0, 5, 2)}
    assert squares == {ends[0]: "3", ends[5]: "4", ends[2]: "2"}
    inside = {(0, 5), (5, 2), (2, 2)}
    assert set(edges) == inside | set(ends.items())
    assert edges[0, ends[0]].lines == [("stay", True)]
    assert edges[5, 2].lines == [("go", True)]
    assert {pair for pair, edge in edges.items() if edge.optimal} == {(0, ends[0]), (5, 2)}
    assert all(edge.lines == [] for edge in edges.values() if not edge.optimal)


def test_a_large_automaton_is_drawn_condensed(large, tmp_path):
    policy = act(large, _5="go")
    assert not fits_on_ring(_edges(policy), large.n_states)
    _, texts = draw(policy, tmp_path)
    # Names of the safe states, numbers of the candidates, and the one action of the policy.
    assert sorted(text for text in texts if len(text) < 5) == ["0", "2", "2", "3", "4", "5", "go"]
    assert any("and how many" in text for text in texts)


def test_an_automaton_of_one_candidate_can_be_drawn(tmp_path):
    automaton = nm.Automaton(ALPHABET, 1, np.empty((0, 3), dtype=np.int64), candidates=(0,))
    svg, texts = draw(nm.Policy.uniform(automaton), tmp_path, title="Nothing yet")
    assert texts.count("?") == 1
    assert "Nothing yet" in texts
    assert BLUE not in svg


@pytest.mark.parametrize("episodes", [1, 3000, 30_000])
def test_what_an_agent_has_learned_so_far_can_be_drawn(episodes, tmp_path):
    agent = nm.Agent(nm.domain("rotating_maze", k=1), "paper")
    agent.learn(episodes)
    automaton = agent.portrait.automaton
    assert automaton.candidates
    _, texts = draw(agent.portrait, tmp_path)
    safe = [state for state in range(automaton.n_states) if automaton.is_safe(state)]
    assert len(safe) == agent.n_states
    assert {str(state) for state in safe} <= set(texts)
    in_squares = sum(int(text) for text in texts if text.isdecimal()) - sum(safe)
    assert texts.count("?") + in_squares == len(automaton.candidates)
