"""`nonmarkov train` in environments of Gymnasium."""

import json
import sys

import pytest

from nonmarkov.cli import main

LAKE = ("FrozenLake-v1", "--set", "is_slippery=false", "--episodes", 40)


@pytest.fixture
def train(monkeypatch, capsys):
    """Run the command; return exit code, standard output and standard error."""

    def train(*arguments):
        monkeypatch.setattr(sys, "argv", ["nonmarkov", "train", *map(str, arguments)])
        with pytest.raises(SystemExit) as end:
            main.run()
        captured = capsys.readouterr()
        return end.value.code, captured.out, captured.err

    return train


def test_people_see_the_curve_and_what_the_certificate_depends_on(train, tmp_path):
    code, output, errors = train(*LAKE, "--out", tmp_path)
    assert (code, errors) == (0, "")
    assert "FrozenLake-v1, method apart" in output
    assert "score: " in output
    assert "discounted" in output
    assert {path.name for path in tmp_path.iterdir()} >= {"result.json", "abstraction.json"}


def test_programs_get_the_keys_of_the_contract(train):
    code, output, _ = train(*LAKE, "--json")
    content = json.loads(output)
    assert code == 0
    assert content["domain"] == "FrozenLake-v1"
    assert content["parameters"] == {"is_slippery": False}
    assert content["optimal_score"] is None
    assert 0.0 <= content["score"] <= 1.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("FrozenLake-v999",), "Gymnasium knows no environment 'FrozenLake-v999'"),
        (("no_such_module:Lake-v1",), "needs a module that is missing"),
        (("FrozenLake-v1", "--set", "depth=3"), "cannot be made"),
        (("CartPole-v1",), "nm.Discretize"),
        (("FrozenLake-v1", "--method", "paper"), 'only method="apart" works'),
        (("FrozenLake-v1", "--max-steps", 0), "max_steps must be at least 1"),
        (("FrozenLake-v1", "--workers", 0), "workers must be at least 1"),
        (("rotating_mab", "--workers", 2), "workers is for environments"),
        (("rotating_mob",), "rotating_mab"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(train, arguments, message):
    code, output, errors = train(*arguments)
    assert (code, output) == (2, "")
    assert message in errors
    assert errors.count("\n") == 1
    assert "Traceback" not in errors
