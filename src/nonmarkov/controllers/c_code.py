"""A controller as one file of C99, without any dependency but <string.h>."""

import re
from collections.abc import Iterable

from nonmarkov.controllers.table import ControllerTable
from nonmarkov.formats.identifiers import texts

PLAIN = set(map(chr, range(32, 127))) - set('"\\?')  # characters that stand for themselves

# Filled in below by plain replacement, so that braces mean what they say.
SOURCE = """/* A controller written by nonmarkov: a table, and functions that read it.
 *
 *     int state = @P@_start();
 *     int action = @P@_act(state);
 *     state = @P@_update(state, action, @P@_find_observation("name"), reward);
 *
 * Actions and observations are numbers; @P@_find_... and @P@_..._name translate. What is not known
 * has the number -1. After it the state is @M@_UNKNOWN, where the action is that of the start; the
 * next symbol that is known leads back.
 */
#include <string.h>

#define @M@_UNKNOWN (-1)

int @P@_start(void);
int @P@_act(int state);
int @P@_update(int state, int action, int observation, double reward);
int @P@_find_action(const char *name);
int @P@_find_observation(const char *name);
const char *@P@_action_name(int action);
const char *@P@_observation_name(int observation);

enum {
    N_STATES = @N_STATES@,
    N_ACTIONS = @N_ACTIONS@,
    N_OBSERVATIONS = @N_OBSERVATIONS@,
    N_REWARDS = @N_REWARDS@,
    N_TRANSITIONS = @N_TRANSITIONS@
};

static const char *const actions[] = {
@ACTIONS@};

static const char *const observations[] = {
@OBSERVATIONS@};

static const double rewards[] = {
@REWARDS@};

/* Action of every state. */
static const int chosen[] = {
@CHOSEN@};

/* state, action, observation, reward, next state: sorted. The state -1 stands for all that have no
 * transition of their own. */
static const int transitions[][5] = {
@TRANSITIONS@};

static int find_transition(const int symbol[4])
{
    int low = 0, high = N_TRANSITIONS;
    while (low < high) {
        int middle = low + (high - low) / 2, i = 0;
        while (i < 4 && transitions[middle][i] == symbol[i]) {
            i++;
        }
        if (i == 4) {
            return transitions[middle][4];
        }
        if (transitions[middle][i] < symbol[i]) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return @M@_UNKNOWN;
}

static int find_name(const char *const *names, int count, const char *name)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

int @P@_start(void)
{
    return @START@;
}

int @P@_act(int state)
{
    return state < 0 || state >= N_STATES ? @DEFAULT@ : chosen[state];
}

int @P@_update(int state, int action, int observation, double reward)
{
    int symbol[4] = {state, action, observation, 0};
    while (symbol[3] < N_REWARDS && rewards[symbol[3]] != reward) {
        symbol[3]++;
    }
    int next = find_transition(symbol);
    if (next == @M@_UNKNOWN) {
        symbol[0] = -1;
        next = find_transition(symbol);
    }
    return next;
}

int @P@_find_action(const char *name)
{
    return find_name(actions, N_ACTIONS, name);
}

int @P@_find_observation(const char *name)
{
    return find_name(observations, N_OBSERVATIONS, name);
}

const char *@P@_action_name(int action)
{
    return action < 0 || action >= N_ACTIONS ? "" : actions[action];
}

const char *@P@_observation_name(int observation)
{
    return observation < 0 || observation >= N_OBSERVATIONS ? "" : observations[observation];
}
"""


def to_c(table: ControllerTable, name: str) -> str:
    """Return the file as text, in ASCII; `name` goes before the names of its functions."""
    prefix = re.sub(r"[^A-Za-z0-9]", "_", name)
    prefix = prefix if prefix[:1].isalpha() else f"policy_{prefix}".rstrip("_")
    alphabet = table.alphabet
    filled = {
        "P": prefix,
        "M": prefix.upper(),
        "N_STATES": str(len(table.chosen)),
        "N_ACTIONS": str(alphabet.n_actions),
        "N_OBSERVATIONS": str(len(alphabet.observations)),
        "N_REWARDS": str(len(alphabet.rewards)),
        "N_TRANSITIONS": str(len(table.transitions)),
        "ACTIONS": _lines(map(_string, texts(alphabet.actions, one_line=False))),
        "OBSERVATIONS": _lines(map(_string, texts(alphabet.observations, one_line=False))),
        "REWARDS": _lines(map(repr, alphabet.rewards)),
        "CHOSEN": _lines(map(str, table.chosen)),
        # C has no empty arrays; an entry beyond N_TRANSITIONS is never looked at.
        "TRANSITIONS": _lines(map(_braced, table.transitions or [(-1, -1, -1, -1, -1)])),
        "START": str(table.start),
        "DEFAULT": str(table.default),
    }
    # One pass over the template: what was filled in is never looked at again.
    parts = SOURCE.split("@")
    return "".join(filled[part] if i % 2 else part for i, part in enumerate(parts))


def _lines(entries: Iterable[str]) -> str:
    return "".join(f"    {entry},\n" for entry in entries)


def _braced(row: Iterable[int]) -> str:
    return f"{{{', '.join(map(str, row))}}}"


def _string(text: str) -> str:
    """Return a literal of UTF-8; octal escapes end by themselves, and `?` makes no trigraphs."""
    literal = "".join(
        chr(byte) if chr(byte) in PLAIN else f"\\{byte:03o}" for byte in text.encode()
    )
    return f'"{literal}"'
