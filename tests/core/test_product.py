"""A process beside an automaton, against a slow and obvious twin."""

import numpy as np
from hypothesis import given

from nonmarkov.core.automaton import UNDEFINED, Automaton
from nonmarkov.core.product import product
from nonmarkov.exact.tables import PADDING
from nonmarkov.testing.strategies import processes, seeds


def random_automaton(alphabet, rng):
    """Return an automaton with some of the edges that it might have."""
    n_states = int(rng.integers(1, 5))
    states, symbols = np.nonzero(rng.random((n_states, alphabet.n_symbols)) < 0.7)
    going_on = symbols % (alphabet.n_outcomes + 1) < alphabet.n_outcomes
    states, symbols = states[going_on], symbols[going_on]
    targets = rng.integers(n_states, size=len(states))
    return Automaton(alphabet, n_states, np.stack([states, symbols, targets], axis=1))


def walked(tables, automaton):
    """Return the reachable pairs in breadth-first order, and where every outcome leads."""
    pairs, moves = [(tables.start, automaton.start)], {}
    width = automaton.alphabet.n_outcomes + 1
    for number, (state, memory) in enumerate(pairs):
        for action in range(tables.n_actions):
            for entry, outcome in enumerate(tables.outcome[state, action].tolist()):
                if outcome == PADDING:
                    continue
                after = automaton.successor(memory, action * width + outcome)
                pair = (int(tables.successor[state, action, entry]), after)
                if pair not in pairs:
                    pairs.append(pair)
                moves[number, action, entry] = pairs.index(pair)
    return pairs, moves


@given(processes(), seeds)
def test_the_product_is_what_walking_finds(process, seed):
    automaton = random_automaton(process.alphabet, np.random.default_rng(seed))
    found = product(process.tables, automaton)
    pairs, moves = walked(process.tables, automaton)
    assert list(zip(found.states.tolist(), found.memory.tolist(), strict=True)) == pairs
    assert found.tables.successor.shape[0] == len(pairs)
    assert all(found.tables.successor[place] == number for place, number in moves.items())


@given(processes(), seeds)
def test_many_successors_are_those_of_each(process, seed):
    rng = np.random.default_rng(seed)
    automaton = random_automaton(process.alphabet, rng)
    states = rng.integers(UNDEFINED, automaton.n_states, size=20)
    symbols = rng.integers(process.alphabet.n_symbols, size=20)
    each = [automaton.successor(*at) for at in zip(states.tolist(), symbols.tolist(), strict=True)]
    assert automaton.successors(states, symbols).tolist() == each


@given(processes())
def test_an_automaton_without_edges_loses_its_way_at_once(process):
    nothing = Automaton(process.alphabet, 1, np.zeros((0, 3), dtype=np.int64))
    found = product(process.tables, nothing)
    assert found.memory.tolist() == [0] + [UNDEFINED] * (len(found.memory) - 1)
