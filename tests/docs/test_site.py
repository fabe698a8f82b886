"""The site builds without a warning, has the whole reference, loads nothing from elsewhere."""

import inspect
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import click
import pytest

import nonmarkov
from nonmarkov.cli.main import cli

ROOT = Path(__file__).parents[2]
ELSEWHERE = re.compile(r"^\s*(https?:)?//")
LOADING = {"src", "srcset", "poster", "data", "action"}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-d", folder / "trees"]
    build = [*map(str, command), str(ROOT / "docs"), str(folder / "html")]
    done = subprocess.run(build, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "html"


class Loaded(HTMLParser):
    """Collects what a browser loads for a page; links that one may click are not among it."""

    def __init__(self, text):
        super().__init__()
        self.addresses = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in LOADING or (name == "href" and tag == "link"):
                self.addresses.append(value or "")


def loaded_from_elsewhere(html):
    return [address for address in Loaded(html).addresses if ELSEWHERE.match(address)]


def test_pages_load_nothing_from_elsewhere(site):
    pages = list(site.rglob("*.html"))
    assert len(pages) > 20
    for page in pages:
        assert loaded_from_elsewhere(page.read_text()) == [], page.name


def test_style_sheets_load_nothing_from_elsewhere(site):
    for sheet in site.rglob("*.css"):
        asked = re.findall(r"(?:url\(|@import)\s*[\"']?([^\"')]+)", sheet.read_text())
        assert [address for address in asked if ELSEWHERE.match(address)] == [], sheet.name


def test_the_check_can_fail():
    assert loaded_from_elsewhere('<script src="https://cdn.example/x.js"></script>')
    assert loaded_from_elsewhere('<link rel="stylesheet" href="//fonts.example/a.css">')
    assert not loaded_from_elsewhere('<a href="https://example.org">read</a><img src="a.png">')


def test_every_public_name_is_in_the_reference(site):
    text = "".join(page.read_text() for page in (site / "reference").glob("*.html"))
    for name in nonmarkov.__all__:
        value = getattr(nonmarkov, name)
        anchor = f"module-{value.__name__}" if inspect.ismodule(value) else f"nonmarkov.{name}"
        assert f'id="{anchor}"' in text, f"{name} is on no page: see docs/tools/reference.py."


def commands(command, name):
    yield name, command
    if isinstance(command, click.Group):
        for below, inner in command.commands.items():
            yield from commands(inner, f"{name} {below}")


def test_every_command_and_option_is_in_the_reference(site):
    text = (site / "reference" / "command-line.html").read_text()
    described = dict(commands(cli, "nonmarkov"))
    assert len(described) > 10
    for name, command in described.items():
        assert f"<h2>{name}<" in text
        for option in (option for p in command.params for option in p.opts if option[:2] == "--"):
            assert option in text, f"{name} {option}"


def test_methods_of_bases_and_comments_of_fields_are_in_the_reference(site):
    assert (
        'id="nonmarkov.RegularProcess.from_outcomes"'
        in (site / "reference" / "core.html").read_text()
    )
    assert (
        "exact, of the greedy policy at the end"
        in (site / "reference" / "training.html").read_text()
    )


# --- in a browser ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="NO BROWSER TESTS: pip install playwright"
    )
    path = shutil.which("chromium")
    if path is None:
        pytest.skip("NO BROWSER TESTS: chromium is not installed")
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield opened
        opened.close()


def test_searching_works_from_files_alone(site, browser):
    page = browser.new_page()
    requests, complaints = [], []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("request", lambda request: requests.append(request.url))
    page.goto(f"{(site / 'search.html').as_uri()}?q=certificate")
    page.wait_for_selector("#search-results li a")
    found = page.locator("#search-results li a").all_inner_texts()
    assert any("Certificates" in title for title in found)
    assert complaints == []
    assert requests
    assert all(address.startswith(("file:", "data:")) for address in requests)
    page.close()


@pytest.mark.parametrize("name", ["index", "tutorial", "fidelity", "reference/core", "apart"])
def test_no_page_is_wider_than_a_phone(site, browser, name):
    page = browser.new_page(viewport={"width": 390, "height": 800})
    page.goto((site / f"{name}.html").as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.close()
