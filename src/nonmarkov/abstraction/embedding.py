"""Soundness: the safe part of a learned automaton is a part of the target."""

from nonmarkov.abstraction.definition import check_same_labels
from nonmarkov.core import Automaton, RegularProcess


def embedding(automaton: Automaton, process: RegularProcess) -> dict[int, int] | None:
    """Return the target state of every safe state, or None if the two do not fit.

    The target is the minimal automaton of the process. They fit if all histories that lead to a
    safe state lead to one target state, and different safe states to different ones; transitions
    are preserved then, because both automata read the same histories.
    """
    check_same_labels(automaton, process)
    pairs = process.minimal().paired_with(automaton)
    image: dict[int, int] = {}
    for state, target in zip(pairs.memory.tolist(), pairs.states.tolist(), strict=True):
        if automaton.is_safe(state) and image.setdefault(state, target) != target:
            return None
    return image if len(set(image.values())) == len(image) else None
