"""The page as a reader has it: in a browser, from a file and live."""

import re
import shutil
import threading
import time

import pytest

from nonmarkov.report.live import LiveServer
from nonmarkov.report.page import write_report
from tests.report.run_folders import (
    grid_snapshot,
    make_snapshot,
    make_spec,
    write_curve,
    write_lines,
    write_result,
    write_run,
)

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
NASTY = (
    "<img src=x onerror=\"document.title='broken'\">'\"</script><script>window.broken=1</script>"
)


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="NO BROWSER TESTS: pip install playwright"
    )
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip(f"NO BROWSER TESTS: none of {', '.join(BROWSERS)} is installed")
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield opened
        opened.close()


class Reader:
    """A page, and everything that went wrong in it."""

    def __init__(self, page):
        self.page = page
        self.complaints, self.requests = [], []
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))

    def open(self, address):
        self.page.goto(str(address))
        self.page.wait_for_selector("#run-body > *, #run-body .quiet")
        return self.page


@pytest.fixture
def reader(browser):
    context = browser.new_context(viewport={"width": 1200, "height": 900})
    context.set_default_timeout(10_000)
    one = Reader(context.new_page())
    yield one
    context.close()
    assert one.complaints == []


@pytest.fixture
def report(tmp_path, reader):
    """A report with three configurations, opened from its file."""
    for seed in (0, 1):
        write_run(tmp_path, make_spec(seed=seed), score=0.8 + 0.1 * seed)
        write_run(tmp_path, make_spec(method="paper", seed=seed), score=0.5, seconds=20.0)
    write_run(tmp_path, make_spec(k=3), score=0.7)
    maze = make_spec("rotating_maze", k=1)
    write_run(tmp_path, maze, snapshots=[grid_snapshot(10)], complete=False)
    path = write_report(tmp_path)
    page = reader.open(path.as_uri())
    page.wait_for_selector(".graph .node")
    return page


def column(page, number):
    cells = page.locator(f"#summary-body table >> nth=0 >> tbody td:nth-child({number})")
    return cells.all_inner_texts()


def test_it_opens_from_a_file_without_errors_or_requests(report, reader):
    assert [address for address in reader.requests if not address.startswith("file:")] == []
    assert len(reader.requests) == 1
    assert "6 runs · 1 running" in report.inner_text("#about")


def test_headers_sort(report):
    assert column(report, 3) == ["apart", "paper", "apart", "apart"]
    assert column(report, 2) == ["2", "2", "3", "1"]
    header = report.get_by_role("button", name="score", exact=True)
    header.click()
    ascending = [float(words.split()[0]) for words in column(report, 5)]
    assert ascending == sorted(ascending)
    assert report.locator("th[aria-sort=ascending]").first.inner_text().startswith("score")
    report.keyboard.press("Enter")  # the header still has the focus
    descending = [float(words.split()[0]) for words in column(report, 5)]
    assert descending == sorted(ascending, reverse=True)


def test_the_summary_is_right(report):
    row = report.locator("#summary-body tbody tr").first.inner_text()
    assert "0.85 (0.8 to 0.9)" in row
    assert "85.0 %" in row
    assert "3 (3) ✓" in row
    assert "400" in row
    assert "1.5 s" in row


def test_the_filter_filters(report):
    report.fill("#filter", "paper k=2")
    assert column(report, 3) == ["paper"]


def test_methods_can_be_hidden(report):
    lines = report.locator(".chart").first.locator(".curve")
    assert lines.count() == 2
    toggle = report.locator(".toggle[data-method=paper]")
    toggle.click()
    assert toggle.get_attribute("aria-pressed") == "false"
    assert lines.count() == 1
    assert lines.first.get_attribute("data-method") == "apart"
    toggle.press("Space")
    assert lines.count() == 2


def test_the_axis_changes(report):
    line = report.locator(".chart .curve").first
    before = line.get_attribute("d")
    report.locator("select[name='episodes axis']").select_option("linear")
    assert line.get_attribute("d") != before
    assert report.locator(".chart .goal").count() == 3


def test_hovering_and_arrow_keys_read_values(report):
    chart = report.locator(".chart").first
    chart.locator("svg").hover(position={"x": 500, "y": 100})
    assert re.search(r"1,000 episodes.*apart\s*0.85 \(0.8 to 0.9\)", chart.inner_text(), re.DOTALL)
    report.mouse.move(0, 0)
    assert not chart.locator(".readout").is_visible()
    chart.locator("svg").focus()
    report.keyboard.press("ArrowRight")
    assert "0 episodes" in chart.locator(".readout").inner_text()
    report.keyboard.press("ArrowRight")
    assert "100 episodes" in chart.locator(".readout").inner_text()


def test_the_slider_shows_the_automaton_grow(report):
    assert report.locator(".node.safe").count() == 3
    slider = report.locator("#snapshot")
    places = {
        n.get_attribute("data-key"): n.get_attribute("transform")
        for n in report.locator(".node").all()
    }
    slider.focus()
    report.keyboard.press("Home")
    assert report.locator(".node.safe").count() == 1
    assert "100 episodes" in report.inner_text("#snapshot-text")
    report.keyboard.press("ArrowRight")
    assert report.locator(".node.safe").count() == 2
    for node in report.locator(".node").all():
        key = node.get_attribute("data-key")
        if key in places:
            assert node.get_attribute("transform") == places[key], "a state jumped"


def test_playing_goes_to_the_end(report):
    report.locator("#snapshot").fill("0")
    report.click("#play")
    report.wait_for_selector("#snapshot-text:has-text('3 of 3')")


def test_states_and_edges_have_shapes_labels_and_evidence(report):
    assert report.locator(".node.safe circle").count() == 3
    assert report.locator(".node.candidate rect").count() == 1
    # Two labels between the same states are one line with two lines of text.
    assert report.locator(".edge").count() == 7
    assert "left / win / 1 · 0.50" in report.locator(".labels").text_content()
    report.locator(".node.start").click()
    details = report.locator(".inspector")
    assert "State 0" in details.inner_text()
    assert re.search(r"visits\s+100", details.inner_text())
    report.locator(".edge").first.focus()
    assert re.search(r"passed\s+\d+ times", details.inner_text())


def test_the_automaton_can_be_read_with_the_keyboard_alone(report):
    report.locator(".graph").focus()
    report.keyboard.press("Tab")
    assert "From state" in report.locator(".inspector").inner_text()
    first = report.locator(".inspector h3").inner_text()
    report.keyboard.press("ArrowRight")
    assert report.locator(".inspector h3").inner_text() != first
    report.keyboard.press("Tab")
    assert report.locator(".inspector h3").inner_text().startswith("State 0")
    name = report.evaluate("document.activeElement.getAttribute('aria-label')")
    assert name == "State 0, safe, start, policy ←, 100 visits"
    moved = set()
    for key in ("ArrowRight", "ArrowDown", "ArrowUp", "ArrowLeft"):
        report.keyboard.press(key)
        moved.add(report.locator(".inspector h3").inner_text())
    assert len(moved) > 1


def test_events_lead_to_their_snapshot(report):
    rows = report.locator("#events-body tbody tr")
    assert rows.count() == 2
    rows.nth(1).get_by_role("button").click()
    assert report.locator("#snapshot").input_value() == "1"
    report.locator("#events-body select").select_option("merge")
    assert rows.count() == 1


def test_grids_are_drawn_as_grids(report):
    report.locator("#pick-configuration").select_option(label="rotating_maze, k=1")
    report.wait_for_selector(".cell")
    assert report.locator(".cell").count() == 16
    assert "cell never seen" in report.locator(".graph").text_content()
    boxes = [report.locator(".node .shape").nth(i).bounding_box() for i in range(2)]
    assert boxes[1]["y"] < boxes[0]["y"]  # (0, 1) is above (0, 0)
    assert abs(boxes[1]["x"] - boxes[0]["x"]) < 2
    focused = "document.activeElement.name"
    report.locator("select[name=view]").focus()
    report.locator("select[name=view]").select_option("graph")
    assert report.evaluate(focused) == "view"
    assert report.locator(".cell").count() == 0
    assert report.locator(".node").count() == 3


def test_a_large_automaton_can_be_searched_grouped_and_narrowed(tmp_path, reader):
    write_run(tmp_path, make_spec(), snapshots=[make_snapshot(200, 10, n_candidates=30)])
    page = reader.open(write_report(tmp_path).as_uri())
    page.wait_for_selector(".graph .node")
    assert page.locator(".node").count() == 230  # a candidate each: no groups
    page.fill("#search", "137")
    assert page.locator(".node.match").count() == 1
    page.press("#search", "Enter")
    assert "State 137" in page.inner_text(".inspector")
    page.get_by_role("button", name="Show only its neighbourhood").click()
    assert page.locator(".node").count() == 3
    page.locator("select[name=neighbourhood]").select_option("2")
    assert page.locator(".node").count() == 5
    page.click("#show-all")
    page.locator("select[name=group]").select_option("distance")
    assert page.locator(".node").count() < 205
    page.locator("select[name=group]").select_option("observation")
    assert 2 <= page.locator(".node").count() <= 40
    page.locator(".node.group").first.press("Enter")
    before = page.locator(".graph > g").get_attribute("transform")
    page.get_by_role("button", name="Zoom in").click()
    assert page.locator(".graph > g").get_attribute("transform") != before


def test_nothing_written_in_a_run_can_do_anything(tmp_path, reader):
    spec = make_spec(method=NASTY, settings={NASTY: NASTY})
    snapshot = make_snapshot(2, 10, observation=NASTY, actions=(NASTY, "b"))
    write_run(
        tmp_path, spec, snapshots=[snapshot], events=[{"episode": 1, "kind": NASTY, "text": NASTY}]
    )
    stray = tmp_path / "runs" / "<img src=x onerror=window.broken=1>"
    stray.mkdir()
    (stray / "spec.json").write_text("{")
    page = reader.open(write_report(tmp_path).as_uri())
    page.wait_for_selector(".graph .node")
    page.locator(".node").first.click()
    page.locator(".edge").first.focus()
    page.locator(".chart svg").first.hover()
    assert page.evaluate("window.broken") is None
    assert page.evaluate("document.images.length") == 0
    assert page.evaluate("document.scripts.length") == 2
    assert NASTY in page.inner_text("#summary-body")
    assert "<img src=x" in page.inner_text("#problems")
    assert page.title().startswith("nonmarkov runs")


def test_dark_and_light_can_be_chosen(report):
    colour = "getComputedStyle(document.body).backgroundColor"
    light = report.evaluate(colour)
    report.click("#theme")
    assert report.evaluate(colour) == light
    report.click("#theme")
    assert report.evaluate("document.documentElement.dataset.theme") == "dark"
    assert report.evaluate(colour) != light
    report.emulate_media(media="print")
    assert report.evaluate(colour) == "rgb(255, 255, 255)"


@pytest.mark.parametrize("width", [320, 390, 768])
def test_a_small_screen_needs_no_sideways_scrolling(report, width):
    report.set_viewport_size({"width": width, "height": 800})
    report.wait_for_timeout(100)
    assert report.evaluate("document.documentElement.scrollWidth") <= width


@pytest.fixture
def live(tmp_path):
    with LiveServer(tmp_path, 0) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_news_arrive_by_themselves(tmp_path, live, reader):
    page = reader.open(live.url)
    page.wait_for_selector("text=live")
    assert "no runs in this folder yet" in page.inner_text("#summary-body")

    spec = make_spec()
    place = write_run(tmp_path, spec, complete=False, snapshots=[make_snapshot(1, 10)])
    page.wait_for_selector("#summary-body tbody tr")
    page.wait_for_selector(".graph .node")
    assert page.locator(".node").count() == 1
    assert "1 running" in page.inner_text("#summary-body")
    assert page.locator(".chart .curve").count() == 1
    before = page.locator(".chart .curve").get_attribute("d")

    page.locator(".node").first.focus()
    write_curve(place / "curve.csv", [(0, 0.1), (100, 0.2), (500, 0.9), (900, 0.95)])
    write_lines(place / "snapshots.jsonl", [make_snapshot(n, 10 * n) for n in (1, 2, 3, 4)])
    page.wait_for_selector("#snapshot-text:has-text('4 of 4')")
    assert page.locator(".node").count() == 4
    assert page.locator(".chart .curve").get_attribute("d") != before
    name = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert name.startswith("State 0"), "news must not take the focus away"

    write_result(place, spec, 0.9, 2.0)
    page.wait_for_selector("#run-body >> text=complete")
    assert all(address.startswith(live.url) for address in reader.requests)


def test_a_lost_server_is_told(tmp_path, reader):
    write_run(tmp_path, make_spec())
    with LiveServer(tmp_path, 0) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        page = reader.open(server.url)
        page.wait_for_selector("text=live")
        server.shutdown()
        thread.join()
    time.sleep(0.1)
    page.wait_for_selector("text=no connection")
    assert page.locator(".graph .node").count() > 0
    reader.complaints = [c for c in reader.complaints if "ERR_" not in c]
