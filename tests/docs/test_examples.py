"""Every example of every page runs, and prints what the page says."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docs.tools.examples import agrees, read_blocks, run_page

DOCS = Path(__file__).parents[2] / "docs"
PAGES = [page for page in sorted(DOCS.rglob("*.md")) if read_blocks(page)]
SLOW = [page for page in PAGES if any(block.is_slow for block in read_blocks(page))]
UNSEEN = {"py", "python3", "pycon", "sh", "shell", "bash"}  # nobody would run these


def name(page):
    return str(page.relative_to(DOCS))


def check(page, slow):
    for block, said, printed in run_page(page, slow=slow):
        if said is not None:
            assert agrees(printed, said.code), f"line {block.line} prints\n{printed}"


@pytest.fixture
def empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")


@pytest.mark.usefixtures("empty_folder")
@pytest.mark.parametrize("page", PAGES, ids=name)
def test_the_examples_of_a_page_print_what_it_says(page):
    check(page, slow=False)


@pytest.mark.slow
@pytest.mark.usefixtures("empty_folder")
@pytest.mark.parametrize("page", SLOW, ids=name)
def test_the_slow_examples_do_too(page):
    check(page, slow=True)


def test_examples_are_of_a_kind_that_is_run():
    for page in PAGES:
        kinds = {block.kind.lower() for block in read_blocks(page)}
        assert not kinds & UNSEEN, f"{name(page)}: write python, or console with $ before commands."


def test_there_are_many_examples():
    run = [block for page in PAGES for block in read_blocks(page) if block.kind == "python"]
    assert len(run) > 30
    assert all(block.is_possible or block.note.startswith("needs ") for block in run)


def write(folder, text):
    page = folder / "page.md"
    page.write_text(text)
    return page


def test_a_wrong_example_is_noticed(tmp_path):
    page = write(tmp_path, "```python\nx = 2\n```\n\n```python\nprint(x)\n```\n\n```text\n3\n```\n")
    with pytest.raises(AssertionError, match="line 5 prints"):
        check(page, slow=False)


def test_an_error_names_the_line_of_the_page(tmp_path):
    page = write(tmp_path, "# Page\n\n```python\nx = 1\nx / 0\n```\n")
    with pytest.raises(ZeroDivisionError) as error:
        check(page, slow=False)
    assert (error.traceback[-1].path, error.traceback[-1].lineno + 1) == (page, 5)


@pytest.mark.usefixtures("empty_folder")
def test_blocks_share_a_folder_and_may_write_modules(tmp_path):
    writing = "<!-- file: a_module_of_this_page.py -->\n```python\nx = 7\n```\n\n"
    page = write(
        tmp_path, writing + "```python\nimport a_module_of_this_page as m\nprint(m.x)\n```\n"
    )
    assert [printed for _, _, printed in run_page(page)] == ["", "7\n"]


def test_slow_and_impossible_blocks_wait(tmp_path):
    slow = "<!-- slow -->\n```python\nprint(1)\n```\n\n"
    impossible = "<!-- needs no_such_module -->\n```python\n1 / 0\n```\n"
    page = write(tmp_path, slow + impossible)
    assert list(run_page(page)) == []
    assert [printed for _, _, printed in run_page(page, slow=True)] == ["1\n"]


def test_a_command_that_fails_is_noticed(tmp_path):
    page = write(tmp_path, "```console\n$ nonmarkov solve no_such_domain\n```\n")
    with pytest.raises(ValueError, match="ended with 2"):
        check(page, slow=False)


@pytest.mark.parametrize(
    ("printed", "said", "same"),
    [
        ("score 90.0\n", "score 90.0\n", True),
        ("score 91.5\n", "score 90.0\n", True),
        ("score 30.0\n", "score 90.0\n", False),
        ("scores 90.0\n", "score 90.0\n", False),
        ("True\n", "False\n", False),
        ("(0, 1) 1,100 of it;\n", "(0, 1) 1,200 of it;\n", True),
        ("(0, 2)\n", "(0, 1)\n", False),
        ("3 runs done in 5 s, failed\n", "3 runs ... failed\n", True),
        ("3 runs done in 5 s, failed\n", "3 runs ... fine\n", False),
        ("a\nb\n", "a\n", False),
        ("", "a\n", False),
        ("(55% of it)\n", "(99% of it)\n", False),
    ],
)
def test_words_must_agree_and_numbers_nearly(printed, said, same):
    assert agrees(printed, said) is same


@given(st.text() | st.text("0123456789.,e+- \n"))
def test_every_text_agrees_with_itself(text):
    assert agrees(text, text)


@given(st.text(), st.integers(1, 1000))
def test_no_text_agrees_with_one_in_which_a_number_is_another(text, number):
    assert not agrees(f"{text} {2 * number}", f"{text} {number}")
