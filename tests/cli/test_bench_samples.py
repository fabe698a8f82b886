"""`nonmarkov bench samples`: how episodes are counted, and how they are shown."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

import nonmarkov as nm
from nonmarkov.bench import samples
from nonmarkov.bench.samples import COLUMNS, EXPECTED, Row, Run
from nonmarkov.cli import main
from nonmarkov.learning.given import GivenAutomaton
from nonmarkov.training import PUBLISHED
from nonmarkov.training.explorer import Explorer
from nonmarkov.training.worlds import ProcessWorld


def make_run(n95, n99=None, *, states=4, right=True):
    return Run(0, n95, n99, states, right, 1.0, 2.5)


def make_row(*times, name="cheat_mab", paper=240_000):
    runs = tuple(make_run(at, at) for at in times)
    return Row(name, 3, 150, 4, runs, (make_run(20, 20),), make_run(paper, paper))


def test_every_published_configuration_has_an_expectation():
    assert set(EXPECTED) == set(PUBLISHED)


def test_medians_worst_cases_and_ratios():
    row = make_row(40, 60, 400)
    assert (row.median(row.apart, "n95"), row.worst("n95")) == (60, 400)
    assert row.ratio(row.oracle) == 3.0
    assert row.ratio((row.paper,), inverse=True) == 4000.0
    assert row.kept
    assert not make_row(40, 60, 451).kept  # three times 150, and one more
    assert not make_row(40, 151, 200).kept


def test_runs_that_do_not_get_there_are_not_hidden():
    row = make_row(40, None, 60)
    assert row.median(row.apart, "n95") == 60
    assert row.worst("n95") is None
    assert not row.kept
    assert make_row(None, None, 60).median(make_row(None, None, 60).apart, "n95") is None
    assert make_row(40, paper=None).ratio((make_run(None),), inverse=True) is None


def test_malfunction_is_about_99_percent():
    assert make_row(40, name="malfunction_mab").target == "n99"
    assert make_row(40).target == "n95"


def test_cells_fit_their_columns():
    cells = make_row(40, None, 60).cells
    assert len(cells) == len(COLUMNS)
    assert cells[2:4] == ("60", "-")
    assert cells[6] == "150 !"


def test_an_oracle_needs_no_search():
    process = nm.domain("cheat_mab", k=4)
    rng = np.random.default_rng(0)
    truth = process.minimal().automaton.over(process.alphabet)
    oracle = Explorer(ProcessWorld(process), 0.2, 0.2, rng, GivenAutomaton(truth, rng))
    oracle.run(60)
    assert oracle.n_states == 5
    assert process.score(oracle.policy()) == pytest.approx(process.optimal_score)
    assert len(oracle.changes) == 1


def test_the_table_is_printed_and_speaks_json(monkeypatch):
    monkeypatch.setattr(samples, "measure", lambda c, seeds, jobs: iter([make_row(40, 60, 80)]))
    runner = CliRunner()
    shown = runner.invoke(main.cli, ["bench", "samples", "--domain", "cheat_mab", "--k", "3"])
    assert shown.exit_code == 0
    assert "4,000" in shown.output
    spoken = runner.invoke(main.cli, ["bench", "samples", "--domain", "cheat_mab", "--json"])
    (row,) = json.loads(spoken.output)
    assert (row["median_95"], row["worst_95"], row["kept"]) == (60, 80, True)
    assert row["times_fewer_than_paper"] == 4000.0
    wrong = runner.invoke(main.cli, ["bench", "samples", "--domain", "cheat_mab", "--k", "77"])
    assert wrong.exit_code == 2


def test_a_real_run_counts_episodes():
    run = samples.train_apart(("rotating_mab", 2), 0, oracle=False)
    assert run.n95 is not None
    assert run.n95 <= EXPECTED["rotating_mab", 2]
    assert (run.states, run.right) == (2, True)


@pytest.mark.parametrize(
    ("curve", "expected"),
    [
        ([(10, 1.0), (30, 1.0)], True),
        ([(11, 1.0), (30, 1.0)], False),
        ([(10, 1.0), (20, 0.98), (30, 1.0), (60, 1.0)], False),
        ([(10, 0.5)], False),
    ],
)
def test_a_run_may_end_when_its_score_has_lasted(curve, expected):
    assert samples._has_lasted(curve) is expected
