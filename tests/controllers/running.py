"""Controllers run as what they are: a compiled program, and Python without this library."""

import json
import subprocess
import sys

HARNESS = r"""
#include "policy.c"
#include <stdio.h>

/* Prints all names with their numbers, then plays: action, observation, reward on a line. */
int main(void)
{
    int state = policy_start(), action, observation;
    double reward;
    for (int i = 0; i < N_ACTIONS; i++) {
        printf("%d ", policy_find_action(policy_action_name(i)));
    }
    for (int i = 0; i < N_OBSERVATIONS; i++) {
        printf("%d ", policy_find_observation(policy_observation_name(i)));
    }
    printf("%d %s.\n", policy_find_action("never heard of"), policy_action_name(-1));
    printf("%d\n", policy_act(state));
    while (scanf("%d %d %lf", &action, &observation, &reward) == 3) {
        if (action == -2) {
            state = policy_start();
        } else {
            state = policy_update(state, action, observation, reward);
        }
        printf("%d\n", policy_act(state));
    }
    return 0;
}
"""


def compile_c(folder):
    """Compile folder/policy.c with a program around it; all warnings are errors."""
    (folder / "main.c").write_text(HARNESS)
    flags = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wno-overlength-strings"]
    command = ["cc", *flags, "-o", "policy", "main.c"]
    built = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    return folder / "policy"


def run_c(program, alphabet, histories):
    """Return the line of names, and the actions before and after every step of every history."""
    lines = []
    for history in histories:
        for action, observation, reward in history:
            a = index(alphabet.actions, action)
            lines.append(f"{a} {index(alphabet.observations, observation)} {reward!r}")
        lines.append("-2 0 0")
    output = subprocess.check_output([program], input="\n".join(lines), text=True).splitlines()
    numbers = list(map(int, output[1:]))
    actions = []
    for history in histories:
        actions.append([alphabet.actions[i] for i in numbers[: len(history) + 1]])
        numbers = numbers[len(history) + 1 :]
    return output[0], actions


def index(labels, label):
    return labels.index(label) if label in labels else -1


def run_python(path, history):
    """Return the actions before and after every step, from Python in isolated mode."""
    lines = "".join(json.dumps(step) + "\n" for step in history)
    command = [sys.executable, "-I", str(path)]
    output = subprocess.check_output(command, input=lines, text=True)
    return [as_label(json.loads(line)) for line in output.splitlines()]


def as_label(value):
    return tuple(map(as_label, value)) if isinstance(value, list) else value
