"""Simple memories from which to start the search for an automaton.

None of them is meant to be right. They remember a window of the last actions, outcomes or
symbols, or keep a register: a clock, a counter, a latch, for any event and of any size. What the
search needs is a start from which every further improvement is a small one.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nonmarkov.kernels.evidence import NOWHERE, Draft
from nonmarkov.learning.corpus import Corpus
from nonmarkov.learning.drafting import evidence_of, read
from nonmarkov.learning.side_by_side import side_by_side

Integers = NDArray[np.int32]
Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]

LONGEST_WINDOW = 6
LARGEST_WINDOW = 200  # states
LONG_VIEW = 400  # states of a window of observations, if that makes it longer than others
LARGEST_START = 600  # states; beyond that, observations alone are remembered
MOST_STATES = 400
MOST_WORK = 5_000_000  # steps walked to judge large registers beside one automaton
MOST_EVENTS = 300  # that are judged, the most frequent ones
KIND = 2  # steps walked in the time that steps of one kind take
AT_ONCE = 2  # parts of the registers, judged side by side
LEADERS = 4  # registers that are judged with resets as well
LARGEST_RESET = 8  # values of a register with resets


@dataclass(frozen=True, eq=False)
class Register:
    """A counter of events."""

    counted: Flags  # (S,), symbols that count
    reset: Flags  # (S,), symbols that set it back to 0
    size: int
    wrap: bool  # modulo size, or no further than size - 1
    evidence: float  # F of its product with the automaton that it was judged beside
    hope: float = 0.0  # nats by which F could rise if no state were split in vain


def one_state(corpus: Corpus) -> Integers:
    """Return the automaton that remembers nothing."""
    return np.where(corpus.words.ends, NOWHERE, 0).astype(np.int32)[None]


def simplest(corpus: Corpus) -> list[Integers]:
    """Return automata that remember nothing, the last outcome or the last symbol."""
    outcome = last_outcome(corpus)
    if corpus.n_symbols < LARGEST_START:
        return [
            one_state(corpus),
            outcome,
            _last(corpus, np.arange(corpus.n_symbols, dtype=np.int32)),
        ]
    observation = _last(corpus, _observations(corpus))
    return [one_state(corpus), *([outcome] if len(outcome) > len(observation) else []), observation]


def last_outcome(corpus: Corpus) -> Integers:
    """Return the automaton that remembers the last observation and reward.

    If there are too many of them, it remembers the last observation.
    """
    outcome = corpus.words.outcome
    few = np.unique(outcome).size < LARGEST_START
    return _last(corpus, outcome if few else _observations(corpus))


def _last(corpus: Corpus, letters: Integers) -> Integers:
    """Return the automaton that remembers the last letter; (S,), one for every symbol."""
    kinds, number = np.unique(letters, return_inverse=True)
    row = np.where(corpus.words.ends, NOWHERE, number + 1)
    return np.tile(row.astype(np.int32), (kinds.size + 1, 1))


def _observations(corpus: Corpus) -> Integers:
    """Return the observation of every symbol, (S,); endings have one of their own."""
    return corpus.words.outcome // len(corpus.alphabet.rewards)


def windows(corpus: Corpus) -> list[Integers]:
    """Return automata that remember the last actions, outcomes, symbols or observations.

    Observations without rewards are of use where the last outcomes are too many to remember.
    """
    words, symbols = corpus.words, corpus.log.symbols
    actions, outcomes, whole = (
        _windows(corpus, letters, 1, LARGEST_WINDOW)
        for letters in (words.action[symbols], words.outcome[symbols], symbols)
    )
    further = len(outcomes) + 1
    views = _windows(corpus, _observations(corpus)[symbols], further, LONG_VIEW)
    return [*actions, *outcomes, *whole, *views]


def _windows(corpus: Corpus, letters: Integers, shortest: int, largest: int) -> list[Integers]:
    """Return automata that remember the last letters; (steps,), one for every step."""
    most = max(20, min(largest, corpus.n_steps // 10))
    memory = np.zeros(corpus.n_steps, dtype=np.int64)
    found = []
    for length in range(1, LONGEST_WINDOW + 1):
        memory = _longer_window(corpus, letters, memory)
        if memory.max() >= most:
            break
        if length >= shortest:
            found.append(_automaton(corpus, memory))
    return found


def _longer_window(
    corpus: Corpus, letters: Integers, memory: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return a number for the last letters before every step: one letter more than `memory`."""
    longer = np.empty_like(memory)
    longer[1:] = 1 + memory[:-1] * (int(letters.max()) + 1) + letters[:-1]
    longer[corpus.log.starts[:-1]] = 0
    return _numbered(longer)


def _numbered(memory: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the same memory in terms of 0, 1, 2, ...; what comes first is 0."""
    present = np.zeros(int(memory.max()) + 1, dtype=np.int64)
    present[memory] = 1
    number = np.cumsum(present) - 1
    start = number[memory[0]]
    number = np.where(number == start, 0, np.where(number == 0, start, number))
    return number[memory]


def _automaton(corpus: Corpus, memory: NDArray[np.int64]) -> Integers:
    """Return the automaton whose state before every step is given; it must be deterministic."""
    state = _numbered(memory)
    successor = np.full((state.max() + 1, corpus.n_symbols), NOWHERE, dtype=np.int32)
    inner = np.ones(state.size, dtype=np.bool_)
    inner[corpus.log.starts[1:] - 1] = False
    before = np.flatnonzero(inner)
    successor[state[before], corpus.log.symbols[before]] = state[before + 1]
    return successor


def with_register(corpus: Corpus, successor: Integers, register: Register) -> Integers:
    """Return the product of an automaton and a register, on what the corpus visits."""
    from nonmarkov.kernels.counters import register_values

    value = register_values(
        corpus.log, register.counted, register.reset, register.size, register.wrap
    )
    state = read(corpus, successor).state.astype(np.int64)
    return _automaton(corpus, state * register.size + value)


def judged_registers(corpus: Corpus, successor: Integers) -> list[Register]:
    """Return registers beside an automaton, those of most evidence first."""
    events = _events(corpus)
    if events.size == 0:
        return []
    never = np.zeros_like(events)
    plain = _judge(corpus, successor, events, never, MOST_STATES)
    leaders = list({register.counted.tobytes(): register for register in plain}.values())[:LEADERS]
    pairs = [(r.counted, reset) for reset in events[1:] for r in leaders]
    pairs = [(counted, reset) for counted, reset in pairs if (counted != reset).any()]
    pairs = pairs[: max(1, MOST_WORK // (2 * corpus.n_steps))]  # the most frequent come first
    if pairs:
        counted, reset = map(np.array, zip(*pairs, strict=True))
        plain += _judge(corpus, successor, counted, reset, LARGEST_RESET)
    idle = evidence_of(corpus, successor)  # of a register that stays at 0
    plain = [register for register in plain if abs(register.evidence - idle) > 1e-6]
    plain.sort(key=lambda register: -register.evidence)
    return plain


def distinct(registers: list[Register], number: int) -> list[Register]:
    """Return the best of different kinds: of so many events, and twice as many periods."""
    by_period: dict[int, Register] = {}
    by_event: dict[tuple[bytes, bytes], Register] = {}
    for register in registers:
        by_period.setdefault(register.size if register.wrap else 0, register)
        by_event.setdefault((register.counted.tobytes(), register.reset.tobytes()), register)
    chosen = [*list(by_period.values())[: 2 * number], *list(by_event.values())[:number]]
    # The same evidence means the same states, by another name.
    return list({round(register.evidence, 6): register for register in chosen}.values())


def _events(corpus: Corpus) -> Flags:
    """Return the classes of symbols that a register may count, the most frequent ones first.

    All symbols; those with one action, reward, observation or outcome; single symbols.
    """
    words, alphabet = corpus.words, corpus.alphabet
    reward = words.outcome % len(alphabet.rewards)
    observation = _observations(corpus)
    numbers = np.arange(corpus.n_symbols, dtype=np.int32)
    classes: list[Integers] = [0 * numbers, words.action, reward, observation]
    classes += [words.outcome, numbers]
    masks = {}
    for letters in classes:
        for letter in np.unique(letters):
            mask = (letters == letter) & ~words.ends
            masks[mask.tobytes()] = mask
    masks.pop(np.zeros(corpus.n_symbols, dtype=np.bool_).tobytes(), None)
    frequency = np.bincount(corpus.log.symbols, minlength=corpus.n_symbols)
    ordered = sorted(masks.values(), key=lambda mask: -int(frequency[mask].sum()))
    return np.array(ordered[:MOST_EVENTS])


def _judge(
    corpus: Corpus, successor: Integers, counted: Flags, reset: Flags, largest: int
) -> list[Register]:
    """Return registers of all sizes for the given pairs of events, best first."""
    draft, n_states = read(corpus, successor), len(successor)
    room = max(2, MOST_STATES // n_states)
    most = np.minimum(_largest_counts(corpus, counted) + 2, min(largest, room))
    most = _affordable(most, corpus.n_steps, int(np.count_nonzero(draft.counts)))
    values = _verdicts(corpus, draft, counted, reset, most)
    found = np.argwhere(np.isfinite(values[..., 0]))
    found = found[np.argsort(-values[tuple(found.T)][:, 0], kind="stable")]
    events, verdicts = list(zip(counted, reset, strict=True)), values[tuple(found.T)].tolist()
    return [
        Register(*events[i], size, wrap == 1, *verdict)
        for (i, size, wrap), verdict in zip(found.tolist(), verdicts, strict=True)
    ]


def _verdicts(
    corpus: Corpus, draft: Draft, counted: Flags, reset: Flags, most: NDArray[np.int64]
) -> Floats:
    """Return F and what could be gained, by pair of events, size and kind; or -inf."""
    from nonmarkov.kernels.registers import judge_registers, make_board

    largest = int(most.max())

    def judge(rows: NDArray[np.int64]) -> Floats:
        values = np.full((rows.size, largest + 1, 2, 2), -np.inf)
        board = make_board(corpus.log, corpus.words, draft, largest)
        events = (counted[rows], reset[rows], most[rows])
        judge_registers(corpus.log, corpus.words, board, *events, values)
        return values

    parts = [np.arange(i, len(counted), AT_ONCE) for i in range(min(AT_ONCE, len(counted)))]
    values = np.empty((len(counted), largest + 1, 2, 2))
    for rows, judged in zip(parts, side_by_side(judge, parts), strict=True):
        values[rows] = judged
    return values


def _affordable(most: NDArray[np.int64], n_steps: int, n_edges: int) -> NDArray[np.int64]:
    """Return up to which size to judge registers; the most frequent events come first.

    Every size takes a walk over the kinds of steps, by edges and numbers of events. Rare events
    have small registers and are judged like the others: a signal that comes once may matter most.
    So half of the work is for small registers of all events.
    """
    sizes = np.arange(2, max(3, int(most.max(initial=2)) + 1))
    kinds = 2 * np.minimum(n_steps, KIND * most * n_edges)
    work = (kinds[:, None] * (np.minimum(most[:, None], sizes) - 1)).sum(axis=0)
    small = max(2, int(sizes[work <= MOST_WORK // 2].max(initial=2)))
    large = np.cumsum(kinds * (most - 1)) <= MOST_WORK // 2
    return np.where(large, most, np.minimum(most, small))


def _largest_counts(corpus: Corpus, counted: Flags) -> NDArray[np.int64]:
    """Return how often the events of every class happen in all but the longest episodes."""
    from nonmarkov.kernels.counters import count_events

    names = [event.tobytes() for event in counted]
    events = dict(zip(names, counted, strict=True))
    per_episode = np.zeros((corpus.n_episodes, len(events)), dtype=np.int32)
    count_events(corpus.log, np.array(list(events.values())), per_episode)
    rank = int(0.99 * (corpus.n_episodes - 1))
    largest = np.partition(per_episode, rank, axis=0)[rank]
    count = dict(zip(events, largest, strict=True))
    return np.array([count[name] for name in names], dtype=np.int64)
