"""How well an automaton explains a log of episodes: the logarithm of its posterior.

    F = Σ_{q,a} ln M(counts of (q, a)) - unit · ln(|Q| + 1) · (links + |Q|)
        - price · groups - Σ_q edges of q · ln(groups of q)

M is the probability of the outcomes under a Dirichlet(1/2) mixture on those observed. Endings are
taken out of the outcomes: they happen with the same chance everywhere, or a pair (q, a) has a
chance of its own; both are weighed by how well they explain them.

An edge is an observed (q, a, y), a group is an observed (q, y), and a link is a group with one of
the states that its edges lead to. So naming what can happen in a state, and where it leads, is
paid for once; then every action names its outcomes among those.

A draft is an automaton together with everything that reading the log through it gives. It is
changed in place, and every change costs only the steps that it moves to other states.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nonmarkov.kernels.jit import jit, leaf

Floats = NDArray[np.float64]
Integers = NDArray[np.int32]
Longs = NDArray[np.int64]
Flags = NDArray[np.bool_]

NOWHERE = -1  # an edge that has not been observed; the end of a list
ROWS, USED, LINKS, GROUPS = range(4)  # places in `Draft.sizes`

SURE_ENDINGS = 3  # from which a place may be one where episodes end for sure
COMMON, OWN = math.log(0.9), math.log(0.1)  # prior odds of the two explanations of endings


class Log(NamedTuple):
    """Episodes laid end to end: N steps, E episodes."""

    symbols: Integers  # (N,)
    starts: Longs  # (E + 1,)
    episode: Integers  # (N,), the episode of a step


class Lexicon(NamedTuple):
    """What the S symbols mean; they are sorted by action."""

    action: Integers  # (S,)
    outcome: Integers  # (S,)
    ends: Flags  # (S,), whether it is a termination
    first: Integers  # (A + 1,), first symbol of an action
    twin: Integers  # (S,), the next symbol with the same outcome, or NOWHERE
    leader: Integers  # (S,), the first symbol with the same outcome
    price: float  # cost of naming an outcome
    ending: float  # chance that a step ends the episode, unless it ends for sure; 0 if none did
    log_ending: float  # its logarithm
    log_lasting: float  # the same, of the chance that it goes on
    unit: float  # cost of naming a state, in units of ln(|Q| + 1)
    share: float  # of what it costs to describe an automaton, as the log is of a longer one
    log_gamma: Floats  # ln Γ(i / 2) for i = 0, 1, ...


class Draft(NamedTuple):
    """An automaton with room for R rows, and the log read through it; state 0 is the start."""

    successor: Integers  # (R, S), or NOWHERE
    counts: Integers  # (R, S)
    tries: Integers  # (R, A), endings left out
    endings: Integers  # (R, A)
    support: Integers  # (R, A), number of outcomes observed
    worth: Floats  # (R, A), what a cell adds to F, but for the terms of its counts
    visits: Integers  # (R,)
    links: Integers  # (R,)
    groups: Integers  # (R,)
    state: Integers  # (N,), the state in which a step was made
    head: Integers  # (R * S,), a step along an edge; `after` and `before` lead to the others
    after: Integers  # (N,)
    before: Integers  # (N,)
    usual: Integers  # (S,), where a symbol leads if nothing else is known
    sizes: Longs  # (4,): ROWS in use, states USED by the log, all LINKS and GROUPS


def log_gamma_table(size: int) -> Floats:
    """Return ln Γ(i / 2) for i = 0 .. size - 1; the entry 0 stands for nothing."""
    return np.array([0.0] + [math.lgamma(i / 2) for i in range(1, size)])


@leaf
def half_log_gamma(table: Floats, twice: int) -> float:
    """Return ln Γ(twice / 2)."""
    return table[twice] if twice < table.size else math.lgamma(0.5 * twice)


@jit
def common_ending(tries: Longs, endings: Longs) -> float:
    """Return the chance of ending, from places that go on and end so often; 0 if none ended.

    Places that end more often than not are left out, unless they are all there is.
    """
    n, e = 0, 0
    for i in range(tries.size):
        if endings[i] < SURE_ENDINGS or endings[i] <= tries[i]:
            n += tries[i]
            e += endings[i]
    if n + e == 0:
        n, e = tries.sum(), endings.sum()
    return (e + 0.5) / (n + e + 1.0) if endings.sum() > 0 else 0.0


@leaf
def ending_evidence(words: Lexicon, tries: int, endings: int) -> float:
    """Return the log probability that so many steps ended and the others did not."""
    if words.ending <= 0.0:
        return 0.0
    table = words.log_gamma
    common = COMMON + endings * words.log_ending + tries * words.log_lasting
    own = OWN - 2.0 * table[1] - half_log_gamma(table, 2 * (tries + endings) + 2)
    own += half_log_gamma(table, 2 * endings + 1) + half_log_gamma(table, 2 * tries + 1)
    high, low = max(common, own), min(common, own)
    return high + math.log(1.0 + math.exp(low - high))


@leaf
def cell_evidence(words: Lexicon, tries: int, endings: int, support: int) -> float:
    """Return what (q, a) adds to F, but for the terms ln Γ(count + 1/2) of its outcomes."""
    value, table = 0.0, words.log_gamma
    if support > 0:
        value = table[support] - half_log_gamma(table, support + 2 * tries)
        value -= support * table[1]
    if tries + endings > 0:
        value += ending_evidence(words, tries, endings)
    return value


@leaf
def structure_cost(words: Lexicon, used: int, links: int, groups: int) -> float:
    """Return the cost of states, of where edges lead, and of what can happen at all."""
    naming = words.unit * math.log(used + 1.0) * (used + links)
    return words.share * (naming + words.price * groups)


@leaf
def choice_cost(words: Lexicon, edges: int, groups: int) -> float:
    """Return the cost of saying which of the outcomes of a state its actions have."""
    return words.share * edges * math.log(groups) if groups > 1 else 0.0


@leaf
def edges_of(support: Integers, q: int) -> int:
    """Return the number of outcomes that a state's actions were observed to have, together."""
    edges = 0
    for a in range(support.shape[1]):
        edges += support[q, a]
    return edges


@leaf
def group_links(
    twin: Integers, successor: Integers, counts: Integers, change: Integers, q: int, leader: int
) -> int:
    """Return the number of states that the edges (q, ·, y) lead to, after a change of counts."""
    n, s = 0, leader
    while s >= 0:
        if counts[q, s] + change[q, s] > 0:
            new, other = 1, leader
            while other != s:
                if counts[q, other] + change[q, other] > 0:
                    new = 0 if successor[q, other] == successor[q, s] else new
                other = twin[other]
            n += new
        s = twin[s]
    return n


@leaf
def recount(words: Lexicon, draft: Draft, unchanged: Integers, q: int) -> None:
    """Count the links and groups of a state afresh, and weigh its cells.

    unchanged: a table of zeros.
    """
    for a in range(draft.tries.shape[1]):
        tries, endings = draft.tries[q, a], draft.endings[q, a]
        draft.worth[q, a] = cell_evidence(words, tries, endings, draft.support[q, a])
    links, groups = 0, 0
    for s in range(draft.counts.shape[1]):
        if words.leader[s] == s and not words.ends[s]:
            n = group_links(words.twin, draft.successor, draft.counts, unchanged, q, s)
            links += n
            groups += n > 0
    draft.sizes[LINKS] += links - draft.links[q]
    draft.sizes[GROUPS] += groups - draft.groups[q]
    draft.links[q] = links
    draft.groups[q] = groups


@leaf
def evidence(words: Lexicon, draft: Draft) -> float:
    """Return F of a draft."""
    sizes = draft.sizes
    total = -structure_cost(words, sizes[USED], sizes[LINKS], sizes[GROUPS])
    for q in range(draft.sizes[ROWS]):
        if draft.visits[q] == 0:
            continue
        total -= choice_cost(words, edges_of(draft.support, q), draft.groups[q])
        for a in range(words.first.size - 1):
            total += draft.worth[q, a]
            for s in range(words.first[a], words.first[a + 1]):
                if draft.counts[q, s] > 0 and not words.ends[s]:
                    total += half_log_gamma(words.log_gamma, 2 * draft.counts[q, s] + 1)
    return total


@leaf
def count(action: Integers, ends: Flags, draft: Draft, q: int, s: int, step: int) -> None:
    """Enter a step into the statistics of state q."""
    a = action[s]
    draft.sizes[USED] += draft.visits[q] == 0
    draft.visits[q] += 1
    draft.counts[q, s] += 1
    if ends[s]:
        draft.endings[q, a] += 1
        return
    draft.support[q, a] += draft.counts[q, s] == 1
    draft.tries[q, a] += 1
    edge = q * draft.successor.shape[1] + s
    following = draft.head[edge]
    draft.after[step] = following
    draft.before[step] = NOWHERE
    if following >= 0:
        draft.before[following] = step
    draft.head[edge] = step


@leaf
def uncount(action: Integers, ends: Flags, draft: Draft, q: int, s: int, step: int) -> None:
    """Take a step out of the statistics of state q."""
    a = action[s]
    draft.visits[q] -= 1
    draft.sizes[USED] -= draft.visits[q] == 0
    draft.counts[q, s] -= 1
    if ends[s]:
        draft.endings[q, a] -= 1
        return
    draft.support[q, a] -= draft.counts[q, s] == 0
    draft.tries[q, a] -= 1
    previous, following = draft.before[step], draft.after[step]
    if previous >= 0:
        draft.after[previous] = following
    else:
        draft.head[q * draft.successor.shape[1] + s] = following
    if following >= 0:
        draft.before[following] = previous


@leaf
def _walk(log: Log, ends: Flags, draft: Draft) -> None:
    """Walk through all episodes; note the state of every step, and count."""
    symbols, successor, state = log.symbols, draft.successor, draft.state
    counts, head, after, before = draft.counts, draft.head, draft.after, draft.before
    for episode in range(log.starts.size - 1):
        q = 0
        for step in range(log.starts[episode], log.starts[episode + 1]):
            s = symbols[step]
            state[step] = q
            counts[q, s] += 1
            if ends[s]:
                continue
            edge = q * successor.shape[1] + s
            following = head[edge]
            after[step] = following
            before[step] = NOWHERE
            if following >= 0:
                before[following] = step
            head[edge] = step
            q = successor[q, s]


@jit
def read_episodes(log: Log, words: Lexicon, draft: Draft) -> None:
    """Read all episodes into an empty draft; edges without a target lead where is usual."""
    complete(words, draft)
    _walk(log, words.ends, draft)
    unchanged = np.zeros_like(draft.counts)
    for q in range(draft.sizes[ROWS]):
        for s in range(draft.counts.shape[1]):
            n, a = draft.counts[q, s], words.action[s]
            draft.visits[q] += n
            if words.ends[s]:
                draft.endings[q, a] += n
            else:
                draft.tries[q, a] += n
                draft.support[q, a] += n > 0
        draft.sizes[USED] += draft.visits[q] > 0
        recount(words, draft, unchanged, q)


@jit
def _find_usual(ends: Flags, successor: Integers, counts: Integers, usual: Integers) -> None:
    """Find out where every symbol leads most often."""
    arrivals = np.zeros(counts.shape[0], dtype=np.int64)
    for s in range(counts.shape[1]):
        if ends[s]:
            continue
        arrivals[:] = 0
        for q in range(counts.shape[0]):
            if counts[q, s] > 0:
                arrivals[successor[q, s]] += counts[q, s]
        best = arrivals.argmax()
        if arrivals[best] > 0:
            usual[s] = best


@leaf
def _most_used_twin(twin: Integers, leader: int, counts: Integers, q: int) -> int:
    """Return the symbol of an outcome that was seen most often in q, or NOWHERE."""
    other, most, found = leader, 0, NOWHERE
    while other >= 0:
        if counts[q, other] > most:
            most = counts[q, other]
            found = other
        other = twin[other]
    return found


@jit
def complete(words: Lexicon, draft: Draft) -> None:
    """Give edges that have none a target: that of their most used twin, or the usual one."""
    _find_usual(words.ends, draft.successor, draft.counts, draft.usual)
    for q in range(draft.sizes[ROWS]):
        for s in range(draft.successor.shape[1]):
            if words.ends[s] or draft.successor[q, s] != NOWHERE:
                continue
            twin = _most_used_twin(words.twin, words.leader[s], draft.counts, q)
            draft.successor[q, s] = draft.successor[q, twin] if twin >= 0 else draft.usual[s]
