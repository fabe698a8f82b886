"""The exact expected score of a policy under the evaluation protocol.

An evaluation episode has at most H steps, is never stopped at random, and ends early when a state
is reached where every action terminates for sure (the goal). Its score is the sum of rewards
divided by the number of steps taken; an action that is answered by termination is not a step.
"""

import numpy as np

from nonmarkov.exact.tables import Floats, Tables


def expected_score(tables: Tables, policy: Floats) -> float:
    """Return E[sum of rewards / steps] for a policy on the states, (Q, A).

    Runs forward in time with two vectors over the states: the probability that the episode is
    still going and is there, and the expected sum of rewards on that event. Where episodes end
    after t steps, the second one is divided by t.
    """
    weights = policy[:, :, None] * tables.probability
    leaving = (policy * tables.termination).sum(axis=1)
    alive = np.zeros(tables.n_states)
    alive[tables.start] = 1.0
    alive[tables.ended] = 0.0
    earned = np.zeros(tables.n_states)
    score = 0.0
    for steps in range(1, tables.horizon + 1):
        if steps > 1:
            score += float(earned @ leaving) / (steps - 1)
        flow = alive[:, None, None] * weights
        income = earned[:, None, None] * weights + flow * tables.gain
        alive, earned = _arrivals(tables, flow), _arrivals(tables, income)
        score += float(earned[tables.ended].sum()) / steps
        alive[tables.ended] = earned[tables.ended] = 0.0
    return score + float(earned.sum()) / tables.horizon


def _arrivals(tables: Tables, flow: Floats) -> Floats:
    """Return the total of `flow`, (Q, A, B), that arrives in every state, (Q,)."""
    totals = np.bincount(tables.successor.ravel(), flow.ravel(), minlength=tables.n_states)
    return totals.astype(np.float64)
