"""The stream learner and Algorithm 1, written for reading: lists, dictionaries, one step a line."""

import math
from collections import Counter

import numpy as np

from nonmarkov.core import simulation
from nonmarkov.core.automaton import UNDEFINED, Automaton
from nonmarkov.core.experience import Experience


def is_end(alphabet, symbol):
    return symbol % (alphabet.n_outcomes + 1) == alphabet.n_outcomes


def prefix_counts(suffixes, depth):
    """Return the counts of all prefixes of 1 .. depth symbols, and of suffixes by length."""
    counts = Counter(s[:length] for s in suffixes for length in range(1, min(depth, len(s)) + 1))
    reached = [sum(len(s) >= length for s in suffixes) for length in range(depth + 1)]
    return counts, reached


def largest_differences(one, two, depth):
    """Return μ_l for l = 0 .. d, from two lists of suffixes."""
    counts, _ = prefix_counts(one, depth)
    others, _ = prefix_counts(two, depth)
    mu = [0.0] * (depth + 1)
    for prefix in set(counts) | set(others):
        gap = abs(counts[prefix] / len(one) - others[prefix] / len(two))
        mu[len(prefix)] = max(mu[len(prefix)], gap)
    return mu


def deviations(one, two, settings, n_symbols, number, parts=1):
    """Return Δ_l for l = 0 .. d."""
    share = settings.delta / (2 * n_symbols * settings.n * (settings.n + 2))
    delta_i = 6 * share / (math.pi**2 * number**2) / parts
    result = []
    for length in range(settings.d + 1):
        n = sum(len(s) >= length for s in one) or len(one)
        m = sum(len(s) >= length for s in two) or len(two)
        room = n * m / (math.sqrt(n) + math.sqrt(m)) ** 2
        logarithm = math.log(4 * settings.d * float(n_symbols) ** length / delta_i)
        result.append(math.sqrt(logarithm / (2 * room)))
    return result


def compare(one, two, settings, n_symbols, number, parts=1):
    """Return the verdict and the two bounds."""
    mu = largest_differences(one, two, settings.d)
    delta = deviations(one, two, settings, n_symbols, number, parts)
    most = max(m + d for m, d in zip(mu, delta, strict=True))
    least = max(m - d for m, d in zip(mu, delta, strict=True))
    verdict = "equal" if most < settings.mu else "distinct" if least > 0 else "unknown"
    return verdict, least, most


class SlowLearner:
    """Nodes are numbered as in the library: safe ones 1, 2, ..., candidates -1, -2, ..."""

    def __init__(self, alphabet, settings, provisional=False):
        self.alphabet, self.settings, self.provisional = alphabet, settings, provisional
        self.refuted = False
        self.target = {}  # the safe node that a candidate stands for, if merges are provisional
        self.n_symbols = alphabet.n_actions * alphabet.n_outcomes
        self.edges = {}
        self.start = -1
        self.origin = {1: None}
        self.suffixes = {1: []}  # all that ever arrived
        self.stored = {1: []}  # those to be pushed on
        self.identity = {}  # the candidate that a safe node was
        self.tests, self.apart = Counter(), {1: set()}
        self.next_milestone = {1: settings.milestone(1)}
        self.changes = []
        self.episodes = 0

    @property
    def n_safe(self):
        return len(self.identity)

    def step(self, node, symbol):
        if (node, symbol) not in self.edges:
            candidate = len(self.origin) + 1
            self.edges[node, symbol] = -candidate
            self.origin[candidate] = (node, symbol)
            self.suffixes[candidate], self.stored[candidate] = [], []
            self.apart[candidate] = set()
            self.next_milestone[candidate] = self.settings.milestone(1)
        return self.edges[node, symbol]

    def pass_through(self, node, probe):
        """Return the node and the probe after a candidate that stands for a safe node."""
        if -node in self.target and probe != 0:
            return self.target[-node], probe - 1
        return node, probe

    def consume(self, episode, probe=-1, latest=None):
        """Read one episode; return whether the hypothesis changed."""
        self.episodes += 1
        candidate = self.place(episode, self.start, probe, latest)
        if candidate is None or len(self.suffixes[candidate]) != self.next_milestone[candidate]:
            return False
        pushes = []
        changed = self.test(candidate, pushes)
        while pushes:
            while pushes:
                node, suffixes = pushes.pop(0)
                for suffix in suffixes:
                    self.place(suffix, node)
            for due in sorted(self.origin):
                milestone = self.next_milestone[due]
                if milestone is not None and len(self.suffixes[due]) >= milestone:
                    changed |= self.test(due, pushes)
        return changed

    def place(self, string, node, probe=-1, latest=None):
        """Give what follows the first candidate to it; return that candidate."""
        at = 0
        node, probe = self.pass_through(node, probe)
        while node > 0 and at < len(string) and not is_end(self.alphabet, string[at]):
            node, probe = self.pass_through(self.step(node, string[at]), probe)
            at += 1
        rest = tuple(string[at:])
        if node > 0 or not rest:
            return None
        if latest is not None and at > latest:
            return None
        self.suffixes[-node].append(rest)
        self.stored[-node].append(rest)
        return -node

    def test(self, candidate, pushes):
        number = self.tests[candidate] + 1
        while self.settings.milestone(number + 1) <= len(self.suffixes[candidate]):
            number += 1
        self.tests[candidate] = number
        self.next_milestone[candidate] = self.settings.milestone(number + 1)
        mine = self.suffixes[candidate]
        if candidate in self.target:
            node = self.target[candidate]
            alike = [c for c, target in self.target.items() if target == node and c != candidate]
            for other in alike:
                theirs, parts = self.suffixes[other], len(alike)
                _, least, _ = compare(mine, theirs, self.settings, self.n_symbols, number, parts)
                self.refuted |= least > 0
            return False
        answers = {
            node: compare(mine, self.suffixes[other], self.settings, self.n_symbols, number)
            for node, other in self.identity.items()
            if node not in self.apart[candidate]
        }
        self.apart[candidate] |= {node for node, a in answers.items() if a[0] == "distinct"}
        equal = {node: a[2] for node, a in answers.items() if a[0] == "equal"}
        if equal:
            node = min(equal, key=equal.get)
            self.settle("merge", candidate, node, pushes)
            return True
        if len(self.apart[candidate]) == self.n_safe:
            verdict, _, _ = compare(mine, mine, self.settings, self.n_symbols, number)
            if verdict == "equal":
                node = self.n_safe + 1
                self.identity[node] = candidate
                self.settle("promotion", candidate, node, pushes)
                return True
        return False

    def settle(self, kind, candidate, node, pushes):
        origin = self.origin[candidate]
        edge = None if origin is None else (origin[0] - 1, origin[1])
        suffixes = len(self.suffixes[candidate])
        self.changes.append((kind, self.episodes, node - 1, edge, suffixes))
        if self.provisional:
            self.target[candidate] = node
        else:
            self.next_milestone[candidate] = None
            if origin is None:
                self.start = node
            else:
                self.edges[origin] = node
        if self.settings.propagation:
            pushes.append((node, self.stored[candidate]))
        self.stored[candidate] = []

    def to_automaton(self):
        live = {-n for n in [*self.edges.values(), self.start] if n < 0} - set(self.target)
        places = {-c: self.n_safe + i for i, c in enumerate(sorted(live))}
        places |= {node: node - 1 for node in self.identity}
        places |= {-c: node - 1 for c, node in self.target.items()}
        edges = [(node - 1, symbol, places[end]) for (node, symbol), end in self.edges.items()]
        n_states = self.n_safe + len(live)
        candidates = tuple(range(self.n_safe, n_states))
        return Automaton(self.alphabet, n_states, np.array(edges), places[self.start], candidates)


class SlowTrainer:
    """Algorithm 1, episode by episode and step by step."""

    def __init__(
        self, process, learner, agent, rng, uniform=False, on_change="affected", probing=0
    ):
        self.probing, self.episodes = probing, 0
        self.process, self.learner, self.agent, self.rng = process, learner, agent, rng
        self.uniform, self.on_change = uniform, on_change
        tables = process.tables
        self.chance = simulation.cumulative_chance(tables.dynamics, tables.ending)
        self.symbols = simulation.symbol_table(tables)
        self.counts = Counter()  # (safe node, symbol)
        self.steps, self.seen = [0, 0], 0
        self.plan()

    def visits(self, node, action):
        width = self.process.alphabet.n_outcomes + 1
        return sum(self.counts[node, action * width + outcome] for outcome in range(width))

    def experience(self):
        learner, alphabet = self.learner, self.process.alphabet
        seen = sorted(key for key, count in self.counts.items() if count and key[0] > 0)
        ends = [learner.pass_through(learner.edges.get(key, 0), -1)[0] for key in seen]
        visits = [
            [self.visits(node, action) for action in range(alphabet.n_actions)]
            for node in range(1, learner.n_safe + 1)
        ]
        shape = (learner.n_safe, alphabet.n_actions)
        return Experience(
            alphabet,
            max(learner.pass_through(learner.start, -1)[0] - 1, UNDEFINED),
            np.array(visits, dtype=np.int64).reshape(shape),
            np.array([node - 1 for node, _ in seen], dtype=np.int64),
            np.array([symbol for _, symbol in seen], dtype=np.int64),
            np.array([self.counts[key] for key in seen], dtype=np.int64),
            np.array([end - 1 if end > 0 else UNDEFINED for end in ends], dtype=np.int64),
        )

    def plan(self):
        self.plan_now = self.agent.plan(self.experience())

    def act(self, node):
        n_actions = self.process.alphabet.n_actions
        row = np.full(n_actions, 1.0 / n_actions)
        if node > 0 and not self.uniform and not self.forced:
            row = self.plan_now.policy[node - 1]
        (choice,) = simulation.cumulative_choice(np.asarray(row)[None, :])
        u = self.rng.random()
        return next(a for a in range(n_actions) if u < choice[a])

    def run_episode(self):
        tables = self.process.tables
        state, node, episode = tables.start, self.learner.start, []
        probe, self.forced = -1, False
        if self.probing and self.episodes % self.probing == 0:
            self.forced = self.episodes // self.probing % 2 == 1
            u = self.episodes // self.probing * (math.sqrt(5) - 1) / 2 % 1
            probe = int(1 / (1 - u)) - 1
        self.episodes += 1
        passed = probe
        while True:
            node, passed = self.learner.pass_through(node, passed)
            action = self.act(node)
            u = self.rng.random()
            row = self.chance[state, action]
            entry = next((i for i, limit in enumerate(row) if u < limit), row.size)
            symbol = int(self.symbols[state, action, entry])
            episode.append(symbol)
            self.steps[node <= 0] += 1
            if node > 0:
                self.observe(node, action, symbol)
            if entry == row.size:
                break
            state = int(tables.successor[state, action, entry])
            if node > 0:
                node = self.learner.step(node, symbol)
        if self.learner.consume(episode, probe):
            self.adopt()

    def observe(self, node, action, symbol):
        goal = self.plan_now.goals[node - 1, action]
        if self.visits(node, action) < goal:
            self.counts[node, symbol] += 1
            if self.visits(node, action) == goal:
                # The node after this step must be known to the model.
                if not is_end(self.process.alphabet, symbol):
                    self.learner.step(node, symbol)
                self.plan()

    def adopt(self):
        if self.on_change == "reset":
            self.counts.clear()
        if self.on_change == "affected":
            edges = [edge for _, _, _, edge, _ in self.learner.changes[self.seen :] if edge]
            affected = {state + 1 for state, _ in edges}
            for key in [key for key in self.counts if key[0] in affected]:
                del self.counts[key]
        self.seen = len(self.learner.changes)
        self.plan()
