"""Episodes through a hypothesis graph: played in a process, or read from strings.

Both kernels stop at the first event and go on from there when called again, so a run is the same
however it is cut into calls. In the safe part of an episode the agent's action probabilities
apply and its visits are counted; the rest, from the first candidate on, is appended to that
candidate's chain of blocks.

Draws are those of `rollout`, written again: compiled code is kept by file, and a kernel that called
another file's would not notice when that one changes.

A candidate that stands for a safe node (`Graph.target`) is passed through, except by a probing
episode: that one stops at the first candidate it meets after `probe` others.
"""

import numpy as np

from nonmarkov.kernels.jit import jit
from nonmarkov.kernels.shapes import (
    BLOCK,
    CANDIDATE,
    DONE,
    EPISODE,
    FIRST_FREE,
    GOAL,
    MILESTONE,
    N_CANDIDATES,
    N_FREE,
    NO_ROOM,
    NODE,
    OUTSIDE_STEPS,
    PROBE,
    SAFE_STEPS,
    START,
    STATE,
    UNIFORM,
    Floats,
    Graph,
    Integers,
    Ledger,
    Longs,
    Pool,
    World,
)

SCRATCH = 4096  # symbols that are written at a time
GOLDEN = 0.6180339887498949  # its multiples fill the unit interval evenly


@jit
def _draw_action(choice: Floats, row: int, rng: np.random.Generator) -> int:
    """Return an action; counting needs no branch that could be mispredicted."""
    u = rng.random()
    action = 0
    for i in range(choice.shape[1] - 1):
        action += choice[row, i] <= u
    return action


@jit
def _draw_outcome(chance: Floats, state: int, action: int, rng: np.random.Generator) -> int:
    """Return an entry of the row, or their number for termination."""
    u = rng.random()
    entry = 0
    for i in range(chance.shape[2]):
        entry += chance[state, action, i] <= u
    return entry


@jit
def _take_block(following: Integers, free: Longs) -> int:
    """Return the position of a block that was free."""
    block = free[FIRST_FREE]
    free[FIRST_FREE] = following[block]
    free[N_FREE] -= 1
    return block * BLOCK


@jit
def _store(pool: Pool, candidate: int, symbols: Integers, cut_off: bool) -> None:
    """Append symbols to a candidate's chain; `room_for` them must be free.

    cut_off: mark the end, where no termination does.
    """
    data, following, free, width = pool.data, pool.following, pool.free, pool.width
    if pool.head[candidate] < 0:
        pool.head[candidate] = pool.tail[candidate] = _take_block(following, free)
    position = pool.tail[candidate]
    for i in range(symbols.size + cut_off):
        code = np.int64(symbols[i]) if i < symbols.size else pool.ends.size - 1
        data[position] = code & 255
        for byte in range(1, width):
            data[position + byte] = (code >> (8 * byte)) & 255
        position += width
        if position & (BLOCK - 1) == 0:
            block = position // BLOCK - 1
            position = _take_block(following, free)
            following[block] = position // BLOCK
    pool.tail[candidate] = position


@jit
def room_for(n_symbols: int, width: int) -> int:
    """Return the number of blocks that so many symbols may need."""
    return (n_symbols + 1) * width // BLOCK + 2


@jit
def _new_candidate(graph: Graph, node: int, symbol: int, milestone: int) -> int:
    """Return the node at the end of an edge that was never seen before."""
    candidate = graph.sizes[N_CANDIDATES]
    graph.sizes[N_CANDIDATES] += 1
    graph.origin[candidate, 0] = node
    graph.origin[candidate, 1] = symbol
    graph.milestone[candidate] = milestone
    graph.successor[node, symbol] = -candidate
    return -candidate


@jit
def _play_safe(
    world: World,
    choice: Floats,
    graph: Graph,
    ledger: Ledger,
    state: int,
    node: int,
    uniform: int,
    milestone: int,
    rng: np.random.Generator,
) -> tuple[int, int, int, bool]:
    """Play on while the node is safe; return the state, the node, the steps and a flag.

    uniform: 1 to act so whatever the agent would do, else 0.
    The node is 0 after termination. The flag says that some pair of node and action has had all
    the visits that were waited for; that ends the part as well.
    """
    chance, successor, symbols = world.chance, world.successor, world.symbol
    edges, remaining, counts = graph.successor, ledger.remaining, ledger.counts
    n_outcomes, steps, reached = chance.shape[2], 0, False
    while node > 0 and not reached:
        action = _draw_action(choice, 0 if uniform else node, rng)
        entry = _draw_outcome(chance, state, action, rng)
        symbol = symbols[state, action, entry]
        steps += 1
        if remaining[node, action] > 0:
            remaining[node, action] -= 1
            counts[node, symbol] += 1
            reached = remaining[node, action] == 0
        if entry == n_outcomes:
            return state, 0, steps, reached
        state = np.int64(successor[state, action, entry])
        following = np.int64(edges[node, symbol])
        node = following if following != 0 else _new_candidate(graph, node, symbol, milestone)
    return state, node, steps, reached


@jit
def _play_outside(
    world: World, choice: Floats, state: int, symbols: Integers, rng: np.random.Generator
) -> tuple[int, int, bool]:
    """Play uniformly, while there is room for symbols; return the state, the steps, if it ended."""
    chance, successor, table = world.chance, world.successor, world.symbol
    n_outcomes, steps, over = chance.shape[2], 0, False
    while not over and steps < symbols.size:
        action = _draw_action(choice, 0, rng)
        entry = _draw_outcome(chance, state, action, rng)
        symbols[steps] = table[state, action, entry]
        steps += 1
        over = entry == n_outcomes
        if not over:
            state = np.int64(successor[state, action, entry])
    return state, steps, over


@jit
def train_episodes(
    world: World,
    choice: Floats,
    graph: Graph,
    pool: Pool,
    ledger: Ledger,
    cursor: Longs,
    until: int,
    most_steps: int,
    milestone: int,
    probing: int,
    rng: np.random.Generator,
) -> int:
    """Play until `cursor` has counted so many episodes or steps, or an event; return which.

    choice: float64[S, A], cumulative action probabilities by safe node, row 0 outside.
    milestone: arrivals at which a new candidate is tested first.
    probing: every so many episodes one is a probe; 0 for never.
    """
    scratch = np.empty(SCRATCH, dtype=np.int32)
    while cursor[EPISODE] < until and cursor[SAFE_STEPS] + cursor[OUTSIDE_STEPS] < most_steps:
        if cursor[NODE] == 0 and not _begin(world, graph, cursor, probing):
            return NO_ROOM
        state, node, event = cursor[STATE], _pass_through(graph, cursor), DONE
        if node > 0:
            state, node, steps, reached = _play_safe(
                world, choice, graph, ledger, state, node, cursor[UNIFORM], milestone, rng
            )
            cursor[SAFE_STEPS] += steps
            event, over = GOAL if reached else DONE, node == 0
        else:
            if pool.free[N_FREE] < room_for(SCRATCH, pool.width):
                return NO_ROOM
            state, steps, over = _play_outside(world, choice, state, scratch, rng)
            _store(pool, -node, scratch[:steps], False)
            cursor[OUTSIDE_STEPS] += steps
            if over:
                event = _arrive(graph, cursor, -node)
                node = 0
        cursor[EPISODE] += over
        cursor[STATE], cursor[NODE] = state, node
        if event != DONE:
            return event
    return DONE


@jit
def _begin(world: World, graph: Graph, cursor: Longs, probing: int) -> bool:
    """Begin an episode, unless there is no room for the one candidate that it may bring."""
    if graph.sizes[N_CANDIDATES] == graph.arrivals.size:
        return False
    cursor[STATE], cursor[NODE] = world.start, graph.sizes[START]
    cursor[PROBE] = _probe(cursor[EPISODE], probing)
    # Every other probe is uniform throughout, to get where the agent does not go any more.
    cursor[UNIFORM] = cursor[PROBE] >= 0 and cursor[EPISODE] // probing % 2 == 1
    return True


@jit
def _pass_through(graph: Graph, cursor: Longs) -> int:
    """Return the node, or the safe one it stands for unless the episode is a probe of it."""
    node = cursor[NODE]
    if node < 0 and graph.target[-node] > 0 and cursor[PROBE] != 0:
        cursor[PROBE] -= 1
        return np.int64(graph.target[-node])
    return node


@jit
def _probe(episode: int, probing: int) -> int:
    """Return how many candidates an episode passes before it stops at one; -1 for all.

    One probe in j + 1 passes j candidates or more: no decided edge is too deep to be probed.
    """
    if probing == 0 or episode % probing != 0:
        return -1
    u = (episode // probing * GOLDEN) % 1.0
    return int(1.0 / (1.0 - u)) - 1


@jit
def _arrive(graph: Graph, cursor: Longs, candidate: int) -> int:
    """Count one more suffix of a candidate; return whether that is an event."""
    cursor[CANDIDATE] = candidate
    graph.arrivals[candidate] += 1
    return MILESTONE if graph.arrivals[candidate] == graph.milestone[candidate] else DONE


@jit
def read_strings(
    symbols: Integers,
    starts: Longs,
    begin: int,
    graph: Graph,
    pool: Pool,
    cursor: Longs,
    milestone: int,
    probing: int,
    latest: int,
) -> int:
    """Walk strings from a node until all are read, or an event; return which.

    begin: the node they start from; 0 for the start, and only then milestones are events.
    latest: number of symbols after which no suffix may begin, whether it is complete or cut off.
    """
    while cursor[EPISODE] < starts.size - 1:
        number = cursor[EPISODE]
        at, end = starts[number], starts[number + 1]
        room = room_for(end - at, pool.width)
        if pool.free[N_FREE] < room or graph.sizes[N_CANDIDATES] == graph.arrivals.size:
            return NO_ROOM
        node = begin if begin != 0 else graph.sizes[START]
        node, at = _walk(graph, pool, symbols, node, at, end, _probe(number, probing), milestone)
        cursor[EPISODE] += 1
        terminated = pool.ends[symbols[end - 1]]
        if node < 0 and at < end and at - starts[number] <= latest:
            _store(pool, -node, symbols[at:end], not terminated)
            if _arrive(graph, cursor, -node) == MILESTONE and begin == 0:
                return MILESTONE
    return DONE


@jit
def _walk(
    graph: Graph,
    pool: Pool,
    symbols: Integers,
    node: int,
    at: int,
    end: int,
    probe: int,
    milestone: int,
) -> tuple[int, int]:
    """Follow a string to where it meets a candidate or ends; return the node and the place."""
    while True:
        if node < 0 and graph.target[-node] > 0 and probe != 0:
            node = np.int64(graph.target[-node])
            probe -= 1
        if node < 0 or at == end or pool.ends[symbols[at]]:
            return node, at
        following = np.int64(graph.successor[node, symbols[at]])
        if following == 0:
            following = _new_candidate(graph, node, symbols[at], milestone)
        node = following
        at += 1
