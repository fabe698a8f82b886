"""The MDP that a Markov abstraction induces.

    D^α(s'r|s,a) = Σ_{o: τ(s,aor)=s'} D(or|h_s,a)         h_s any history with α(h_s) = s

An MDP is a process whose observation is the next state, so that is what is returned. From a
candidate, or where the automaton has no edge, one cannot proceed: every action terminates there.
"""

from nonmarkov.abstraction.definition import markov_pairs
from nonmarkov.core import Automaton, RegularProcess
from nonmarkov.core.building import Draft, Row, assemble
from nonmarkov.exact.tables import PADDING


def induced_mdp(automaton: Automaton, process: RegularProcess) -> RegularProcess:
    """Return the induced MDP; its states are named by the numbers of the automaton's states.

    Raises NotMarkovError if the automaton is no Markov abstraction of the process.
    """
    pairs = markov_pairs(automaton, process)
    tables = pairs.tables
    memory = pairs.memory.tolist()
    number: dict[int, int] = {}  # automaton state, or UNDEFINED -> state of the MDP
    representative = []  # state of the MDP -> a pair that maps to it
    for pair, state in enumerate(memory):
        if state not in number:
            number[state] = len(number)
            representative.append(pair)
    draft = Draft(states=list(number))
    for here, pair in enumerate(representative):
        safe = automaton.is_safe(memory[pair])
        for action in range(tables.n_actions):
            row: Row = {}
            for entry, outcome in enumerate(tables.outcome[pair, action].tolist()):
                if safe and outcome != PADDING:
                    target = memory[tables.successor[pair, action, entry]]
                    key = (target, float(tables.gain[pair, action, entry]))
                    chance = float(tables.probability[pair, action, entry])
                    row[key] = (row.get(key, (0.0, 0))[0] + chance, number[target])
            draft.outcomes[here, action] = row
            draft.terminations[here, action] = (
                float(tables.termination[pair, action]) if safe else 1.0
            )
    return RegularProcess(
        *assemble(
            draft,
            process.actions,
            draft.states,
            process.rewards,
            stop=process.stop,
            horizon=process.horizon,
        )
    )
