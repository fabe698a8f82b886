"""A reader of as much of PRISM's language as is written, strict about its grammar."""

import re

NUMBER = r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?"
NAME = r"[A-Za-z_][A-Za-z0-9_]*"
UPDATE = re.compile(rf"({NUMBER}) : \(s'=(\d+)\)&\(o'=(\d+)\)")
COMMAND = re.compile(rf"  \[({NAME}|)\] s=(\d+) -> (.+);")
REWARD = re.compile(rf"  (?:\[({NAME})\] )?s=(\d+) : ({NUMBER});")


class PrismModel:
    """Commands and rewards of a text, by action and state."""

    def __init__(self, text):
        lines = [line.split("//")[0].rstrip() for line in text.splitlines()]
        lines = [line for line in lines if line]
        self.kind = lines.pop(0)
        assert self.kind in ("mdp", "dtmc")
        assert lines.pop(0) == "module process"
        self.states, self.start = self._variable(lines.pop(0), "s")
        self.observations, _ = self._variable(lines.pop(0), "o")
        end = lines.index("endmodule")
        self.commands = dict(self._command(line) for line in lines[:end])
        assert len(self.commands) == end, "two commands for one state and action"
        lines = lines[end + 1 :]
        assert lines.pop(0) == 'rewards "reward"'
        end = lines.index("endrewards")
        self.rewards = {}
        for line in lines[:end]:
            action, state, paid = REWARD.fullmatch(line).groups()
            self.rewards[action or "", int(state)] = float(paid)
        labels = [re.fullmatch(rf'label "({NAME})" = ([so])=(\d+);', x) for x in lines[end + 1 :]]
        self.labels = {match[1]: (match[2], int(match[3])) for match in labels}
        assert len(self.labels) == len(labels)

    @staticmethod
    def _variable(line, name):
        size, start = re.fullmatch(rf"  {name} : \[0\.\.(\d+)\] init (\d+);", line).groups()
        return int(size) + 1, int(start)

    def _command(self, line):
        action, state, updates = COMMAND.fullmatch(line).groups()
        if updates == "true":
            return (action, int(state)), [(1.0, int(state), None)]
        parts = [UPDATE.fullmatch(part).groups() for part in updates.split(" + ")]
        found = [(float(p), int(s), int(o)) for p, s, o in parts]
        assert abs(sum(p for p, _, _ in found) - 1.0) < 1e-9
        assert all(s < self.states and o < self.observations for _, s, o in found)
        return (action, int(state)), found

    def value(self, rounds=3000):
        """Return the largest expected total reward from the start."""
        values = [0.0] * self.states
        for _ in range(rounds):
            options = [[] for _ in values]
            for (action, state), updates in self.commands.items():
                later = sum(p * values[s] for p, s, _ in updates)
                options[state].append(self.rewards.get((action, state), 0.0) + later)
            before, values = values, [max(option) for option in options]
            if max(abs(a - b) for a, b in zip(before, values, strict=True)) < 1e-13:
                break
        return values[self.start]
