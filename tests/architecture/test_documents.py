"""What the documents say is true: their examples run, their links lead somewhere."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import nonmarkov as nm

ROOT = Path(__file__).parents[2]
DOCUMENTS = (
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    *(str(page.relative_to(ROOT)) for page in sorted((ROOT / "docs").rglob("*.md"))),
)


def blocks(document):
    text = (ROOT / document).read_text()
    return [
        re.sub(rf"^{indent}", "", code, flags=re.MULTILINE)
        for indent, code in re.findall(
            r"^( *)```python\n(.*?)^ *```", text, re.MULTILINE | re.DOTALL
        )
    ]


@pytest.mark.parametrize("number", range(2))
def test_the_examples_of_the_readme_run(number):
    code = blocks("README.md")[number]
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout.count("\n") >= 4


def test_the_readme_has_no_other_examples():
    assert len(blocks("README.md")) == 2


def test_the_example_of_an_environment_runs():
    (code,) = blocks("docs/environments.md")
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("1.0 ")
    assert run.stdout.endswith("\n1\n")


def test_the_domain_of_the_contributing_recipe_conforms(tmp_path, monkeypatch):
    code, _ = blocks("CONTRIBUTING.md")
    (tmp_path / "broken_switch.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    from broken_switch import BrokenSwitch

    from nonmarkov.testing import check_domain

    check_domain(BrokenSwitch)
    check_domain(BrokenSwitch, k=3)
    assert BrokenSwitch(k=3).build().n_states == 6


def test_the_planner_of_the_contributing_recipe_learns():
    _, code = blocks("CONTRIBUTING.md")
    scope = {}
    exec(code, scope)
    agent = nm.Agent(nm.domain("rotating_mab"), "paper", planner=scope["Curious"]())
    assert agent.learn(20_000).score == pytest.approx(90.0)


def test_the_table_of_domains_is_what_the_command_computes():
    rows = re.findall(
        r"^\| (\w+) \| (.*\d\.\d{4}) \|$", (ROOT / "README.md").read_text(), re.MULTILINE
    )
    solved = [(name, cells) for name, cells in rows if cells.count("|") == 6]
    assert len([row for row in solved if "," not in row[1]]) >= 7
    for name, cells in solved:
        if "," in cells:
            continue  # the table of speeds
        process = nm.domain(name)
        expected = (
            f"{nm.domains()[name]['k']} | {process.n_states} | {len(process.actions)} | "
            f"{len(process.observations)} | {process.horizon} | {process.optimal_value:.4f} | "
            f"{process.optimal_score:.4f}"
        )
        assert cells == expected


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_lead_to_files(document):
    text = (ROOT / document).read_text()
    for target in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (ROOT / document).parent.joinpath(target).exists(), f"{document} points to {target}."


def test_every_package_is_in_the_architecture():
    text = (ROOT / "ARCHITECTURE.md").read_text()
    for path in (ROOT / "src" / "nonmarkov").iterdir():
        if path.is_dir() and (path / "__init__.py").exists():
            assert f"`{path.name}`" in text, f"{path.name} is missing in ARCHITECTURE.md."
