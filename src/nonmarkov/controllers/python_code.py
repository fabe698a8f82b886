"""A controller as a Python module that imports nothing but the standard library."""

from nonmarkov.controllers.table import ControllerTable

# Filled in below by plain replacement, so that braces mean what they say.
MODULE = '''"""A controller written by nonmarkov: a table, and three functions that read it.

    memory = start()
    action = act(memory)
    memory = update(memory, action, observation, reward)

After what it does not know the memory is UNKNOWN, where act returns what it does at the start; the
next symbol that it knows leads back. As a program, it prints an action, reads one line of JSON,
[action, observation, reward], prints the next action, and so on. Actions are printed as JSON.
"""

UNKNOWN = -1
ACTIONS = (
@ACTIONS@)
OBSERVATIONS = (
@OBSERVATIONS@)
REWARDS = (
@REWARDS@)
START = @START@
DEFAULT = @DEFAULT@  # action of the memory UNKNOWN, by index
CHOSEN = (
@CHOSEN@)  # action of every other memory

# (memory, action, observation, reward): next memory; UNKNOWN stands for all that are not listed.
TRANSITIONS = {
@TRANSITIONS@}

_ACTION = {label: index for index, label in enumerate(ACTIONS)}
_OBSERVATION = {label: index for index, label in enumerate(OBSERVATIONS)}
_REWARD = {value: index for index, value in enumerate(REWARDS)}


def start():
    """Return the memory before the first action."""
    return START


def act(memory):
    """Return the action to take."""
    return ACTIONS[DEFAULT if memory == UNKNOWN else CHOSEN[memory]]


def update(memory, action, observation, reward):
    """Return the memory after (action, observation, reward)."""
    try:
        symbol = (_ACTION[action], _OBSERVATION[observation], _REWARD[reward])
    except (KeyError, TypeError):
        return UNKNOWN
    usual = TRANSITIONS.get((UNKNOWN, *symbol), UNKNOWN)
    return TRANSITIONS.get((memory, *symbol), usual)


def _hashable(value):
    return tuple(map(_hashable, value)) if isinstance(value, list) else value


def main():
    """Talk to another program, one line at a time."""
    import json
    import sys

    memory = start()
    print(json.dumps(act(memory)), flush=True)
    for line in sys.stdin:
        memory = update(memory, *map(_hashable, json.loads(line)))
        print(json.dumps(act(memory)), flush=True)


if __name__ == "__main__":
    main()
'''


def to_python(table: ControllerTable) -> str:
    """Return the module as text, in ASCII."""
    transitions = [f"{(*row[:4],)}: {row[4]}" for row in table.transitions]
    filled = {
        "ACTIONS": _lines(map(ascii, table.alphabet.actions)),
        "OBSERVATIONS": _lines(map(ascii, table.alphabet.observations)),
        "REWARDS": _lines(map(repr, table.alphabet.rewards)),
        "START": str(table.start),
        "DEFAULT": str(table.default),
        "CHOSEN": _lines(map(str, table.chosen)),
        "TRANSITIONS": _lines(transitions),
    }
    # One pass over the template: what was filled in is never looked at again.
    parts = MODULE.split("@")
    return "".join(filled[part] if i % 2 else part for i, part in enumerate(parts))


def _lines(entries: "map[str] | list[str]") -> str:
    return "".join(f"    {entry},\n" for entry in entries)
