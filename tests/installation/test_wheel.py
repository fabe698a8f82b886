"""The wheel: what it contains, and that it works where nothing else is installed."""

import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    (path,) = folder.glob("*.whl")
    return path


def test_it_contains_only_the_package(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"nonmarkov"}
    assert "nonmarkov/py.typed" in names
    assert not [name for name in names if "__pycache__" in name or name.endswith((".nbi", ".nbc"))]
    packaged = {name for name in names if name.endswith(".py")}
    sources = {str(p.relative_to(ROOT / "src")) for p in (ROOT / "src").rglob("*.py")}
    assert packaged == sources
    page = (ROOT / "src" / "nonmarkov" / "report" / "page").iterdir()
    assert {f"nonmarkov/report/page/{path.name}" for path in page} <= set(names)


def test_its_console_script_works_in_an_empty_environment(wheel, tmp_path):
    venv.create(tmp_path / "env", with_pip=False)
    binaries = tmp_path / "env" / "bin"
    install = [sys.executable, "-m", "pip", "--python", binaries / "python", "install", wheel]
    subprocess.run(install, check=True, capture_output=True)
    solve = [binaries / "nonmarkov", "solve", "rotating_maze", "--k", "3", "--json"]
    output = subprocess.check_output(solve, text=True, cwd=tmp_path)
    assert '"states": 181' in output
    play = "import nonmarkov as nm; print(len(nm.domain('cheat_mab').sample(5)))"
    output = subprocess.check_output([binaries / "python", "-c", play], text=True, cwd=tmp_path)
    assert output.strip() == "5"
