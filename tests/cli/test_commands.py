"""The command line: tables, JSON, pictures, and one line for a mistake."""

import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

import nonmarkov as nm
from nonmarkov.cli.main import cli
from nonmarkov.cli.main import run as run_command
from nonmarkov.domains import DOMAINS


def invoke(*arguments):
    result = CliRunner().invoke(cli, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return result.output


def run(*arguments, **options):
    """The installed command, as a user runs it."""
    command = [sys.executable, "-m", "nonmarkov", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def test_domains_are_listed_for_people():
    text = invoke("domains")
    for name, kind in DOMAINS.items():
        assert name in text
        assert kind.summary() in text
    assert "17.5862" in text


def test_domains_are_listed_for_programs():
    listed = json.loads(invoke("domains", "--json"))
    assert [entry["name"] for entry in listed] == list(DOMAINS)
    maze = next(entry for entry in listed if entry["name"] == "rotating_maze")
    assert maze["parameters"]["goal"] == [2, 3]
    assert maze["summary"]
    assert maze["states"] == 61
    assert maze["optimal_score"] == nm.domain("rotating_maze").optimal_score


def test_solve_prints_exact_values():
    text = invoke("solve", "rotating_maze", "--k", 3)
    assert "181" in text
    assert "68.4341" in text
    assert "17.5862" in text


def test_solve_speaks_json():
    result = json.loads(invoke("solve", "enemy_corridor", "--k", 8, "--json"))
    process = nm.domain("enemy_corridor", k=8)
    assert result["domain"] == "enemy_corridor"
    assert result["states"] == result["minimal_states"] == 16
    assert result["optimal_value"] == process.optimal_value
    assert result["optimal_score"] == process.optimal_score
    assert result["parameters"]["horizon"] == 10


@pytest.mark.parametrize(
    ("assignment", "parameters"),
    [
        ("win_probabilities=0.6,0.4", {"win_probabilities": (0.6, 0.4)}),
        ("win_probabilities=[0.6, 0.4]", {"win_probabilities": (0.6, 0.4)}),
        ("win_probabilities=(0.6, 0.4)", {"win_probabilities": (0.6, 0.4)}),
        ("reward=7", {"reward": 7}),
        ("stop=0.25", {"stop": 0.25}),
    ],
)
def test_any_parameter_can_be_set(assignment, parameters):
    result = json.loads(invoke("solve", "rotating_mab", "--set", assignment, "--json"))
    assert result["optimal_value"] == nm.domain("rotating_mab", **parameters).optimal_value


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_solve_draws_a_picture(tmp_path, suffix):
    path = tmp_path / "new" / f"picture.{suffix}"
    text = invoke("solve", "malfunction_mab", "--picture", path)
    assert str(path) in text.replace("\n", "")
    assert path.stat().st_size > 5000


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["solve", "rotating_mase"], "Did you mean 'rotating_maze'?"),
        (["solve", "rotating_mab", "--k", "1"], "k must be at least 2, got 1."),
        (["solve", "rotating_mab", "--k", "x"], "'x' is not a valid integer"),
        (["solve", "rotating_mab", "--set", "k"], "--set takes NAME=VALUE, got 'k'."),
        (["solve", "rotating_mab", "--set", "horizn=3"], "Did you mean 'horizon'?"),
        (["solve", "rotating_mab", "--set", "reward=lots"], "reward must be a finite number"),
        (["solve", "rotating_mab", "--k", "3", "--set", "k=4"], "k is set twice."),
        (
            ["solve", "rotating_mab", "--k", "99999999999"],
            "k=99999999999 makes too large a process",
        ),
        (["solve", "rotating_mab", "--set", "reward=1e300"], "reward must lie between"),
        (["reproduce", "--quick", "--full"], "--quick and --full cannot both be done"),
        (["reproduce", "--full", "--quick"], "--quick and --full cannot both be done"),
        (["inspect", "missing"], "missing cannot be read: there is no such file."),
        (["train", "rotating_mab", "--out", "/proc/zz"], "/proc/zz cannot be written"),
        (["domains", "rotating_mob"], "Did you mean 'rotating_mab'?"),
        (["solve"], "Missing argument 'DOMAIN'"),
        (["slove"], "No such command 'slove'"),
        (["solve", "cheat_mab", "--picture", "/dev/null/x.png"], "/dev/null"),
        (["solve", "cheat_mab", "--picture", "picture.docx"], "docx"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(arguments, message, tmp_path):
    result = run(*arguments, cwd=tmp_path)
    assert result.returncode == 2
    assert result.stdout == ""
    assert message in result.stderr
    assert result.stderr.startswith("nonmarkov: ")
    assert result.stderr.count("\n") == 1
    assert "Errno" not in result.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (MemoryError(), "nonmarkov: There is not enough memory for this."),
        (
            PermissionError(13, "Permission denied", "secret"),
            "nonmarkov: secret: Permission denied.",
        ),
        (OSError("the cable is out"), "nonmarkov: the cable is out"),
    ],
)
def test_what_the_system_refuses_is_one_line_too(monkeypatch, capsys, error, message):
    def fail(**_):
        raise error

    monkeypatch.setattr(cli, "main", fail)
    with pytest.raises(SystemExit) as end:
        run_command()
    assert end.value.code == 2
    assert capsys.readouterr().err.startswith(message)


def test_success_is_exit_code_0():
    assert run("--version").stdout.strip().endswith(nm.__version__)
    assert run("--help").returncode == 0
    assert run("solve", "cheat_mab", "--json").returncode == 0


@pytest.mark.parametrize("arguments", [[], ["bench"]])
def test_without_a_command_it_shows_help(arguments):
    result = run(*arguments)
    assert result.stdout.startswith("Usage:")
    assert "Commands:\n" in result.stdout


def test_data_sheets_are_shown():
    text = invoke("domains", "flickering_grid")
    assert text.startswith("Flickering Grid:")
    assert "\nhidden state  the cell" in text


def test_a_missing_extra_is_named(tmp_path):
    """Hide matplotlib: the command says what to install."""
    program = (
        "import sys; sys.modules['matplotlib'] = None; sys.argv[1:] = "
        "['solve', 'cheat_mab', '--picture', 'x.png'];"
        "from nonmarkov.cli.main import run; run()"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert result.returncode == 2
    assert "pip install matplotlib" in result.stderr
