"""Pictures of processes."""

import pytest

import nonmarkov as nm
from nonmarkov import save_process_picture
from nonmarkov.domains import DOMAINS
from nonmarkov.errors import InvalidParameterError
from nonmarkov.report.layout import place_in_columns, place_on_ring
from nonmarkov.report.process_picture import _edges


@pytest.mark.parametrize("name", DOMAINS)
def test_every_domain_can_be_drawn(name, tmp_path):
    save_process_picture(nm.domain(name), tmp_path / "picture.svg", title=name)
    assert (tmp_path / "picture.svg").read_text().count("<path") > 20


def test_a_process_of_one_state_can_be_drawn(tmp_path):
    process = nm.RegularProcess.from_outcomes(
        "only", ["go"], lambda s, a: [(1.0, "o", 1.0, s)], stop=0.5
    )
    save_process_picture(process, tmp_path / "one.png")
    assert (tmp_path / "one.png").stat().st_size > 1000


def test_edges_say_what_happens_and_what_is_optimal():
    edges = _edges(nm.domain("rotating_mab", k=2))
    assert edges[0, 1].lines == [
        ("0 → win, 100 (90%)", True),
        ("1 → win, 100 (20%)", False),
    ]
    assert not _edges(nm.domain("malfunction_mab"))[0, 0].optimal


def test_rings_keep_states_apart():
    places = place_on_ring(8, longest_label=20)
    gaps = [abs(places[i] - places[j]).max() for i in range(8) for j in range(i)]
    assert min(gaps) > 0.5


def test_long_graphs_go_on_in_the_next_band():
    places = place_in_columns(0, [(i, i + 1) for i in range(40)])
    assert max(x for x, _ in places.values()) < 40
    assert len({tuple(place) for place in places.values()}) == 41


def test_pictures_have_a_format(tmp_path):
    with pytest.raises(InvalidParameterError, match="must end in one of png, svg, pdf"):
        save_process_picture(nm.domain("cheat_mab"), tmp_path / "picture.docx")


def test_columns_follow_the_distance_from_the_start():
    places = place_in_columns(0, [(0, 1), (0, 2), (1, 3), (3, 0), (5, 6)])
    assert set(places) == {0, 1, 2, 3}
    assert places[1][0] == places[2][0] > places[0][0]
    assert places[3][0] > places[1][0]
