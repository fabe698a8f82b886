"""`nonmarkov bench`: how fidelity and training speed are measured, and how they are shown."""

import dataclasses
import json
import math

import pytest
from click.testing import CliRunner

import nonmarkov as nm
from nonmarkov import training as trained
from nonmarkov.bench import fidelity, speed, training
from nonmarkov.bench.fidelity import APART, Row, Run, converged_at, to_markdown, with_table
from nonmarkov.bench.reference import REFERENCE, Reference
from nonmarkov.bench.training import TrainingMeasurement, mean_speedup
from nonmarkov.cli import main
from nonmarkov.domains import DOMAINS
from nonmarkov.errors import UnknownNameError
from nonmarkov.training import PUBLISHED, Evaluation

SMALL = ("rotating_mab", 2)


def invoke(*arguments):
    result = CliRunner().invoke(main.cli, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return result.output


def make_curve(*scores, apart=APART):
    """Return a curve with these sampled scores; the exact ones must not matter."""
    return [
        Evaluation(apart * i, 1e9, 1, float(score), 0, 0.0, 0.0, 0.0)
        for i, score in enumerate(scores)
    ]


def make_row(*converged, reference=None, states=(4,), scores=(85.0,)):
    """Return the row of runs that converged at these numbers of episodes."""
    runs = [
        Run(seed, at, states[seed % len(states)], 0, scores[seed % len(scores)], 1.0, True)
        for seed, at in enumerate(converged)
    ]
    return Row("enemy_corridor", 2, 500_000, 85.0, reference, tuple(runs))


def make_reference(converged):
    return Reference(5000, converged, 495_000, 4)


# --- when a run has converged -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([95] * 5, 0),
        ([0, 95, 95, 95, 95, 95], 1),
        ([0, 0, 100, 100, 100, 100, 100], 2),
        ([94.9] * 9, None),
        ([100] * 4, None),  # too few
        ([0, 100, 100, 100, 100], None),
        ([0, 75, 100, 100, 100, 100], 1),  # the mean counts, not each
        ([0, 74, 100, 100, 100, 100, 100], 2),
        ([100, 100, 100, 100, 0, 100, 100, 100, 100, 100], 5),
        ([100, 100, 100, 100, 100, 0, 0, 0, 0, 0], 0),  # the first time counts
        ([], None),
    ],
)
def test_five_evaluations_in_a_row_must_be_good_on_average(scores, expected):
    found = converged_at(make_curve(*scores), 100.0)
    assert found == (None if expected is None else expected * APART)


def test_evaluations_in_between_do_not_count_as_the_next():
    """Every 3,000 episodes, but the five are 15,000 apart: 21 evaluations with 0 to 60,000."""
    assert converged_at(make_curve(*[100] * 20, apart=3000), 100.0) is None
    assert converged_at(make_curve(*[100] * 21, apart=3000), 100.0) == 0
    # Bad luck in between is overlooked; the run that starts at 3,000 is the first without any.
    scores = [0 if i % 5 == 0 else 100 for i in range(30)]
    assert converged_at(make_curve(*scores, apart=3000), 100.0) == 3000


# --- rows -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("converged", "median"),
    [
        ([30_000], 30_000),
        ([45_000, 15_000, 30_000], 30_000),
        ([15_000, 30_000], 22_500),
        ([15_000, None, 30_000], 30_000),
        ([15_000, None, None], None),
        ([15_000, None], None),
        ([None], None),
    ],
)
def test_a_row_converges_with_its_median_seed(converged, median):
    assert make_row(*converged).converged == median


@pytest.mark.parametrize(
    ("ours", "ratio"),
    [
        (45_000, 1.0),
        (33_000, 1.0),
        (30_000, 1.0),  # the reference says: after 30,000 and by 45,000
        (27_000, 27 / 30),
        (15_000, 15 / 30),
        (0, 0.0),
        (48_000, 48 / 45),
        (90_000, 2.0),
    ],
)
def test_the_ratio_is_to_the_nearer_end_of_an_interval(ours, ratio):
    assert make_row(ours, reference=make_reference(45_000)).ratio == pytest.approx(ratio)


@pytest.mark.parametrize(("ours", "ratio"), [(3000, 1.0), (15_000, 1.0), (30_000, 2.0), (0, 1.0)])
def test_the_first_interval_begins_with_the_training(ours, ratio):
    assert make_row(ours, reference=make_reference(15_000)).ratio == ratio


def test_there_is_no_ratio_unless_both_converge():
    assert make_row(45_000).ratio is None
    assert make_row(45_000, reference=make_reference(None)).ratio is None
    assert make_row(None, reference=make_reference(45_000)).ratio is None


@pytest.mark.parametrize(
    ("row", "cells"),
    [
        (
            make_row(90_000, reference=make_reference(45_000)),
            ("45,000", "90,000", "2.00", "90,000 to 90,000", "4", "85.00 of 85.00", "1 of 1"),
        ),
        (
            make_row(
                30_000,
                None,
                60_000,
                reference=make_reference(None),
                states=(4, 3, 5),
                scores=(80.0, 10.0, 84.125),
            ),
            (
                "not in 495,000",
                "60,000",
                "-",
                "30,000 to 60,000 (2 of 3)",
                "3 to 5",
                "80.00 of 85.00",
                "3 of 3",
            ),
        ),
        (
            make_row(None, None),
            ("-", "not in 500,000", "-", "(0 of 2)", "4", "85.00 of 85.00", "2 of 2"),
        ),
    ],
)
def test_cells_say_what_happened(row, cells):
    assert row.cells == ("enemy_corridor", "2", *cells)


def test_markdown_is_a_table():
    rows = [make_row(90_000, reference=make_reference(45_000)), make_row(None)]
    text = to_markdown(rows)
    assert text.endswith("|\n")
    lines = [line.strip("|").split("|") for line in text.splitlines()]
    assert {len(line) for line in lines} == {9}
    assert [cell.strip() for cell in lines[0]][:3] == ["domain", "k", "published"]
    assert all(set(cell.strip()) <= {"-", ":"} for cell in lines[1])
    for line, row in zip(lines[2:], rows, strict=True):
        assert tuple(cell.strip() for cell in line) == row.cells


def test_a_table_takes_the_place_of_the_first_one():
    table = to_markdown([make_row(None)])
    old = to_markdown([make_row(45_000), make_row(60_000)])
    assert with_table("", table) == table
    assert with_table("Words.\n\n", table) == f"Words.\n\n{table}"
    document = f"Before.\n\n{{}}\nBetween.\n\n{old}\nAfter.\n"
    assert with_table(document.format(old), table) == document.format(table)
    assert with_table(with_table(old, table), table) == table


# --- runs -------------------------------------------------------------------------------------


def test_a_run_is_as_published():
    run = fidelity.train(("enemy_corridor", 2), seed=3)
    agent = nm.Agent(nm.domain("enemy_corridor", k=2), "paper", seed=3, evaluate_every=3000)
    result = agent.learn(PUBLISHED["enemy_corridor", 2].episodes)
    assert (run.seed, run.states, run.candidates) == (3, 4, 0)
    assert run.score == result.score == pytest.approx(85.0)
    assert run.matches is True
    assert run.converged == converged_at(result.curve, 85.0)
    assert 0 < run.converged < 100_000
    assert run.seconds > 0.0


def test_rows_come_from_a_pool_in_order():
    configurations = [("enemy_corridor", 4), ("enemy_corridor", 2)]
    rows = list(fidelity.compare(configurations, seeds=2, jobs=1))
    assert [(row.domain, row.k) for row in rows] == configurations
    assert [row.reference for row in rows] == [REFERENCE["enemy_corridor", 4], None]
    assert [row.episodes for row in rows] == [500_000, 500_000]
    assert all(row.optimal_score == pytest.approx(85.0) for row in rows)
    assert [[run.seed for run in row.runs] for row in rows] == [[0, 1], [0, 1]]
    for row, configuration in zip(rows, configurations, strict=True):
        here = fidelity.train(configuration, seed=1)
        assert dataclasses.replace(row.runs[1], seconds=0.0) == dataclasses.replace(
            here, seconds=0.0
        )


# --- the published program --------------------------------------------------------------------


def test_references_are_published_configurations():
    assert set(REFERENCE) <= set(PUBLISHED)
    for (name, k), reference in REFERENCE.items():
        assert reference.episodes_per_second > 0
        assert 0 < reference.run_until <= PUBLISHED[name, k].episodes
        assert reference.run_until % APART == 0
        assert 0 < reference.states <= nm.domain(name, k=k).n_states
        if reference.converged is not None:
            assert reference.converged % APART == 0
            assert 0 < reference.converged <= reference.run_until


def test_speed_is_measured_once_for_every_domain():
    assert [name for name, _ in training.CONFIGURATIONS] == list(DOMAINS)
    assert set(training.CONFIGURATIONS) <= set(REFERENCE)


# --- the speed of training --------------------------------------------------------------------


@pytest.mark.parametrize(("name", "k"), [SMALL, ("rotating_mab", 6)])
def test_training_is_measured(name, k):
    found = training.measure_training(name, k, seconds=0.02)
    assert (found.domain, found.k) == (name, k)
    # At least five evaluations, 15,000 episodes apart, and not all of the published episodes.
    assert 75_000 <= found.learning_episodes < PUBLISHED[name, k].episodes
    assert found.learning_episodes % 15_000 == 0
    assert found.published == REFERENCE[name, k].episodes_per_second
    for figure in ("learning", "settled", "whole", "simulator_uniform", "simulator_policy"):
        assert 0.0 < getattr(found, figure) < math.inf
    assert found.learning_ratio == found.learning / found.simulator_uniform
    assert found.settled_ratio == found.settled / found.simulator_policy
    assert found.whole_ratio == found.whole / found.simulator_uniform
    assert found.speedup == found.learning / found.published


def test_the_mean_speedup_is_geometric():
    def measured(learning, published):
        return TrainingMeasurement("rotating_mab", 2, 1, learning, 1.0, 1.0, 1.0, 1.0, published)

    assert mean_speedup([measured(200.0, 100.0), measured(800.0, 100.0)]) == pytest.approx(4.0)
    assert mean_speedup([measured(30.0, 10.0)]) == pytest.approx(3.0)
    with_a_slow_one = [measured(0.5, 1.0), measured(2.0, 1.0), measured(27.0, 1.0)]
    assert mean_speedup(with_a_slow_one) == pytest.approx(3.0)


def test_memory_is_measured_in_a_process_of_its_own():
    # Memory of this process, in use when the other one is started, does not count there.
    ballast = bytearray(300 * 2**20)
    ballast[::4096] = b"x" * len(ballast[::4096])
    (found,) = training.measure_memory([SMALL], episodes=1000, jobs=1)
    assert (found.domain, found.k, found.episodes) == (*SMALL, 1000)
    del ballast
    assert 30 < found.peak_mb < 300
    assert 0.0 < found.seconds < 30.0


# --- commands ---------------------------------------------------------------------------------


@pytest.fixture
def quick(monkeypatch):
    """One configuration instead of all."""
    monkeypatch.setattr(speed, "CONFIGURATIONS", (SMALL,))
    monkeypatch.setattr(training, "CONFIGURATIONS", (SMALL,))
    monkeypatch.setattr(trained, "PUBLISHED", {SMALL: PUBLISHED[SMALL]})


@pytest.mark.usefixtures("quick")
def test_speed_speaks_json():
    arguments = ("--seconds", 0.01, "--memory-episodes", 500, "--jobs", 1, "--json")
    result = json.loads(invoke("bench", "speed", *arguments))
    assert [m["policy"] for m in result["simulator"]] == ["uniform", "tabular", "epsilon-greedy"]
    assert [(m["domain"], m["k"]) for m in result["training"]] == [SMALL]
    assert result["training"][0]["settled"] > 0.0
    assert [(m["domain"], m["k"], m["episodes"]) for m in result["memory"]] == [(*SMALL, 500)]
    assert result["memory"][0]["peak_mb"] > 0.0


@pytest.mark.usefixtures("quick")
def test_speed_prints_tables():
    text = invoke("bench", "speed", "--seconds", 0.01, "--memory-episodes", 0)
    assert "Simulation on one core" in text
    assert "Training the paper's agent on one core" in text
    assert f"{REFERENCE[SMALL].episodes_per_second:,}" in text
    assert "in the geometric mean" in text
    assert "Peak memory of a training" not in text


@pytest.fixture
def asked(monkeypatch):
    """Rows made by hand; return what was asked for."""
    calls = []

    def compare(configurations, seeds, jobs, settings):
        calls.append((list(configurations), seeds, jobs))
        yield make_row(90_000, reference=make_reference(45_000))
        yield make_row(None)

    monkeypatch.setattr(fidelity, "compare", compare)
    return calls


def test_fidelity_asks_for_all_configurations_or_some_domains(asked):
    invoke("bench", "fidelity", "--jobs", 1)
    invoke("bench", "fidelity", "--domain", "cheat_mab", "--domain", "rotating_maze", "--seeds", 2)
    assert asked[0] == (list(PUBLISHED), 5, 1)
    some = [("cheat_mab", 3), ("cheat_mab", 4), *(("rotating_maze", k) for k in (1, 2, 3))]
    assert asked[1][:2] == (some, 2)


@pytest.mark.usefixtures("asked")
def test_fidelity_prints_a_table_and_writes_markdown(tmp_path):
    path = tmp_path / "table.md"
    text = invoke("bench", "fidelity", "--markdown", path)
    assert "Episodes to 95 % of the optimal score" in text
    for cell in ("45,000", "90,000", "2.00", "not in 500,000", "(0 of 1)"):
        assert cell in text
        assert cell in path.read_text()
    assert len(path.read_text().splitlines()) == 4
    path.write_text(f"Words.\n\n{path.read_text()}\nMore words.\n")
    before = path.read_text()
    invoke("bench", "fidelity", "--markdown", path)
    assert path.read_text() == before


@pytest.mark.usefixtures("asked")
def test_fidelity_speaks_json():
    first, second = json.loads(invoke("bench", "fidelity", "--json"))
    assert (first["domain"], first["k"], first["ratio"]) == ("enemy_corridor", 2, 2.0)
    assert (second["ratio"], second["runs"][0]["converged"]) == (None, None)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fidelity", "--domain", "enemy_coridor"], "Did you mean 'enemy_corridor'?"),
        (["fidelity", "--seeds", "0"], "'--seeds'"),
        (["fidelity", "--jobs", "0"], "'--jobs'"),
        (["speed", "--seconds", "0"], "'--seconds'"),
        (["speed", "--memory-episodes", "-1"], "'--memory-episodes'"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(arguments, message, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["nonmarkov", "bench", *arguments])
    with pytest.raises(SystemExit) as end:
        main.run()
    assert end.value.code == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert message in captured.err
    assert captured.err.startswith("nonmarkov: ")
    assert captured.err.count("\n") == 1


def test_unknown_domains_are_not_measured():
    with pytest.raises(UnknownNameError, match="Did you mean 'rotating_mab'"):
        training.measure_training("rotating_mob", 2, seconds=0.02)
    with pytest.raises(UnknownNameError, match="Did you mean 'rotating_mab'"):
        fidelity.train(("rotating_mob", 2), seed=0)
