"""How hard the states of a process are to tell apart.

The distinguishability of depth d is the smallest number μ such that some two states which are not
equivalent assign probabilities to every prefix of at most d symbols that differ by at most μ. The
paper's learner needs a lower bound on it, and about 1/μ² suffixes for a decision.
"""

from itertools import combinations

from nonmarkov.exact.tables import Tables


def distinguishability(tables: Tables, depth: int) -> float:
    """Return the distinguishability of the states, no two of which are equivalent.

    Actions are uniform and random stopping counts, as in the episodes that the learner sees. A
    single state is told apart from nothing: then it is 1.
    """
    from nonmarkov.kernels.separation import separation

    smallest = 1.0
    for pair in combinations(range(tables.n_states), 2):
        apart = separation(
            tables.dynamics,
            tables.outcome,
            tables.successor,
            tables.ending,
            pair,
            depth,
            smallest,
        )
        smallest = min(smallest, apart)
    return smallest
