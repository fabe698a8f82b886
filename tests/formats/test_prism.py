"""PRISM models: their grammar, and that their values are those of the process."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import nonmarkov as nm
from nonmarkov.formats.model import model_of_process, model_of_tables
from nonmarkov.formats.prism import RESERVED, to_prism
from nonmarkov.testing.strategies import policies, processes
from tests.formats.nasty import nasty_process
from tests.formats.prism_language import PrismModel


@given(process=processes())
def test_the_optimal_value_is_that_of_the_process(process):
    model = PrismModel(to_prism(model_of_process(process)))
    assert model.kind == "mdp"
    assert model.value() == pytest.approx(process.optimal_value, rel=1e-6, abs=1e-6)


@given(data=st.data())
def test_a_chain_has_the_value_of_its_policy(data):
    process = data.draw(processes())
    policy = data.draw(policies(process))
    pairs = process.paired_with(policy.automaton)
    model = model_of_tables(process.alphabet, tuple(range(len(pairs.states))), pairs.tables)
    chain = PrismModel(to_prism(model, policy.rows(pairs.memory)))
    assert chain.kind == "dtmc"
    assert {action for action, _ in chain.commands} == {""}
    assert chain.value() == pytest.approx(process.value(policy), rel=1e-6, abs=1e-6)


def test_the_text_of_a_small_process(weather):
    text = to_prism(model_of_process(weather))
    stays = "(s'=1)&(o'=1)"
    over = "0.09090909090909094 : (s'=2)&(o'=2)"
    assert text.splitlines()[1:9] == [
        "mdp",
        "",
        "module process",
        "  s : [0..2] init 0;  // 2: the episode is over",
        "  o : [0..2] init 2;  // 2: nothing was seen",
        f"  [fast] s=0 -> {7 / 11!r} : (s'=0)&(o'=0) + {3 / 11!r} : (s'=1)&(o'=1) + {over};",
        f"  [slow] s=0 -> {10 / 11!r} : (s'=0)&(o'=0) + {over};",
        f"  [fast] s=1 -> {1 / 11!r} : (s'=1)&(o'=0) + 0.8181818181818181 : {stays} + {over};",
    ]
    assert 'label "seen_skidded" = o=1;' in text


def test_any_labels_can_be_written():
    process = nasty_process()
    text = to_prism(model_of_process(process))
    model = PrismModel(text)
    names = {action for action, _ in model.commands} - {""}
    assert len(names) == len(process.actions)
    assert not names & set(RESERVED)
    assert text.isascii()
    assert model.value() == pytest.approx(process.optimal_value)


def test_the_induced_mdp_has_the_value_of_the_process():
    process = nm.domain("cheat_mab")
    induced = nm.MarkovAbstraction(process.minimal().automaton).induced_mdp(process)
    model = PrismModel(to_prism(model_of_process(induced)))
    assert model.value() == pytest.approx(process.optimal_value)
