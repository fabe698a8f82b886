"""Models in the language of PRISM: a decision process, or a chain under a policy.

The variable s is the state and o what was seen last. Random stopping and endings lead to the last
state, labelled "over". Rewards are expected ones, which is all that values depend on, so that
R{"reward"}max=? [ F "over" ] is the optimal value, exactly.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from nonmarkov.formats.identifiers import identifiers, legend
from nonmarkov.formats.model import Model, Step

RESERVED = (
    *("A", "bool", "clock", "const", "ctmc", "C", "double", "dtmc", "E", "endinit", "endinvariant"),
    *("endmodule", "endobservables", "endrewards", "endsystem", "false", "filter", "formula"),
    *("func", "F", "global", "G", "init", "invariant", "I", "int", "label", "max", "mdp"),
    *("min", "module", "X", "nondeterministic", "observable", "observables", "of", "Pmax"),
    *("Pmin", "P", "pomdp", "popta", "probabilistic", "prob", "pta", "rate", "rewards"),
    *("Rmax", "Rmin", "R", "S", "stochastic", "system", "true", "U", "W", "s", "o", "process"),
    *(),
)
Weights = NDArray[np.float64]  # (n_states, A), probabilities of actions


def to_prism(model: Model, weights: Weights | None = None) -> str:
    """Return an `mdp`, or with the action probabilities of a policy a `dtmc`."""
    actions = identifiers(model.alphabet.actions, "action", RESERVED)
    observations = identifiers(model.alphabet.observations, "observation", RESERVED)
    over, unseen = len(model.states), len(model.alphabet.observations)
    lines = [
        "// Written by nonmarkov; docs/formats.md says how to read it.",
        *(f"// action {line}" for line in legend(model.alphabet.actions, actions)),
        *(f"// observation {line}" for line in legend(model.alphabet.observations, observations)),
        "mdp" if weights is None else "dtmc",
        "",
        "module process",
        f"  s : [0..{over}] init {model.start};  // {over}: the episode is over",
        f"  o : [0..{unseen}] init {unseen};  // {unseen}: nothing was seen",
        *_commands(model, actions, weights),
        f"  [] s={over} -> true;",
        "endmodule",
        "",
        'rewards "reward"',
        *_rewards(model, actions, weights),
        "endrewards",
        "",
        f'label "over" = s={over};',
        *(f'label "seen_{name}" = o={index};' for index, name in observations.items()),
    ]
    return "\n".join([*lines, ""])


def _commands(model: Model, actions: dict[int, str], weights: Weights | None) -> Iterator[str]:
    """Yield a command for every state and action, or under a policy for every state."""
    for state in range(len(model.states)):
        if weights is not None:
            yield _command("", state, _mixed(model, state, weights))
            continue
        for action, name in actions.items():
            yield _command(name, state, _targets(model, model.rows[state, action]))


def _mixed(model: Model, state: int, weights: Weights) -> dict[tuple[int, int], float]:
    """Return where a policy leads from a state."""
    mixed: dict[tuple[int, int], float] = {}
    for action, weight in enumerate(weights[state].tolist()):
        for target, chance in _targets(model, model.rows[state, action]).items():
            mixed[target] = mixed.get(target, 0.0) + weight * chance
    return {target: chance for target, chance in mixed.items() if chance > 0.0}


def _targets(model: Model, steps: list[Step]) -> dict[tuple[int, int], float]:
    """Return the probability of every (state, observation) that steps lead to."""
    targets: dict[tuple[int, int], float] = {}
    for step in steps:
        pair = (step.successor, step.observation)
        targets[pair] = targets.get(pair, 0.0) + (1.0 - model.stop) * step.probability
    rest = 1.0 - sum(targets.values())
    if rest > 1e-12:
        targets[len(model.states), len(model.alphabet.observations)] = rest
    return targets


def _command(name: str, state: int, targets: dict[tuple[int, int], float]) -> str:
    updates = [f"{p!r} : (s'={target})&(o'={seen})" for (target, seen), p in targets.items()]
    return f"  [{name}] s={state} -> {' + '.join(updates)};"


def _rewards(model: Model, actions: dict[int, str], weights: Weights | None) -> Iterator[str]:
    """Yield the expected reward of every state and action, or under a policy of every state."""
    expected: dict[tuple[int, int], float] = {}
    for step in model.steps:
        place = (step.state, step.action)
        paid = (1.0 - model.stop) * step.probability * model.alphabet.rewards[step.reward]
        expected[place] = expected.get(place, 0.0) + paid
    if weights is None:
        for (state, action), paid in expected.items():
            if paid:
                yield f"  [{actions[action]}] s={state} : {paid!r};"
        return
    for state in range(len(model.states)):
        paid = sum(float(w) * expected.get((state, a), 0.0) for a, w in enumerate(weights[state]))
        if paid:
            yield f"  s={state} : {paid!r};"
