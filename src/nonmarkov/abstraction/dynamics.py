"""An abstraction with the dynamics of its process: the states of one, the chances of the other."""

from nonmarkov.abstraction.representation import represent_dynamics
from nonmarkov.core import Automaton, Policy, RegularProcess
from nonmarkov.formats.model import Model, Step


def abstract_model(automaton: Automaton, process: RegularProcess) -> Model:
    """Return the steps between the states of a total Markov abstraction.

    Raises NotMarkovError if the automaton is no Markov abstraction of the process, or partial.
    """
    automaton = automaton.over(process.alphabet)
    # Under the uniform policy an edge has the chance of its outcome, divided by A.
    pdfa = represent_dynamics(process, Policy.uniform(automaton))
    alphabet = process.alphabet
    scale = alphabet.n_actions / (1.0 - process.stop)
    steps = []
    for (state, symbol, successor), chance in zip(
        pdfa.automaton.edges.tolist(), pdfa.probability.tolist(), strict=True
    ):
        action, outcome = divmod(symbol, alphabet.n_outcomes + 1)
        seen, paid = divmod(outcome, len(alphabet.rewards))
        steps.append(Step(state, action, seen, paid, scale * chance, successor))
    states = tuple(range(automaton.n_states))
    return Model(alphabet, states, automaton.start, process.stop, tuple(steps))
