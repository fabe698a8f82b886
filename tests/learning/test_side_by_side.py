"""Work done at the same time."""

import multiprocessing
import os
import threading

import numpy as np
import pytest

from nonmarkov.domains import domain
from nonmarkov.learning import side_by_side as module
from nonmarkov.learning.corpus import Corpus
from nonmarkov.learning.registers import judged_registers
from nonmarkov.learning.search import search
from nonmarkov.learning.side_by_side import both, side_by_side


def test_results_are_in_the_order_of_the_tasks(monkeypatch):
    monkeypatch.setattr(module, "usable_cores", lambda: 2)
    first_may_go_on = threading.Event()

    def work(task):
        if task == 0:
            assert first_may_go_on.wait(10)
        first_may_go_on.set()
        return task + 1

    assert side_by_side(work, [0, 1, 2]) == [1, 2, 3]


@pytest.mark.parametrize("cores", [1, 4])
def test_what_goes_wrong_is_told(monkeypatch, cores):
    monkeypatch.setattr(module, "usable_cores", lambda: cores)
    with pytest.raises(ZeroDivisionError):
        side_by_side(lambda task: 1 / task, [1, 0])


def test_work_may_be_divided_further(monkeypatch):
    monkeypatch.setattr(module, "usable_cores", lambda: 2)

    def work(tasks):
        return sum(side_by_side(abs, tasks))

    assert side_by_side(work, [[1, -2], [-3, 4], [5, -6]]) == [3, 7, 11]


@pytest.mark.parametrize("cores", [1, 4])
def test_different_work_has_results_of_its_own(monkeypatch, cores):
    monkeypatch.setattr(module, "usable_cores", lambda: cores)
    assert both(lambda: "one", lambda: 2) == ("one", 2)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # the helpers wait, they hold no lock
def test_a_forked_process_has_helpers_of_its_own(monkeypatch):
    monkeypatch.setattr(module, "usable_cores", lambda: 2)
    side_by_side(abs, [1, 2])
    forked = multiprocessing.get_context("fork").Process(target=_meet)
    forked.start()
    forked.join(30)
    assert forked.exitcode == 0


def _meet():
    """Finish only if two tasks are done at the same time."""
    barrier = threading.Barrier(2)
    side_by_side(lambda _: barrier.wait(10), [0, 1])


@pytest.mark.parametrize("name", ["cheat_mab", "rotating_maze"])
def test_a_search_does_not_depend_on_the_number_of_cores(monkeypatch, name):
    batch = domain(name).sample(400, seed=5)
    corpus = Corpus(batch.alphabet, batch.symbols, batch.starts)
    found = []
    for cores in (1, 3):
        monkeypatch.setattr(module, "usable_cores", lambda cores=cores: cores)
        found.append(search(corpus, None, True, np.random.default_rng(0), last=True).explanation)
    assert found[0].evidence == found[1].evidence
    np.testing.assert_array_equal(found[0].successor, found[1].successor)


def test_registers_are_judged_alike_in_one_part_and_in_two(monkeypatch):
    batch = domain("cheat_mab").sample(200, seed=0)
    corpus = Corpus(batch.alphabet, batch.symbols, batch.starts)
    successor = np.where(corpus.words.ends, -1, 0).astype(np.int32)[None]
    whole = judged_registers(corpus, successor)
    monkeypatch.setattr("nonmarkov.learning.registers.LITTLE_WORK", 0)
    shared = judged_registers(corpus, successor)
    for name in ("counted", "reset", "pair", "size", "wrap", "evidence", "hope"):
        np.testing.assert_array_equal(getattr(shared, name), getattr(whole, name))
