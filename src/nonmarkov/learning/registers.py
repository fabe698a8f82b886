"""Registers that an automaton may lack: a clock, a counter, a latch, for any event, of any size.

They are judged beside the automaton, all on the same episodes; the search climbs from its product
with the most promising ones.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nonmarkov.kernels.evidence import Draft, evidence
from nonmarkov.learning.corpus import Corpus
from nonmarkov.learning.drafting import read
from nonmarkov.learning.memories import observations_of
from nonmarkov.learning.side_by_side import AT_ONCE, side_by_side

Integers = NDArray[np.int32]
Longs = NDArray[np.int64]
Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]

MOST_STATES = 400
MOST_WORK = 5_000_000  # steps walked to judge large registers beside one automaton
MOST_EVENTS = 300  # that are judged, the most frequent ones
KIND = 2  # steps walked in the time that steps of one kind take
LITTLE_WORK = 200_000  # steps walked, which are not worth sharing
LEADERS = 2  # registers that are judged with resets as well
LARGEST_RESET = 8  # values of a register with resets
GLANCE = 4  # the same, if there is no hope for smaller ones
USUAL = 0.95  # share of the episodes that a register must be large enough for
SAME = 1e-6  # nats; less is no difference


@dataclass(frozen=True, eq=False)
class Register:
    """A counter of events."""

    counted: Flags  # (S,), symbols that count
    reset: Flags  # (S,), symbols that set it back to 0
    size: int
    wrap: bool  # modulo size, or no further than size - 1
    evidence: float  # F of its product with the automaton that it was judged beside
    hope: float = 0.0  # nats by which F could rise if no state were split in vain


@dataclass(frozen=True, eq=False)
class Judged:
    """Registers beside an automaton, those of most evidence first."""

    counted: Flags  # (E, S), the events of E pairs
    reset: Flags  # (E, S)
    pair: Longs  # (R,), the pair of events of a register
    size: Longs  # (R,)
    wrap: Longs  # (R,)
    evidence: Floats  # (R,)
    hope: Floats  # (R,)

    def __len__(self) -> int:
        return self.pair.size

    def __getitem__(self, i: int) -> Register:
        return Register(
            self.counted[self.pair[i]],
            self.reset[self.pair[i]],
            int(self.size[i]),
            bool(self.wrap[i]),
            float(self.evidence[i]),
            float(self.hope[i]),
        )

    def where(self, keep: Flags) -> "Judged":
        """Return some of them."""
        kinds = (self.pair[keep], self.size[keep], self.wrap[keep])
        return Judged(self.counted, self.reset, *kinds, self.evidence[keep], self.hope[keep])

    def distinct(self, number: int) -> list[Register]:
        """Return the best of different kinds: of so many events, and twice as many periods."""
        period = np.where(self.wrap == 1, self.size, 0)
        chosen = [*_firsts(period)[: 2 * number], *_firsts(self.pair)[:number]]
        # The same evidence means the same states, by another name.
        return [self[i] for i in {round(float(self.evidence[i]), 6): i for i in chosen}.values()]


def _firsts(kinds: Longs) -> list[int]:
    """Return the places at which there is something that was not there before."""
    return sorted(np.unique(kinds, return_index=True)[1].tolist())


def with_register(corpus: Corpus, successor: Integers, register: Register) -> Integers:
    """Return the product of an automaton and a register, on what the corpus visits."""
    from nonmarkov.kernels.counters import product, register_values

    state = read(corpus, successor).state
    kind = (register.counted, register.reset, register.size, register.wrap)
    value = register_values(corpus.log, *kind)
    return product(corpus.log, state, len(successor), value, register.size, corpus.n_symbols)


def products_with(corpus: Corpus, base: Integers, registers: list[Register]) -> list[Integers]:
    """Return the products of an automaton with registers."""
    return [with_register(corpus, base, register) for register in registers]


def useful_registers(jury: Corpus, successor: Integers) -> list[Register]:
    """Return the register that explains most beside an automaton, and the one that could.

    To name one of n registers takes ln n nats; those that are worth less are left out.
    """
    judged = judged_registers(jury, successor)
    useful = judged.where(judged.hope > math.log(max(1, len(judged))))
    chosen = {0, int(useful.hope.argmax())} if len(useful) else set()
    return [useful[i] for i in sorted(chosen)]


def judged_registers(corpus: Corpus, successor: Integers, resets: bool = True) -> Judged:
    """Return registers beside an automaton, of all events.

    resets: the best of them with resets too; there are many more of these.
    """
    from nonmarkov.kernels.counters import usual_counts

    events, draft = _events(corpus), read(corpus, successor)
    room = max(2, MOST_STATES // len(successor))
    sizes = np.minimum(usual_counts(corpus.log, events, USUAL, MOST_STATES) + 2, room)
    judged = _judge(corpus, draft, events, np.zeros_like(events), sizes, MOST_STATES)
    leaders = [int(judged.pair[i]) for i in _firsts(judged.pair)[:LEADERS]]
    pairs = [(i, j) for j in range(1, len(events)) for i in leaders if i != j]
    pairs = pairs[: max(1, MOST_WORK // (2 * corpus.n_steps))]  # the most frequent come first
    if resets and pairs:
        counted, reset = np.array(pairs).T
        sizes = np.minimum(sizes[counted], LARGEST_RESET)
        others = _judge(corpus, draft, events[counted], events[reset], sizes, GLANCE)
        judged = _joined(judged, others)
    idle = evidence(corpus.words, draft)  # of a register that stays at 0
    return judged.where(np.abs(judged.evidence - idle) > SAME)


def _joined(one: Judged, other: Judged) -> Judged:
    """Return the registers of two tables in one."""
    evidences = np.concatenate([one.evidence, other.evidence])
    order = np.argsort(-evidences, kind="stable")
    return Judged(
        np.concatenate([one.counted, other.counted]),
        np.concatenate([one.reset, other.reset]),
        np.concatenate([one.pair, len(one.counted) + other.pair])[order],
        np.concatenate([one.size, other.size])[order],
        np.concatenate([one.wrap, other.wrap])[order],
        evidences[order],
        np.concatenate([one.hope, other.hope])[order],
    )


def _events(corpus: Corpus) -> Flags:
    """Return the classes of symbols that a register may count, the most frequent ones first.

    All symbols; those with one action, reward, observation or outcome; single symbols.
    """
    words, alphabet = corpus.words, corpus.alphabet
    reward = words.outcome % len(alphabet.rewards)
    numbers = np.arange(corpus.n_symbols, dtype=np.int32)
    classes: list[Integers] = [0 * numbers, words.action, reward, observations_of(corpus)]
    classes += [words.outcome, numbers]
    masks = np.concatenate([np.unique(letters)[:, None] == letters for letters in classes])
    masks &= ~words.ends
    masks = np.array(list({mask.tobytes(): mask for mask in masks}.values()))
    frequency = masks @ np.bincount(corpus.log.symbols, minlength=corpus.n_symbols)
    order = np.argsort(-frequency, kind="stable")
    return masks[order[: np.count_nonzero(frequency)][:MOST_EVENTS]]


def _judge(
    corpus: Corpus, draft: Draft, counted: Flags, reset: Flags, most: Longs, glance: int
) -> Judged:
    """Return registers for the given pairs of events, up to the given sizes or less.

    glance: size beyond which registers are judged only if there is hope for smaller ones.
    """
    most = _affordable(most, corpus.n_steps, int(np.count_nonzero(draft.counts)))
    values = _verdicts(corpus, draft, counted, reset, most, glance)
    pair, size, wrap = np.nonzero(np.isfinite(values[..., 0]))
    evidences, hopes = values[pair, size, wrap].T
    order = np.argsort(-evidences, kind="stable")
    kinds = (pair[order], size[order], wrap[order])
    return Judged(counted, reset, *kinds, evidences[order], hopes[order])


def _verdicts(
    corpus: Corpus, draft: Draft, counted: Flags, reset: Flags, most: Longs, glance: int
) -> Floats:
    """Return F and what could be gained, by pair of events, size and kind; or -inf."""
    from nonmarkov.kernels.registers import judge_registers, make_board

    largest = int(most.max(initial=0))

    def judge(rows: Longs) -> Floats:
        values = np.full((rows.size, largest + 1, 2, 2), -np.inf)
        board = make_board(corpus.log, corpus.words, draft, largest)
        events = (counted[rows], reset[rows], most[rows])
        judge_registers(corpus.log, corpus.words, board, *events, glance, values)
        return values

    if len(counted) * corpus.n_steps <= LITTLE_WORK:
        return judge(np.arange(len(counted)))
    # Neighbours are about as much work, and every other one may count the same events.
    turn = np.arange(len(counted)) // LEADERS % AT_ONCE
    parts = [np.flatnonzero(turn == i) for i in range(AT_ONCE)]
    values = np.empty((len(counted), largest + 1, 2, 2))
    for rows, judged in zip(parts, side_by_side(judge, parts), strict=True):
        values[rows] = judged
    return values


def _affordable(most: Longs, n_steps: int, n_edges: int) -> Longs:
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
