"""One function writes every model in every language, and refuses what makes no sense."""

import pytest

import nonmarkov as nm
from nonmarkov.errors import FileFormatError, InvalidParameterError, NotMarkovError, StorageError
from nonmarkov.formats.pomdp_reading import parse_pomdp
from tests.formats.nasty import nasty_process
from tests.formats.prism_language import PrismModel

SUFFIXES = ("dot", "svg", "json", "prism", "pomdp")


@pytest.fixture(scope="module")
def agent():
    agent = nm.Agent(nm.domain("rotating_mab"))
    agent.learn(60, progress=False)
    return agent


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_processes_are_saved(tmp_path, weather, suffix):
    path = tmp_path / f"weather.{suffix}"
    nm.save_model(weather, path)
    assert path.stat().st_size > 100


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_agents_are_saved(tmp_path, agent, suffix):
    path = tmp_path / f"agent.{suffix}"
    nm.save_model(agent, path)
    assert path.stat().st_size > 100


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("wrap", [nm.MarkovAbstraction, lambda automaton: automaton])
def test_abstractions_are_saved_beside_their_process(tmp_path, weather, suffix, wrap):
    path = tmp_path / f"abstraction.{suffix}"
    nm.save_model(wrap(weather.automaton), path, process=weather)
    assert path.stat().st_size > 100


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_any_labels_can_be_saved(tmp_path, suffix):
    process = nasty_process()
    nm.save_model(process, tmp_path / f"process.{suffix}")
    nm.save_model(process.automaton, tmp_path / f"automaton.{suffix}", process=process)


def test_an_agent_saves_what_it_counted(tmp_path, agent):
    nm.save_model(agent, tmp_path / "agent.prism")
    model = PrismModel((tmp_path / "agent.prism").read_text())
    assert model.value() == pytest.approx(nm.domain("rotating_mab").optimal_value, rel=0.5)
    nm.save_model(agent, tmp_path / "agent.pomdp")
    back = parse_pomdp((tmp_path / "agent.pomdp").read_text())
    assert back.discount == 1.0
    assert back.to_process(horizon=10).optimal_value == pytest.approx(model.value(), rel=1e-6)


def test_an_abstraction_saves_its_induced_mdp(tmp_path, weather):
    nm.save_model(weather.automaton, tmp_path / "a.prism", process=weather)
    model = PrismModel((tmp_path / "a.prism").read_text())
    assert model.value() == pytest.approx(weather.optimal_value)
    nm.save_model(weather.automaton, tmp_path / "a.pomdp", process=weather)
    back = nm.read_pomdp(tmp_path / "a.pomdp").to_process(horizon=10)
    assert back.optimal_value == pytest.approx(weather.optimal_value)


def test_a_process_under_a_policy_is_a_chain(tmp_path, weather):
    policy = weather.policy(lambda state: "fast")
    nm.save_model(weather, tmp_path / "chain.prism", policy=policy)
    chain = PrismModel((tmp_path / "chain.prism").read_text())
    assert chain.kind == "dtmc"
    assert chain.value() == pytest.approx(weather.value(policy))


def test_a_pomdp_is_saved_as_its_beliefs(tmp_path, weather):
    nm.write_pomdp(weather, tmp_path / "weather")
    (tmp_path / "weather").rename(tmp_path / "weather.pomdp")
    nm.save_model(nm.read_pomdp(tmp_path / "weather.pomdp"), tmp_path / "weather.json")
    back = nm.RegularProcess.load(tmp_path / "weather.json")
    assert back.optimal_value == pytest.approx(weather.optimal_value)


def test_what_was_saved_is_loaded_by_its_content(tmp_path, weather, agent):
    agent.save(tmp_path / "agent.nm")
    nm.save_model(weather, tmp_path / "process.json")
    nm.save_model(weather.automaton, tmp_path / "automaton.json")
    nm.save_model(weather, tmp_path / "weather.pomdp")
    assert nm.load_model(tmp_path / "process.json") == weather
    assert nm.load_model(tmp_path / "automaton.json").automaton == weather.automaton
    assert nm.load_model(tmp_path / "agent.nm").episodes == 60
    assert isinstance(nm.load_model(tmp_path / "weather.pomdp"), nm.Pomdp)
    agent.export(tmp_path / "policy.json")
    (tmp_path / "noise").write_bytes(b"\xff\x00")
    for name in ("policy.json", "noise"):
        with pytest.raises(FileFormatError, match="holds no model"):
            nm.load_model(tmp_path / name)


def test_aalpy_machines_are_made_of_everything(weather, agent):
    pytest.importorskip("aalpy")
    assert len(nm.to_aalpy(weather).states) == 3
    assert type(nm.to_aalpy(agent)).__name__ == "StochasticMealyMachine"
    assert type(nm.to_aalpy(weather.automaton)).__name__ == "Onfsm"
    machine = nm.to_aalpy(weather.automaton, process=weather)
    back = nm.from_aalpy(machine, horizon=10)
    assert back.optimal_value == pytest.approx(weather.optimal_value)


def test_wrong_uses_are_refused(tmp_path, weather):
    blind = nm.MarkovAbstraction(nm.Automaton(weather.alphabet, 1, []))
    with pytest.raises(InvalidParameterError, match=r"must end in one of \.dot, \.svg.*'x\.png'"):
        nm.save_model(weather, "x.png")
    with pytest.raises(InvalidParameterError, match="got dict"):
        nm.save_model({}, tmp_path / "x.dot")
    for suffix in ("prism", "pomdp"):
        with pytest.raises(InvalidParameterError, match="An abstraction has no probabilities"):
            nm.save_model(blind, tmp_path / f"x.{suffix}")
    with pytest.raises(InvalidParameterError, match=r"policy goes with \.prism only"):
        nm.save_model(weather, tmp_path / "x.dot", policy=weather.optimal_policy)
    with pytest.raises(InvalidParameterError, match="goes with a RegularProcess"):
        nm.save_model(blind, tmp_path / "x.prism", policy=weather.optimal_policy)
    with pytest.raises(NotMarkovError, match="partial"):
        nm.save_model(blind, tmp_path / "x.pomdp", process=weather)
    with pytest.raises(StorageError, match="is no folder"):
        nm.save_model(weather, tmp_path / "none" / "x.dot")
    assert list(tmp_path.iterdir()) == []
