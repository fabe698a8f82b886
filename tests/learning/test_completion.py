"""What a policy does with symbols that were never seen in a state, against a slow twin."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nonmarkov.core import UNDEFINED
from nonmarkov.learning.completion import familiar
from nonmarkov.learning.corpus import Corpus
from nonmarkov.learning.drafting import read
from nonmarkov.testing.strategies import processes, seeds


def kin(corpus, symbol, same_reward):
    """Return the symbols with the same observation, and with the same reward if that is asked."""
    outcome, n_rewards = corpus.words.outcome, len(corpus.alphabet.rewards)
    if same_reward:
        return np.flatnonzero(outcome == outcome[symbol])
    return np.flatnonzero(outcome // n_rewards == outcome[symbol] // n_rewards)


def most_frequent_target(draft, corpus, q, symbols):
    """Return where the most frequent of the symbols leads, the first of those that are."""
    counts = Counter({int(s): int(draft.counts[q, s]) for s in symbols if not corpus.words.ends[s]})
    best = max(counts, key=lambda s: (counts[s], -s), default=None)
    return None if best is None or counts[best] == 0 else int(draft.successor[q, best])


@given(processes(), seeds, st.integers(1, 4))
def test_unseen_symbols_lead_where_the_most_similar_do(process, seed, n_states):
    batch = process.sample(5, seed=seed)
    corpus = Corpus(batch.alphabet, batch.symbols, batch.starts)
    table = np.random.default_rng(seed).integers(n_states, size=(n_states, corpus.n_symbols))
    draft = read(corpus, table.astype(np.int32))
    automaton = familiar(corpus, draft)
    for q in range(n_states):
        for s in np.flatnonzero(~corpus.words.ends):
            expected = [draft.successor[q, s] if draft.counts[q, s] else None]
            expected += [
                most_frequent_target(draft, corpus, q, kin(corpus, s, same))
                for same in (True, False)
            ]
            known = [target for target in expected if target is not None]
            found = automaton.successor(q, int(corpus.present[s]))
            assert found == (known[0] if known else UNDEFINED)
