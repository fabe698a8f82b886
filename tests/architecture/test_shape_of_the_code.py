"""House rules that no linter knows."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "src").rglob("*.py"))
LONGEST_FILE = 350
LONGEST_FUNCTION = 45
VAGUE_NAMES = {"utils", "util", "helpers", "helper", "common", "misc", "base", "manager"}


def test_there_is_something_to_look_at():
    assert len(SOURCES) > 40


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT / "src")))
def test_every_file_has_one_small_job(path):
    lines = path.read_text().splitlines()
    assert len(lines) <= LONGEST_FILE, f"{path.name} has {len(lines)} lines; split it."
    assert path.stem not in VAGUE_NAMES, f"{path.name}: name the job, not the drawer."
    assert lines[0].startswith('"""'), f"{path.name} does not begin by saying what it is for."


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT / "src")))
def test_functions_are_small(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef):
            length = node.end_lineno - node.lineno + 1
            assert length <= LONGEST_FUNCTION, f"{path.name}: {node.name} has {length} lines."


def test_the_makefile_targets_exist():
    makefile = (ROOT / "Makefile").read_text()
    for target in ("demo", "test", "setup", "check", "test-slow", "bench", "docs", "clean"):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), f"make {target} is missing."
    assert "make check" in (ROOT / ".ci" / "run").read_text()
