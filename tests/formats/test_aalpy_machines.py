"""AALpy's automata: there and back."""

import pytest
from hypothesis import given

import nonmarkov as nm
from nonmarkov.errors import InvalidParameterError, NotMarkovError
from nonmarkov.formats.aalpy_machines import from_aalpy, to_stochastic_mealy
from nonmarkov.formats.model import model_of_process
from nonmarkov.testing.strategies import processes

automata = pytest.importorskip("aalpy.automata")


@given(process=processes())
def test_processes_come_back(process):
    machine = to_stochastic_mealy(model_of_process(process))
    back = from_aalpy(machine, horizon=process.horizon)
    assert back.optimal_value == pytest.approx(process.optimal_value, rel=1e-9, abs=1e-9)
    assert back.minimal().n_states == process.minimal().n_states


@given(process=processes())
def test_abstractions_have_the_chances_of_their_process(process):
    minimal = process.minimal()
    abstraction = nm.MarkovAbstraction(minimal.automaton)
    machine = abstraction.to_aalpy(process)
    assert isinstance(machine, automata.StochasticMealyMachine)
    assert len(machine.states) == minimal.n_states + 1
    back = from_aalpy(machine, horizon=process.horizon)
    assert back.optimal_value == pytest.approx(process.optimal_value, rel=1e-9, abs=1e-9)


def test_aalpy_can_walk_and_convert_the_machine(weather):
    machine = nm.MarkovAbstraction(weather.automaton).to_aalpy(weather)
    machine.reset_to_initial()
    assert machine.step_to("fast", ("skidded", 0.0)) == ("skidded", 0.0)
    assert machine.current_state.state_id == "s1"
    assert machine.step_to("slow", "END") == "END"
    assert machine.step_to("slow", ("arrived", 1.0)) is None
    assert type(machine.to_mdp()).__name__ == "Mdp"


def test_an_abstraction_alone_is_an_onfsm(weather):
    machine = nm.MarkovAbstraction(weather.automaton).to_aalpy()
    assert isinstance(machine, automata.Onfsm)
    edges = {
        (state.state_id, action, output, target.state_id)
        for state in machine.states
        for action, row in state.transitions.items()
        for output, target in row
    }
    alphabet = weather.alphabet
    assert edges == {
        (f"s{q}", alphabet.symbol(s)[0], alphabet.symbol(s)[1:], f"s{target}")
        for q, s, target in weather.automaton.edges.tolist()
    }


def test_what_is_no_abstraction_is_refused(weather):
    blind = nm.Automaton.from_steps(
        weather.alphabet, 1, [(0, a, o, r, 0) for a, o, r in weather_symbols(weather)]
    )
    with pytest.raises(NotMarkovError):
        nm.MarkovAbstraction(blind).to_aalpy(weather)


def weather_symbols(process):
    width = process.alphabet.n_outcomes + 1
    return [process.alphabet.symbol(s) for s in range(2 * width) if s % width != width - 1]


def test_other_machines_are_refused(weather):
    with pytest.raises(InvalidParameterError, match="StochasticMealyMachine of AALpy, got Onfsm"):
        from_aalpy(nm.MarkovAbstraction(weather.automaton).to_aalpy(), horizon=3)
    setup = {"q": {"a": [("q", "o", 1.0)]}}
    machine = automata.StochasticMealyMachine.from_state_setup(setup)
    with pytest.raises(InvalidParameterError, match="outputs must be"):
        from_aalpy(machine, horizon=3, stop=0.1)
    setup = {"q": {"a": [("q", ("o", 1), 0.5), ("p", ("o", 1), 0.5)]}, "p": {"a": []}}
    machine = automata.StochasticMealyMachine.from_state_setup(setup)
    with pytest.raises(InvalidParameterError, match="leads to two states"):
        from_aalpy(machine, horizon=3, stop=0.1)
