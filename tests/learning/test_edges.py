"""How sure it is where edges lead."""

from dataclasses import replace

import numpy as np
import pytest

import nonmarkov as nm
from nonmarkov.learning.corpus import Corpus
from nonmarkov.learning.drafting import explanation, read
from nonmarkov.learning.edges import FEW_PASSAGES, LONE_PASSAGES, observed_edges

LETTERS = ("on", "stay", "back")
TABLE = [[1, 0, -1], [2, 1, -1], [-1, 2, 1]]  # the only way into state 2 is from state 1
WALK = ("on", "stay", "on", "stay", "back", "stay")
EVERY = {(0, "on"), (1, "stay"), (1, "on"), (2, "stay"), (2, "back")}


def unclear_after(walks):
    """Return the unclear edges after so many walks, if another target would be far worse."""
    batch = nm.EpisodeBatch.from_lists([[(0, letter, 0.0) for letter in WALK]] * walks)
    corpus = Corpus(batch.alphabet, batch.symbols, batch.starts)
    draft = read(corpus, np.array(TABLE, dtype=np.int32))
    found = explanation(corpus, draft, np.zeros(draft.successor.size))
    edges = observed_edges(corpus, replace(found, margin=found.margin + 100.0))
    listed = [(int(q), LETTERS[s]) for q, s in np.argwhere(edges.number >= 0)]
    assert set(listed) == EVERY
    return {edge for edge, unclear in zip(listed, edges.unclear, strict=True) if unclear}


@pytest.mark.parametrize(
    ("walks", "unclear"),
    [
        (FEW_PASSAGES // 2, EVERY),
        (FEW_PASSAGES, {(1, "on")}),
        (LONE_PASSAGES - 1, {(1, "on")}),
        (LONE_PASSAGES, set()),
    ],
)
def test_the_only_way_into_a_state_stays_unclear_for_longer(walks, unclear):
    assert unclear_after(walks) == unclear
