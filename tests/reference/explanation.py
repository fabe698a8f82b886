"""How well an automaton explains episodes, written for reading: dictionaries, one term a line."""

import math
from collections import Counter, defaultdict
from itertools import chain, pairwise

from nonmarkov.learning.corpus import CHEAP, UNIT

END = "end"


def episodes_of(corpus):
    return [corpus.log.symbols[a:b].tolist() for a, b in pairwise(corpus.log.starts)]


def meaning(corpus, symbol):
    """Return the action and the outcome of a symbol, or END."""
    action, outcome = divmod(int(corpus.present[symbol]), corpus.alphabet.n_outcomes + 1)
    return action, END if outcome == corpus.alphabet.n_outcomes else outcome


def states(corpus, table):
    """Return the state before every step, episode by episode."""
    result = []
    for episode in episodes_of(corpus):
        state, path = 0, []
        for symbol in episode:
            path.append(state)
            state = int(table[state, symbol])
        result.append(path)
    return result


def register_values(corpus, counted, reset, size, wrap):
    """Return the value of a register before every step, episode by episode."""
    result = []
    for episode in episodes_of(corpus):
        value, values = 0, []
        for symbol in episode:
            values.append(value)
            if reset[symbol]:
                value = 0
            elif counted[symbol]:
                value = (value + 1) % size if wrap else min(value + 1, size - 1)
        result.append(values)
    return result


def count_steps(corpus, paths):
    """Return how often a symbol was seen in a state, by (state, symbol)."""
    return Counter(
        (state, symbol)
        for path, episode in zip(paths, episodes_of(corpus), strict=True)
        for state, symbol in zip(path, episode, strict=True)
    )


def outcomes_of(corpus, counts):
    """Return the symbols with which an outcome was observed in a state, by (state, outcome)."""
    groups = defaultdict(set)
    for state, symbol in counts:
        _, outcome = meaning(corpus, symbol)
        if outcome != END:
            groups[state, outcome].add(symbol)
    return groups


def price(corpus):
    """Return the cost of naming an outcome."""
    kinds = {meaning(corpus, symbol)[1] for episode in episodes_of(corpus) for symbol in episode}
    return math.log(len(kinds - {END})) if len(kinds - {END}) > CHEAP else 0.0


def ending_rate(corpus):
    """Return the chance that a step is the last where that is left to chance, or 0 if none was."""
    places = {}
    for episode in episodes_of(corpus):
        for before, symbol in zip([None, *episode[:-1]], episode, strict=True):
            places.setdefault(before, []).append(meaning(corpus, symbol)[1] == END)
    everything = list(chain(*places.values()))
    chancy = [ends for ends in places.values() if sum(ends) < 3 or sum(ends) <= len(ends) / 2]
    steps = list(chain(*chancy)) or everything
    return (sum(steps) + 0.5) / (len(steps) + 1) if any(everything) else 0.0


def log_mixture(counts):
    """Return the log probability of outcomes under a Dirichlet(1/2) mixture on those observed."""
    m, n = len(counts), sum(counts)
    value = math.lgamma(m / 2) - math.lgamma(m / 2 + n)
    return value + sum(math.lgamma(c + 0.5) - math.lgamma(0.5) for c in counts)


def log_endings(rate, went_on, ended):
    """Return the log probability of the endings, by the common chance or by one of their own."""
    if rate == 0.0:
        return 0.0
    common = math.log(0.9) + ended * math.log(rate) + went_on * math.log(1 - rate)
    own = math.log(0.1) + math.lgamma(ended + 0.5) + math.lgamma(went_on + 0.5)
    own -= 2 * math.lgamma(0.5) + math.lgamma(went_on + ended + 1)
    most = max(common, own)
    return most + math.log(math.exp(common - most) + math.exp(own - most))


def log_data(corpus, counts):
    """Return the log probability of what happened, pair (q, a) by pair."""
    happened = defaultdict(list)
    ended = Counter()
    for (state, symbol), n in counts.items():
        action, outcome = meaning(corpus, symbol)
        pair = happened[state, action]
        if outcome == END:
            ended[state, action] += n
        else:
            pair.append(n)
    rate, total = ending_rate(corpus), 0.0
    for pair, seen in happened.items():
        total += log_mixture(seen) if seen else 0.0
        total += log_endings(rate, sum(seen), ended[pair])
    return total


def structure(corpus, counts, links, naming=None):
    """Return the cost of naming states, where their outcomes lead, and what their actions do.

    naming: what one link costs, if that is settled.
    """
    groups = outcomes_of(corpus, counts)
    used = {state for state, _ in counts}
    naming = UNIT * math.log(len(used) + 1) if naming is None else naming
    cost = naming * (links + len(used)) + price(corpus) * len(groups)
    for state in used:
        mine = [symbols for (q, _), symbols in groups.items() if q == state]
        if mine:
            cost += sum(len(symbols) for symbols in mine) * math.log(len(mine))
    return cost


def count_links(corpus, table, counts):
    """Return the number of states that an outcome leads to, by (state, outcome)."""
    return {
        (state, outcome): len({int(table[state, symbol]) for symbol in symbols})
        for (state, outcome), symbols in outcomes_of(corpus, counts).items()
    }


def evidence(corpus, table):
    """Return F."""
    counts = count_steps(corpus, states(corpus, table))
    links = sum(count_links(corpus, table, counts).values())
    return log_data(corpus, counts) - structure(corpus, counts, links)


def product_counts(corpus, table, counted, reset, size, wrap):
    """Return how often a symbol was seen in a state at a value, by ((state, value), symbol)."""
    paths = [
        list(zip(path, values, strict=True))
        for path, values in zip(
            states(corpus, table),
            register_values(corpus, counted, reset, size, wrap),
            strict=True,
        )
    ]
    return count_steps(corpus, paths)


def loose_evidence(corpus, counts, naming=None):
    """Return F where an outcome leads to one state only."""
    links = len(outcomes_of(corpus, counts))
    return log_data(corpus, counts) - structure(corpus, counts, links, naming)


def product_evidence(corpus, table, *register):
    """Return F of the product with a register, where an outcome leads to one state only."""
    return loose_evidence(corpus, product_counts(corpus, table, *register))


def product_hope(corpus, table, *register):
    """Return by how much F would rise if only the states that gain by it were split."""
    alone = count_steps(corpus, states(corpus, table))
    product = product_counts(corpus, table, *register)
    used, total = {state for state, _ in alone}, 0.0
    naming = UNIT * math.log(len(used) + 1)
    for q in used:
        whole = {key: n for key, n in alone.items() if key[0] == q}
        split = {key: n for key, n in product.items() if key[0][0] == q}
        gain = loose_evidence(corpus, split, naming) - loose_evidence(corpus, whole, naming)
        total += max(0.0, gain)
    return total
