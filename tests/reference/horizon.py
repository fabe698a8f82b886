"""What a policy earns in so many steps, step by step over all that can happen."""

from nonmarkov.core.automaton import UNDEFINED
from nonmarkov.exact.tables import PADDING


def value_over(process, policy, horizon):
    """Expected reward of the first `horizon` actions, exact, under random stopping."""
    policy, tables = policy.over(process.alphabet), process.tables
    chance, total = {(tables.start, policy.automaton.start): 1.0}, 0.0
    for _ in range(horizon):
        following = {}
        for (state, memory), p in chance.items():
            n_actions = tables.n_actions
            row = policy.table[memory] if memory != UNDEFINED else [1.0 / n_actions] * n_actions
            for action in range(n_actions):
                if row[action] == 0.0:
                    continue
                for i, outcome in enumerate(tables.outcome[state, action]):
                    if outcome == PADDING:
                        continue
                    q = p * row[action] * tables.dynamics[state, action, i]
                    total += q * tables.rewards[outcome % len(tables.rewards)]
                    symbol = action * (tables.n_outcomes + 1) + outcome
                    after = policy.automaton.successor(memory, symbol)
                    pair = (tables.successor[state, action, i], after)
                    following[pair] = following.get(pair, 0.0) + q
        chance = {pair: p for pair, p in following.items() if p > 1e-12}
    return total
