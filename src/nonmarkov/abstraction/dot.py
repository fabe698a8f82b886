"""Automata in the language of Graphviz: safe states as circles, candidates as squares."""

from collections import defaultdict

from nonmarkov.core import Automaton


def to_dot(automaton: Automaton) -> str:
    """Return a digraph; symbols that join the same two states share one edge."""
    labels: dict[tuple[int, int], list[str]] = defaultdict(list)
    for state, symbol, successor in automaton.edges.tolist():
        action, observation, reward = automaton.alphabet.symbol(symbol)
        labels[state, successor].append(f"{action} / {observation}, {reward:g}")
    lines = ["digraph automaton {", "  rankdir=LR;", '  begin [shape=none, label=""];']
    for state, safe in enumerate(automaton.safe.tolist()):
        lines.append(f"  {state} [shape={'circle' if safe else 'square'}];")
    lines.append(f"  begin -> {automaton.start};")
    for (state, successor), texts in labels.items():
        text = "\\n".join(_escape(text) for text in texts)
        lines.append(f'  {state} -> {successor} [label="{text}"];')
    return "\n".join([*lines, "}", ""])


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
