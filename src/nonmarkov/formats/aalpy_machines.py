"""Models as automata of AALpy, and back (extra `peers`).

Inputs are actions, outputs are pairs (observation, reward). An episode that ends answers with the
output "END" and stays in the state "end".
"""

from typing import Any

from nonmarkov.core import Automaton, RegularProcess
from nonmarkov.core.building import Draft, Row, assemble
from nonmarkov.errors import InvalidParameterError, MissingExtraError
from nonmarkov.formats.model import Model

END_OUTPUT = "END"
END_STATE = "end"


def to_stochastic_mealy(model: Model) -> Any:
    """Return the StochasticMealyMachine of a model; endings include random stopping."""
    automata = _load()
    states = [automata.StochasticMealyState(f"s{i}") for i in range(len(model.states))]
    end = automata.StochasticMealyState(END_STATE)
    alphabet = model.alphabet
    for (state, action), steps in model.rows.items():
        row = states[state].transitions[alphabet.actions[action]]
        for step in steps:
            output = (alphabet.observations[step.observation], alphabet.rewards[step.reward])
            chance = (1.0 - model.stop) * step.probability
            row.append((states[step.successor], output, chance))
        if (rest := 1.0 - sum(chance for _, _, chance in row)) > 1e-12:
            row.append((end, END_OUTPUT, rest))
    for label in alphabet.actions:
        end.transitions[label].append((end, END_OUTPUT, 1.0))
    return automata.StochasticMealyMachine(states[model.start], [*states, end])


def to_onfsm(automaton: Automaton) -> Any:
    """Return the Onfsm of an automaton: what may happen, without probabilities."""
    automata = _load()
    states = [automata.OnfsmState(f"s{i}") for i in range(automaton.n_states)]
    for state, symbol, successor in automaton.edges.tolist():
        action, observation, reward = automaton.alphabet.symbol(symbol)
        states[state].add_transition(action, (observation, reward), states[successor])
    return automata.Onfsm(states[automaton.start], states)


def from_aalpy(machine: Any, *, horizon: int, stop: float = 0.0) -> RegularProcess:
    """Return the process of a StochasticMealyMachine with outputs (observation, reward) or "END".

    horizon: steps of an evaluation episode. stop: random stopping on top of the machine's endings.
    """
    automata = _load()
    if not isinstance(machine, automata.StochasticMealyMachine):
        raise InvalidParameterError(
            f"machine must be a StochasticMealyMachine of AALpy, got {type(machine).__name__}."
        )
    states = [machine.initial_state]
    states += [s for s in machine.states if s is not machine.initial_state]
    states = [s for s in states if not _is_end(s)]
    index = {id(state): i for i, state in enumerate(states)}
    actions = list(machine.get_input_alphabet())
    draft = Draft(states=[state.state_id for state in states])
    for here, state in enumerate(states):
        for a, action in enumerate(actions):
            row, ending = _read_row(state, action, index)
            draft.outcomes[here, a], draft.terminations[here, a] = row, ending
    return RegularProcess(*assemble(draft, actions, stop=stop, horizon=horizon))


def _is_end(state: Any) -> bool:
    """Return whether a state answers everything with the end."""
    rows = state.transitions.values()
    return bool(rows) and all(output == END_OUTPUT for row in rows for _, output, _ in row)


def _read_row(state: Any, action: Any, index: dict[int, int]) -> tuple[Row, float]:
    """Return the outcomes of an input, and the probability of an ending."""
    row: Row = {}
    ending = 0.0
    for target, output, chance in state.transitions[action]:
        if output == END_OUTPUT:
            ending += chance
            continue
        place = f"state {state.state_id!r}, input {action!r}"
        if not isinstance(output, tuple) or len(output) != 2 or id(target) not in index:
            raise InvalidParameterError(
                f"{place}: outputs must be (observation, reward) or 'END', got {output!r}."
            )
        if output in row and row[output][1] != index[id(target)]:
            raise InvalidParameterError(f"{place}: output {output!r} leads to two states.")
        sofar = row.get(output, (0.0, 0))[0]
        row[output] = (sofar + chance, index[id(target)])
    return row, ending


def _load() -> Any:
    """Return AALpy's automata."""
    try:
        from aalpy import automata
    except ImportError:
        raise MissingExtraError("AALpy is not installed: pip install 'nonmarkov[peers]'.") from None
    return automata
