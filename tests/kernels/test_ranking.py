"""Ranking states by what follows a block, against a slow and obvious twin."""

import math

import numpy as np
from hypothesis import given

from nonmarkov.kernels.blocks import EDGE, fill_block
from nonmarkov.kernels.evidence import ROWS, USED
from nonmarkov.kernels.ranking import AHEAD, list_tails, predict, rank
from nonmarkov.kernels.scratch import NEAR, TAILS, make_scratch
from nonmarkov.learning.corpus import Corpus
from nonmarkov.learning.drafting import read
from nonmarkov.testing.strategies import processes, seeds


def predicted(corpus, draft, naming):
    """Return ln P(symbol | state, action) as a dictionary."""
    words, found = corpus.words, {}
    for q in range(draft.sizes[ROWS]):
        for s in range(corpus.n_symbols):
            a = words.action[s]
            tries, endings, seen = draft.tries[q, a], draft.endings[q, a], draft.counts[q, s]
            total = tries + draft.support[q, a] / 2 + 0.5
            if words.ends[s]:
                chance = (endings + 20 * words.ending + 1e-9) / (tries + endings + 20)
                found[q, s] = math.log(chance)
            elif seen > 0:
                found[q, s] = math.log((seen + 0.5) / total)
            else:
                found[q, s] = -words.price - naming + (math.log(0.5 / total) if tries else 0.0)
    return found


def likelihood(corpus, draft, chance, q, step, most):
    """Return the log probability of up to so many steps after a step, made from q."""
    log, value = corpus.log, 0.0
    end = log.starts[log.episode[step] + 1]
    for after in range(step + 1, min(end, step + 1 + most)):
        s = int(log.symbols[after])
        value += chance[q, s]
        q = int(draft.successor[q, s])
    return value


@given(processes(), seeds)
def test_the_best_target_is_the_likeliest(process, seed):
    rng = np.random.default_rng(seed)
    batch = process.sample(60, seed=seed)
    corpus = Corpus(batch.alphabet, batch.symbols, batch.starts)
    shape = (5, corpus.n_symbols)
    draft = read(corpus, rng.integers(5, size=shape).astype(np.int32))
    naming = corpus.words.unit * math.log(draft.sizes[USED] + 1.0)
    table = np.zeros((corpus.n_symbols, len(draft.successor)))
    for q in range(draft.sizes[ROWS]):
        predict(corpus.words, draft, q, naming, table)
    chance = predicted(corpus, draft, naming)
    assert all(math.isclose(table[s, q], value) for (q, s), value in chance.items())

    going_on = np.flatnonzero(~corpus.words.ends[corpus.log.symbols])
    if going_on.size == 0:
        return
    step = rng.choice(going_on)
    q, s = int(draft.state[step]), int(corpus.log.symbols[step])
    block = np.zeros(1, dtype=np.int32)
    n = fill_block(corpus.words, draft, block, EDGE, q, s)
    sizes = (corpus.alphabet.n_actions, corpus.n_steps, corpus.n_episodes)
    ranks = make_scratch(len(draft.successor), corpus.n_symbols, *sizes).ranks
    n_tails = list_tails(draft.head, draft.after, block[:n], int(draft.counts[q, s]), ranks.tails)
    tails = ranks.tails[:n_tails]
    assert 0 < len(tails) <= 2 * TAILS
    assert all(draft.state[tail] == q and corpus.log.symbols[tail] == s for tail in tails)

    used = [p for p in range(draft.sizes[ROWS]) if draft.visits[p] > 0]
    assert len(used) <= NEAR
    value = {
        p: sum(likelihood(corpus, draft, chance, p, tail, AHEAD) for tail in tails) for p in used
    }
    found = rank(corpus.log, corpus.words.ends, draft, ranks, n_tails, table)
    listed = [value[p] for p in ranks.targets[:found]]
    # One that was far behind on the way is not listed, however well it ends.
    assert np.allclose(listed, sorted(listed, reverse=True))
    assert listed[0] <= max(value.values()) + 1e-9
    if found == len(used):
        assert math.isclose(listed[0], max(value.values()), abs_tol=1e-9)
