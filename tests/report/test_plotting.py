"""Looks, axes and files that all figures share."""

import itertools
import re
import struct
import zlib
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pytest

from nonmarkov.report.plotting import (
    LOOKS,
    looks_of,
    new_figure,
    paper_style,
    put_legend,
    save_figure,
    say,
    short_number,
    use_log_scale,
)
from nonmarkov.training.methods import METHODS


def test_every_method_has_its_own_look_in_a_fixed_order():
    assert list(LOOKS) == ["apart", "paper", "random-sampling", "rmax", "oracle"]
    assert set(LOOKS) == set(METHODS)
    for field in ("label", "colour", "dashes", "marker"):
        assert len({getattr(look, field) for look in LOOKS.values()}) == len(LOOKS)
    assert [look.colour for look in LOOKS.values()] == [
        *("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#444b55")
    ]


def test_the_order_does_not_depend_on_what_was_found_first():
    assert list(looks_of(["oracle", "new", "apart", "another", "paper"])) == [
        *("apart", "paper", "oracle", "another", "new")
    ]
    others = looks_of(["new", "another"])
    assert len({look.colour for look in others.values()} - {None}) == 2
    assert others["new"].label == "new"


# What is left of linear RGB without one kind of cones (Machado, Oliveira and Fernandes, 2009).
PROTAN = ((0.152, 1.053, -0.205), (0.115, 0.786, 0.099), (-0.004, -0.048, 1.052))
DEUTAN = ((0.367, 0.861, -0.228), (0.280, 0.673, 0.047), (-0.012, 0.043, 0.969))
TRITAN = ((1.256, -0.077, -0.179), (-0.078, 0.931, 0.148), (0.005, 0.691, 0.304))
SEEN = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
XYZ = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))


def lab(colour, vision):
    """Return CIE L*a*b* of a colour as somebody sees it: distances there are what eyes notice."""
    rgb = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    xyz = np.array(XYZ) @ np.clip(np.array(vision) @ linear, 0, 1) / (0.9505, 1.0, 1.089)
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("vision", [SEEN, PROTAN, DEUTAN, TRITAN])
def test_colours_differ_for_every_kind_of_colour_vision(vision):
    seen = [lab(look.colour, vision) for look in LOOKS.values()]
    for first, second in itertools.combinations(seen, 2):
        assert np.linalg.norm(first - second) > 15


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)
def test_colours_are_dark_enough_for_white_paper(look):
    assert lab(look.colour, SEEN)[0] < 65


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0"), (0.2, "0.2"), (500, "500"), (20_000, "20k"), (1.5e6, "1.5M")]
)
def test_numbers_are_short(number, text):
    assert short_number(number) == text


def check_png(data):
    """Walk through the chunks of a PNG file and return its width in pixels."""
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    place, kinds = 8, []
    while place < len(data):
        (length,) = struct.unpack(">I", data[place : place + 4])
        kind, body = data[place + 4 : place + 8], data[place + 8 : place + 8 + length]
        (check,) = struct.unpack(">I", data[place + 8 + length : place + 12 + length])
        assert check == zlib.crc32(kind + body)
        kinds.append(kind)
        place += 12 + length
    assert (kinds[0], kinds[-1]) == (b"IHDR", b"IEND")
    return struct.unpack(">I", data[16:20])[0]


def draw(folder, name="figure"):
    with paper_style():
        figure = new_figure(2.0)
        say(figure.subplots(), "nothing to see")
        return save_figure(figure, folder, name, "A title")


def test_figures_are_written_as_png_and_svg(tmp_path):
    png, svg = draw(tmp_path / "new" / "folder")
    assert (png.name, svg.name) == ("figure.png", "figure.svg")
    assert sorted(png.parent.iterdir()) == [png, svg]
    assert check_png(png.read_bytes()) == 2100
    assert ElementTree.fromstring(svg.read_text()).tag.endswith("svg")
    assert "<!-- nothing to see -->" in svg.read_text()


def test_no_date_and_no_version_is_written(tmp_path):
    for path in draw(tmp_path):
        data = path.read_bytes()
        assert b"A title" in data
        assert mpl.__version__.encode() not in data
        assert re.search(rb"dc:date|20\d\d-\d\d-\d\d", data) is None


def test_the_settings_of_users_change_nothing_and_stay(tmp_path):
    before = [path.read_bytes() for path in draw(tmp_path)]
    with mpl.rc_context({"font.size": 20.0, "axes.facecolor": "red", "svg.hashsalt": "other"}):
        after = [path.read_bytes() for path in draw(tmp_path)]
        assert mpl.rcParams["font.size"] == 20.0
    assert before == after


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (10.0, 1e6, ["$\\mathdefault{10^{3}}$", "$\\mathdefault{10^{4}}$"]),
        (0.2, 0.6, ["0.2", "0.5"]),
        (8.0, 64.0, ["10", "20", "50"]),
    ],
)
def test_logarithmic_axes_have_labels_whatever_they_span(low, high, expected):
    with paper_style():
        figure = new_figure(2.0)
        axes = figure.subplots()
        use_log_scale(axes, "y")
        axes.set_ylim(low, high)
        figure.draw_without_rendering()
        labels = [*axes.get_yticklabels(minor=False), *axes.get_yticklabels(minor=True)]
        texts = [text.get_text() for text in labels]
    assert set(expected) <= set(texts)


@pytest.mark.parametrize("number", range(1, 9))
def test_legends_are_read_along_rows(number):
    from matplotlib.lines import Line2D

    with paper_style():
        figure = new_figure(2.0)
        figure.subplots()
        put_legend(figure, [Line2D([], [], label=str(place)) for place in range(number)])
        figure.draw_without_rendering()
        (legend,) = figure.legends
        boxes = {text.get_text(): text.get_window_extent() for text in legend.get_texts()}
    order = sorted(boxes, key=lambda text: (-round(boxes[text].y0), boxes[text].x0))
    assert order == [str(place) for place in range(number)]


def test_no_legend_without_anything_to_explain():
    figure = new_figure(2.0)
    put_legend(figure, [])
    assert figure.legends == []
