"""Automata and models in the language of Graphviz.

Safe states are circles, candidates squares. The state that an episode begins in has an arrow from
nowhere.
"""

from collections import defaultdict
from collections.abc import Iterable

from nonmarkov.core import Automaton
from nonmarkov.formats.identifiers import texts
from nonmarkov.formats.model import Model

Lines = dict[tuple[int, int], list[str]]  # what is written beside the edge of two states


def automaton_to_dot(automaton: Automaton) -> str:
    """Return a digraph; symbols that join the same two states share one edge."""
    alphabet, lines = automaton.alphabet, defaultdict(list)
    actions, observations = texts(alphabet.actions), texts(alphabet.observations)
    for state, symbol, successor in automaton.edges.tolist():
        action, outcome = divmod(symbol, alphabet.n_outcomes + 1)
        seen, paid = divmod(outcome, len(alphabet.rewards))
        text = f"{actions[action]} / {observations[seen]}, {alphabet.rewards[paid]:g}"
        lines[state, successor].append(text)
    shapes = ["circle" if safe else "square" for safe in automaton.safe.tolist()]
    nodes = [f"  {state} [shape={shape}];" for state, shape in enumerate(shapes)]
    return _digraph(nodes, automaton.start, lines)


def model_to_dot(model: Model) -> str:
    """Return a digraph with probabilities; endings are left out, as they lead nowhere."""
    alphabet, lines = model.alphabet, defaultdict(list)
    actions, observations = texts(alphabet.actions), texts(alphabet.observations)
    for step in model.steps:
        text = f"{actions[step.action]} / {observations[step.observation]}"
        text += f", {alphabet.rewards[step.reward]:g} ({step.probability:.4g})"
        lines[step.state, step.successor].append(text)
    nodes = [
        f"  {state} [shape={'doublecircle' if model.is_over(state) else 'ellipse'}, "
        f'label="{_escape(name)}"];'
        for state, name in enumerate(texts(model.states))
    ]
    return _digraph(nodes, model.start, lines)


def _digraph(nodes: Iterable[str], start: int, lines: Lines) -> str:
    head = ["digraph automaton {", "  rankdir=LR;", '  begin [shape=none, label=""];']
    edges = []
    for (state, successor), written in lines.items():
        label = "\\n".join(map(_escape, written))
        edges.append(f'  {state} -> {successor} [label="{label}"];')
    return "\n".join([*head, *nodes, f"  begin -> {start};", *edges, "}", ""])


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
