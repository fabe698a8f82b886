"""`nonmarkov train`: what it prints and writes, and mistakes."""

import json
import re
import subprocess
import sys
import time

import pytest

import nonmarkov as nm
from nonmarkov.cli import main
from nonmarkov.cli.train import DEFAULT_EPISODES, MOST_ROWS
from nonmarkov.training import METHODS, Agent

CONTRACT = {
    "domain": str,
    "parameters": dict,
    "method": str,
    "seed": int,
    "episodes": int,
    "states": int,
    "score": float,
    "optimal_score": float,
    "seconds": float,
    "episodes_per_second": float,
    "curve": list,
}


@pytest.fixture
def call(monkeypatch, capsys):
    """Run the command in this process; return exit code, standard output and standard error."""

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["nonmarkov", *map(str, arguments)])
        with pytest.raises(SystemExit) as end:
            main.run()
        captured = capsys.readouterr()
        return end.value.code, captured.out, captured.err

    return call


@pytest.fixture
def train(call):
    """Train, which must work without a word on standard error; return standard output."""

    def train(*arguments):
        paper = () if "--method" in arguments else ("--method", "paper")
        code, output, errors = call("train", *arguments, *paper)
        assert (code, errors) == (0, "")
        return output

    return train


@pytest.fixture
def train_json(train):
    return lambda *arguments: json.loads(train(*arguments, "--json"))


def without_times(result):
    """Return what has to be the same in every run with the same seed."""
    content = {name: entry for name, entry in result.items() if name not in CLOCKS}
    points = [{n: e for n, e in p.items() if n not in CLOCKS} for p in content["evaluations"]]
    return content | {"evaluations": points}


CLOCKS = ("seconds", "episodes_per_second")


# --- output -----------------------------------------------------------------------------------


def test_json_has_the_keys_of_the_contract(train_json):
    result = train_json("rotating_mab", "--k", 3, "--episodes", 32_000, "--seed", 4)
    for name, kind in CONTRACT.items():
        assert type(result[name]) is kind, name
    assert (result["domain"], result["method"]) == ("rotating_mab", "paper")
    assert (result["seed"], result["episodes"]) == (4, 32_000)
    assert result["parameters"]["k"] == 3
    assert len(result["parameters"]["win_probabilities"]) == 3
    assert result["optimal_score"] == nm.domain("rotating_mab", k=3).optimal_score
    assert result["seconds"] > 0.0
    assert result["episodes_per_second"] == pytest.approx(32_000 / result["seconds"])
    assert result["interrupted"] is False

    curve = result["curve"]
    assert [episodes for episodes, _, _ in curve] == [0, 15_000, 30_000, 32_000]
    assert [list(map(type, point)) for point in curve] == [[int, float, int]] * 4
    assert curve[-1] == [result["episodes"], result["score"], result["states"]]


def test_json_says_what_an_agent_in_python_finds(train_json):
    result = train_json("cheat_mab", "--k", 3, "--episodes", 20_000, "--seed", 2, "--with", "m=50")
    agent = nm.Agent(nm.domain("cheat_mab", k=3), "paper", seed=2, m=50)
    learned = agent.learn(20_000)
    assert result["curve"] == [list(point[:3]) for point in learned.curve]
    assert (result["score"], result["states"]) == (learned.score, learned.n_states)
    certificate = result["certificate"]
    assert certificate["passed"] is learned.certificate.passed
    assert certificate["optimistic"] == learned.certificate.optimistic
    assert certificate["pessimistic"] == learned.certificate.pessimistic
    assert certificate["assumptions"] == list(learned.certificate.assumptions)


def test_people_see_curve_score_and_certificate(train, train_json):
    text = train("rotating_mab", "--k", 2, "--episodes", 20_000)
    result = train_json("rotating_mab", "--k", 2, "--episodes", 20_000)
    assert text.startswith("rotating_mab, k=2, method paper")
    rows = [line.split() for line in text.splitlines() if re.match(r" +[\d,]+ +\d", line)]
    shown = [(int(row[0].replace(",", "")), float(row[1]), int(row[3])) for row in rows]
    assert shown == [(e, pytest.approx(score, abs=1e-4), n) for e, score, n in result["curve"]]
    assert "score: 90.0000, 100.0% of the optimal 90.0000; 2 states (minimal: 2)" in text
    assert "episodes/s" in text
    assert "Termination test passed after 20,000 episodes" in text
    for assumption in result["certificate"]["assumptions"]:
        assert assumption in text
    assert "interrupted" not in text


def test_people_see_a_long_curve_thinned_out(train):
    text = train("rotating_mab", "--episodes", 5000, "--with", "evaluate_every=10")
    rows = [line.split() for line in text.splitlines() if re.match(r" +[\d,]+ +\d", line)]
    assert MOST_ROWS / 2 <= len(rows) <= MOST_ROWS + 1
    assert (rows[0][0], rows[-1][0]) == ("0", "5,000")
    assert "Termination test not passed after 5,000 episodes" in text


def test_nothing_is_on_standard_error_in_a_pipe():
    command = [sys.executable, "-m", "nonmarkov", "train", "cheat_mab"]
    command += ["--method", "paper", "--episodes", "100"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0
    assert result.stderr == ""
    assert result.stdout.startswith("cheat_mab")
    assert "\x1b" not in result.stdout


# --- options ----------------------------------------------------------------------------------


def test_every_method_runs(train_json):
    found = {
        method: train_json("rotating_mab", "--episodes", 30_000, "--method", method)
        for method in METHODS
    }
    assert list(found) == ["apart", "paper", "random-sampling", "rmax", "oracle"]
    assert all(result["method"] == method for method, result in found.items())
    optimum = found["paper"]["optimal_score"]
    for method in ("paper", "random-sampling", "oracle"):
        assert found[method]["states"] == 2
        assert found[method]["score"] == pytest.approx(optimum)
    # The last observation, win or lose, does not tell which arm is the good one.
    assert found["rmax"]["states"] == 3
    assert found["rmax"]["score"] < 0.9 * optimum
    # Only the paper's learner starts without a state.
    assert [result["curve"][0][2] for result in found.values()] == [1, 0, 0, 3, 2]


def test_random_sampling_goes_on_exploring(train_json):
    arguments = ("malfunction_mab", "--episodes", 1000, "--with", "mu=0.5", "--with", "m=1")
    paper = train_json(*arguments)
    sampling = train_json(*arguments, "--method", "random-sampling")
    assert without_times(paper)["evaluations"] != without_times(sampling)["evaluations"]


def test_the_same_seed_gives_the_same_run(train_json):
    arguments = ("reset_rotating_mab", "--episodes", 20_000, "--seed")
    first, second, other = (train_json(*arguments, seed) for seed in (1, 1, 2))
    assert without_times(first) == without_times(second)
    assert without_times(first)["evaluations"] != without_times(other)["evaluations"]
    default = train_json(*arguments[:-1])
    assert default["seed"] == 0
    assert without_times(default) == without_times(train_json(*arguments, 0))


def test_published_settings_are_the_default(train_json):
    arguments = ("rotating_mab", "--k", 3, "--episodes", 6000, "--with", "evaluate_every=500")
    settings = {"mu": 0.23, "n": 10, "d": 1, "m": 10_000, "v_max": "horizon"}

    def run(**changed):
        given = settings | changed
        return without_times(
            train_json(*arguments, *(f"--with={name}={value}" for name, value in given.items()))
        )

    default = without_times(train_json(*arguments))
    assert default == run()
    for changed in ({"mu": 0.9}, {"n": 500}, {"d": 2}, {"m": 300}, {"v_max": "reward"}):
        assert default != run(**changed), changed


def test_settings_can_be_switched_off(train_json):
    result = train_json("rotating_mab", "--episodes", 500, "--with", "mu=none", "--with", "n=null")
    assert result["settings"]["mu"] is None
    assert "searched for" in result["certificate"]["obstacle"]
    assert not result["certificate"]["passed"]


@pytest.mark.parametrize(
    ("arguments", "episodes"),
    [
        (["enemy_corridor", "--k", "4"], 500_000),
        (["flickering_grid"], 1_000_000),
        (["enemy_corridor", "--k", "3"], DEFAULT_EPISODES),
        (["enemy_corridor", "--set", "reward=50"], DEFAULT_EPISODES),
    ],
)
def test_by_default_it_trains_as_long_as_published(train_json, monkeypatch, arguments, episodes):
    learn, asked = Agent.learn, []

    def learn_little(agent, episodes, **options):
        asked.append(episodes)
        return learn(agent, 10, **options)

    monkeypatch.setattr(Agent, "learn", learn_little)
    assert train_json(*arguments)["episodes"] == 10
    assert asked == [episodes]


def test_it_can_stop_when_it_is_certified(train_json):
    result = train_json("rotating_mab", "--until-certified")
    assert result["certificate"]["passed"] is True
    assert 0 < result["episodes"] < 200_000  # of two million
    gap = result["certificate"]["optimistic"] - result["certificate"]["pessimistic"]
    assert 0.0 <= gap < result["certificate"]["epsilon"] / 4
    on = train_json("rotating_mab", "--episodes", 30_000)
    assert on["episodes"] == 30_000


def test_the_domain_can_be_changed(train_json):
    result = train_json("rotating_mab", "--set", "reward=7", "--episodes", 200)
    assert result["parameters"]["reward"] == 7
    assert result["optimal_score"] == nm.domain("rotating_mab", reward=7).optimal_score


# --- files ------------------------------------------------------------------------------------


def test_results_are_written_into_a_folder(train, tmp_path):
    folder = tmp_path / "new" / "folder"
    arguments = ("rotating_mab", "--k", 3, "--episodes", 20_000, "--out", folder)
    text = train(*arguments)
    names = ["abstraction.json", "abstraction.png", "agent.nm", "result.json"]
    assert sorted(path.name for path in folder.iterdir()) == names
    for name in names:
        assert f"Wrote {folder / name}\n" in text

    abstraction = nm.MarkovAbstraction.load(folder / "abstraction.json")
    result = json.loads((folder / "result.json").read_text())
    agent = nm.Agent(nm.domain("rotating_mab", k=3), "paper")
    agent.learn(20_000)
    assert abstraction == agent.abstraction
    assert result["states"] == agent.n_states == int(abstraction.automaton.safe.sum())
    assert (folder / "abstraction.png").read_bytes().startswith(b"\x89PNG")


def test_the_result_written_is_the_result_printed(train_json, tmp_path):
    (tmp_path / "result.json").write_text("old")
    printed = train_json("cheat_mab", "--episodes", 100, "--out", tmp_path)
    assert json.loads((tmp_path / "result.json").read_text()) == printed
    # Nothing is learned yet: the automaton is a single candidate.
    assert printed["states"] == 0
    assert (tmp_path / "abstraction.png").stat().st_size > 1000
    assert nm.MarkovAbstraction.load(tmp_path / "abstraction.json").automaton.candidates == (0,)


def test_without_matplotlib_there_is_no_picture(call, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    code, output, errors = call(
        "train", "cheat_mab", "--method", "paper", "--episodes", 100, "--out", tmp_path
    )
    assert code == 0
    assert errors.startswith("No picture.")
    assert "pip install matplotlib" in errors
    names = ["abstraction.json", "agent.nm", "result.json"]
    assert sorted(path.name for path in tmp_path.iterdir()) == names
    assert "abstraction.png" not in output


def test_quietly(call, tmp_path):
    code, output, errors = call(
        "train", "cheat_mab", "--episodes", 30, "--out", tmp_path, "--quiet"
    )
    assert (code, output, errors) == (0, "", "")
    assert nm.Agent.load(tmp_path / "agent.nm").episodes == 30


# --- mistakes ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--method", "papr"], "Unknown method 'papr'. Did you mean 'paper'?"),
        (["--method", "random_sampling"], "Did you mean 'random-sampling'?"),
        (["--with", "alpha0=3"], "Unknown setting 'alpha0'. Did you mean 'alpha_0'?"),
        (["--with", "mu"], "--with takes NAME=VALUE, got 'mu'."),
        (["--with", "=3"], "--with takes NAME=VALUE, got '=3'."),
        (["--with", "m=5", "--with", "m=6"], "m is set twice."),
        (["--with", "mu=0"], "mu must lie in (0, 1], got 0."),
        (["--with", "mu=0", "--method", "oracle"], "mu must lie in (0, 1], got 0."),
        (["--with", "mu=2"], "mu must lie in (0, 1], got 2."),
        (["--with", "mu=some"], "mu must be a finite number, got 'some'."),
        (["--with", "mu=null"], "mu and n are given both, or neither"),
        (["--with", "n=0"], "n must be at least 1, got 0."),
        (["--with", "d=0"], "d must be at least 1, got 0."),
        (["--with", "delta=1"], "delta must lie in (0, 1), got 1."),
        (["--with", "m=0"], "m must be at least 1, got 0."),
        (["--with", "m=1,2"], "m must be an integer, got (1, 2)."),
        (["--with", "planner=rmx"], "Did you mean 'rmax'?"),
        (["--with", "evaluate_every=0"], "evaluate_every must be at least 1, got 0."),
        (["--episodes", "0"], "episodes must be at least 1, got 0."),
        (["--episodes", "-5"], "episodes must be at least 1, got -5."),
        (["--episodes", "1e5"], "'1e5' is not a valid integer"),
        (["--seed", "-1"], "seed must be at least 0, got -1."),
        (["--set", "k"], "--set takes NAME=VALUE, got 'k'."),
        (["--k", "1"], "k must be at least 2, got 1."),
        (["--set", "reward=-1"], "A constant added to all rewards"),
        (["--set", "reward=0"], "All rewards are 0"),
    ],
)
@pytest.mark.parametrize("output", ["text", "json"])
def test_a_mistake_is_one_line_and_exit_code_2(call, arguments, message, output, tmp_path):
    episodes = [] if "--episodes" in arguments else ["--episodes", "10"]
    extra = ["--json"] if output == "json" else ["--out", tmp_path / "results"]
    code, printed, errors = call(
        "train", "rotating_mab", "--method", "paper", *arguments, *episodes, *extra
    )
    assert code == 2
    assert printed == ""
    assert message in errors
    assert errors.startswith("nonmarkov: ")
    assert errors.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_mistake_has_no_traceback_in_a_process_of_its_own():
    command = [sys.executable, "-m", "nonmarkov", "train", "rotating_mase"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr.startswith("nonmarkov: Unknown domain 'rotating_mase'. Did you mean")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("folder", ["/dev/null", "/dev/null/results"])
def test_a_folder_that_cannot_be_made_is_a_mistake(call, folder):
    code, printed, errors = call(
        "train", "cheat_mab", "--method", "paper", "--episodes", 10, "--out", folder
    )
    assert code == 2
    assert printed == ""
    assert errors.startswith("nonmarkov: ")
    assert folder in errors
    assert errors.count("\n") == 1


def test_worthless_domains_can_be_shown(train):
    text = train("rotating_mab", "--set", "reward=0", "--with", "v_max=1", "--episodes", 10)
    assert "score: 0.0000" in text


@pytest.mark.parametrize(
    "setting", ["d", "n", "m", "alpha_0", "evaluate_every", "evaluation_episodes"]
)
def test_numbers_that_no_machine_can_count_to_are_refused(call, setting):
    huge = f"{setting}={10**21}"
    code, _, errors = call(
        "train", "rotating_mab", "--method", "paper", "--episodes", "10", "--with", huge
    )
    assert code == 2
    assert f"{setting} must be at most" in errors


def test_a_folder_that_cannot_be_made_is_noticed_before_the_training(call, tmp_path):
    (tmp_path / "file").write_text("")
    began = time.perf_counter()
    out = tmp_path / "file" / "results"
    code, _, errors = call(
        "train", "rotating_maze", "--method", "paper", "--episodes", 10**9, "--out", out
    )
    assert code == 2
    assert "file" in errors
    assert time.perf_counter() - began < 20.0
