"""Controllers agree with their policy after every history, in every language."""

import json
import shutil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nonmarkov as nm
from nonmarkov.controllers import UNKNOWN, save_controller
from nonmarkov.controllers.c_code import to_c
from nonmarkov.controllers.python_code import to_python
from nonmarkov.controllers.table import make_table
from nonmarkov.core.automaton import UNDEFINED
from nonmarkov.errors import AlphabetError, InvalidParameterError, StorageError
from nonmarkov.files import unseal
from nonmarkov.testing.strategies import policies, processes
from tests.controllers.running import compile_c, run_c, run_python
from tests.formats.nasty import nasty_process

needs_cc = pytest.mark.skipif(
    shutil.which("cc") is None, reason="NO C COMPILER: controllers in C are NOT tested"
)


def load(policy):
    """Return the module of a policy's controller."""
    module = {"__name__": "controller"}
    exec(to_python(make_table(policy)), module)
    return module


def best_actions(policy, memory):
    row = policy.rows(np.array([memory]))[0]
    return {policy.automaton.alphabet.actions[i] for i in np.flatnonzero(row == row.max())}


def update(policy, memory, step):
    """Return the policy's memory after a step, UNDEFINED after labels it does not know."""
    try:
        return policy.update(memory, *step)
    except AlphabetError:
        return UNDEFINED


@st.composite
def played(draw):
    """Draw a policy on part of a process's automaton, and histories with unknown labels."""
    process = draw(processes())
    policy = draw(policies(process))
    edges = policy.automaton.edges
    kept = draw(st.lists(st.booleans(), min_size=len(edges), max_size=len(edges)))
    partial = nm.Automaton(
        process.alphabet, process.n_states, edges[np.array(kept, dtype=bool)], process.tables.start
    )
    symbols = st.tuples(
        st.sampled_from([*process.actions, 77]),
        st.sampled_from([*process.observations, 77]),
        st.sampled_from([*process.rewards, 0.123]),
    )
    histories = draw(st.lists(st.lists(symbols, max_size=8), min_size=1, max_size=4))
    return nm.Policy(partial, policy.table), histories


@given(drawn=played())
def test_python_controllers_do_what_the_policy_prefers(drawn):
    policy, histories = drawn
    module = load(policy)
    for history in histories:
        memory, state = policy.start(), module["start"]()
        assert module["act"](state) in best_actions(policy, memory)
        for step in history:
            memory, state = update(policy, memory, step), module["update"](state, *step)
            assert memory in (state, UNDEFINED)
            assert module["act"](state) in best_actions(policy, memory)


@needs_cc
@settings(max_examples=8)
@given(drawn=played())
def test_c_controllers_agree_with_those_in_python(tmp_path_factory, drawn):
    policy, histories = drawn
    folder = tmp_path_factory.mktemp("controller")
    save_controller(policy, folder / "policy.c")
    _, actions = run_c(compile_c(folder), policy.automaton.alphabet, histories)
    module = load(policy)
    for history, taken in zip(histories, actions, strict=True):
        state = module["start"]()
        expected = [module["act"](state)]
        for step in history:
            state = module["update"](state, *step)
            expected.append(module["act"](state))
        assert taken == expected


def test_python_controllers_run_without_anything_else(tmp_path, weather):
    save_controller(weather.optimal_policy, tmp_path / "policy.py")
    history = [("fast", "skidded", 0.0), ("slow", "arrived", 1.0), ("fly", "arrived", 1.0)]
    actions = run_python(tmp_path / "policy.py", history)
    assert actions == ["fast", "slow", "fast", "fast"]


def test_an_agent_is_exported_and_agrees(tmp_path):
    process = nm.domain("cheat_mab")
    agent = nm.Agent(process)
    agent.learn(100, progress=False)
    for name in ("policy.py", "policy.c", "policy.json"):
        agent.export(tmp_path / name)
    rng = np.random.default_rng(0)
    for _ in range(3):
        history, memory, expected = [], agent.policy.start(), []
        for _ in range(12):
            action = process.actions[rng.integers(2)]
            history.append((action, action, float(rng.choice(process.rewards))))
            expected.append(best_actions(agent.policy, memory))
            memory = agent.policy.update(memory, *history[-1])
        taken = run_python(tmp_path / "policy.py", history)
        assert all(a in best for a, best in zip(taken, expected, strict=False))


@needs_cc
def test_any_labels_can_be_written(tmp_path):
    process = nasty_process()
    for name in ("policy.py", "policy.c"):
        save_controller(process.optimal_policy, tmp_path / name)
        assert (tmp_path / name).read_text().isascii()
    n = len(process.actions)
    names, _ = run_c(compile_c(tmp_path), process.alphabet, [])
    assert names == " ".join(map(str, [*range(n), *range(len(process.observations)), -1])) + " ."
    module = load(process.optimal_policy)
    assert module["ACTIONS"] == process.actions
    assert module["OBSERVATIONS"] == process.observations
    history = [(a, process.observations[i], 1.5) for i, a in enumerate(process.actions[:5])]
    assert len(run_python(tmp_path / "policy.py", history)) == 6


@needs_cc
@pytest.mark.parametrize("name", ["2 lifts.c", "été.c", "int.c", "-.c"])
def test_names_of_files_become_names_of_functions(tmp_path, name, weather):
    save_controller(weather.optimal_policy, tmp_path / name)
    shutil.copy(tmp_path / name, tmp_path / "other.c")
    text = (tmp_path / name).read_text()
    prefix = text.split("_start();")[0].split()[-1]
    (tmp_path / "policy.c").write_text(text.replace(f"{prefix}_", "policy_"))
    compile_c(tmp_path)
    assert prefix.isidentifier()


def test_the_json_has_what_the_document_says(tmp_path, weather):
    save_controller(weather.optimal_policy, tmp_path / "policy.json")
    text = (tmp_path / "policy.json").read_text()
    content = unseal("nonmarkov.controller", text, "the file")
    assert content["actions"] == ["fast", "slow"]
    assert content["chosen"] == [0, 1]
    assert content["start"] == content["default"] == 0
    assert content["unknown"] == UNKNOWN == -1
    assert [0, 0, 1, 0, 1] in content["transitions"] or [-1, 0, 1, 0, 1] in content["transitions"]
    assert json.loads(text)["version"] == 1


def test_candidates_act_as_in_the_start(weather):
    automaton = nm.Automaton.from_steps(weather.alphabet, 2, [(0, "fast", "skidded", 0.0, 1)])
    partial = nm.Automaton(weather.alphabet, 2, automaton.edges, candidates=(1,))
    table = make_table(nm.Policy.greedy(partial, [1, 0]))
    assert table.chosen == (1, 1)
    assert table.default == 1


def test_an_automaton_without_edges_compiles(weather, tmp_path):
    policy = nm.Policy.greedy(nm.Automaton(weather.alphabet, 1, np.empty((0, 3))), [1])
    assert "N_TRANSITIONS = 0" in to_c(make_table(policy), "policy")
    if shutil.which("cc"):
        save_controller(policy, tmp_path / "policy.c")
        _, actions = run_c(compile_c(tmp_path), weather.alphabet, [[("fast", "skidded", 0.0)]])
        assert actions == [["slow", "slow"]]


@pytest.mark.parametrize("name", ["policy", "policy.txt", "policy.cpp", ".c"])
def test_other_suffixes_are_refused(tmp_path, weather, name):
    with pytest.raises(InvalidParameterError, match=r"must end in one of \.json, \.c, \.py"):
        save_controller(weather.optimal_policy, tmp_path / name)


def test_what_cannot_be_written_is_said(tmp_path, weather):
    with pytest.raises(StorageError, match="is no folder"):
        save_controller(weather.optimal_policy, tmp_path / "none" / "policy.c")
    with pytest.raises(
        InvalidParameterError, match=r"policy must be a Policy, such as agent\.policy"
    ):
        save_controller(weather, tmp_path / "policy.c")
