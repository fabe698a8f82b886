"""E3, explicit explore or exploit: either the unknown can be reached soon, or it does not matter.

Kearns and Singh, "Near-optimal reinforcement learning in polynomial time", Machine Learning 49,
2002. A state is known when all its actions are. In unknown states the actions that are not known
yet are taken equally often (balanced wandering). In known states the agent explores, on the way
that most probably leads to something unknown, if that probability is at least ε / (2 V_max);
otherwise what is unknown is worth less than ε/2, and it exploits what it knows.
"""

import numpy as np

from nonmarkov.agents.interface import Plan
from nonmarkov.agents.model import FINE, EmpiricalModel, enough_sweeps, greedy_rows
from nonmarkov.agents.rmax import Floats, OptimisticAgent
from nonmarkov.core.experience import Experience


class E3(OptimisticAgent):
    """Decides in every state whether to explore or to exploit."""

    def plan(self, experience: Experience) -> Plan:
        """Return the actions of the three kinds of states."""
        known = self.known(experience)
        escape, way_out = self._escape(experience)
        policy = self.exploit(experience)
        leaves = np.asarray(escape >= self.epsilon / (2.0 * self.v_max))
        policy[leaves] = way_out[leaves]
        wandering = ~known.all(axis=1)
        untried = ~known[wandering]
        policy[wandering] = untried / untried.sum(axis=1, keepdims=True)
        return Plan(policy, self.goals(experience))

    def _escape(self, experience: Experience) -> tuple[Floats, Floats]:
        """Return the highest probability of reaching something unknown, and how, by state.

        A state with an unknown action is such a thing itself.
        """
        known = np.asarray(self.known(experience).all(axis=1))
        model = EmpiricalModel(experience, np.repeat(known[:, None], experience.n_actions, axis=1))
        accuracy = self.epsilon / self.v_max
        sweeps = enough_sweeps(min(1.0, FINE * accuracy), self.p)
        nothing = np.zeros(experience.n_states)
        worth = model.solve(1.0, 1.0, sweeps, FINE * accuracy * self.p, nothing, escape=True)
        return worth.values, greedy_rows(worth.pairs, FINE * accuracy)
