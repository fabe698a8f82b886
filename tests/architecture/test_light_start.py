"""Starting is cheap: heavy libraries are imported where they are used."""

import json
import subprocess
import sys

import pytest

HEAVY = {
    "gymnasium",
    "hypothesis",
    "llvmlite",
    "matplotlib",
    "numba",
    "pandas",
    "pytest",
    "ray",
    "rich",
    "scipy",
    "torch",
}


def imported_by(program):
    program += "; import sys, json; print(json.dumps(sorted(sys.modules)))"
    output = subprocess.check_output([sys.executable, "-c", program], text=True)
    return {name.partition(".")[0] for name in json.loads(output.splitlines()[-1])}


@pytest.mark.parametrize(
    "program",
    [
        "import nonmarkov",
        "import nonmarkov.cli.main",
        "import nonmarkov as nm; nm.domain('rotating_maze', k=3).optimal_score",
        "from nonmarkov.cli.main import cli; cli.main(['--help'], standalone_mode=False)",
    ],
)
def test_no_heavy_library_is_imported(program):
    assert imported_by(program) & HEAVY == set()


def test_the_test_can_fail():
    assert "numba" in imported_by("import nonmarkov as nm; nm.domain('cheat_mab').sample(1)")


def test_importing_pulls_in_few_modules():
    """Modules beyond those of numpy: a number that grows is a start that slows down."""
    program = "import numpy, sys; before = set(sys.modules); import nonmarkov; "
    program += "print(len(set(sys.modules) - before))"
    count = int(subprocess.check_output([sys.executable, "-c", program], text=True))
    assert count < 120
