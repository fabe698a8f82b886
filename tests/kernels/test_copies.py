"""Which fresh copies a climb leaves out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nonmarkov.kernels.copies import copies_to_try, copy_row
from nonmarkov.kernels.evidence import NOWHERE
from nonmarkov.kernels.moves import try_move
from nonmarkov.kernels.redirection import forget_hits
from nonmarkov.learning.climber import Climber
from nonmarkov.learning.corpus import Corpus
from nonmarkov.learning.drafting import read
from nonmarkov.testing.strategies import processes, seeds


def random_draft(process, seed, n_states, episodes):
    """Return episodes and a random automaton, with room for another state."""
    rng, batch = np.random.default_rng(seed), process.sample(episodes, seed=seed)
    corpus = Corpus(batch.alphabet, batch.symbols, batch.starts)
    table = rng.integers(n_states, size=(n_states, corpus.n_symbols)).astype(np.int32)
    return corpus, read(corpus, np.where(corpus.words.ends, NOWHERE, table), room=1)


def observed_edges(corpus, draft):
    return np.argwhere((draft.counts > 0) & ~corpus.words.ends)


def gain_of_copy(corpus, draft, scratch, edge, loops, copied=NOWHERE):
    """Return what F gains if an edge leads to a fresh copy of its target."""
    n_symbols, fresh = corpus.n_symbols, len(draft.visits) - 1
    present = draft.successor[edge // n_symbols, edge % n_symbols]
    copy_row(draft.successor, fresh, present, loops)
    scratch.block[0] = edge
    forget_hits(scratch.trail)
    return try_move(corpus.log, corpus.words, draft, scratch, 1, fresh, 1, copied)[0]


@given(process=processes(), seed=seeds, n_states=st.integers(1, 4), episodes=st.integers(1, 40))
def test_copies_that_are_left_out_are_in_vain(process, seed, n_states, episodes):
    corpus, draft = random_draft(process, seed, n_states, episodes)
    scratch = Climber(corpus)._scratch(draft)
    for q, s in observed_edges(corpus, draft):
        edge = int(q * corpus.n_symbols + s)
        present = int(draft.successor[q, s])
        block = np.array([edge], dtype=np.int32)
        tried = copies_to_try(draft, block, present, together=True)
        plain, looped = (
            gain_of_copy(corpus, draft, scratch, edge, loops) for loops in (False, True)
        )
        if tried == 0:
            assert plain == pytest.approx(0.0, abs=1e-7)
        if tried < 2:
            same = looped == pytest.approx(plain, abs=1e-7)
            assert same or looped == pytest.approx(0.0, abs=1e-7)


@given(process=processes(), seed=seeds, n_states=st.integers(2, 4), episodes=st.integers(1, 40))
def test_a_step_aside_is_worth_what_walking_finds(process, seed, n_states, episodes):
    """In a copy without loops of its own, episodes are back on their path after one step."""
    corpus, draft = random_draft(process, seed, n_states, episodes)
    scratch = Climber(corpus)._scratch(draft)
    for q, s in observed_edges(corpus, draft):
        present = int(draft.successor[q, s])
        if q == present:
            continue
        edge = int(q * corpus.n_symbols + s)
        walked, aside = (
            gain_of_copy(corpus, draft, scratch, edge, False, copied)
            for copied in (NOWHERE, present)
        )
        assert aside == pytest.approx(walked, abs=1e-7)
