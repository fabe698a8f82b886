"""Markov abstractions: the definition, the induced MDP, and the representation theorem."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nonmarkov as nm
from nonmarkov import histories
from nonmarkov.abstraction import find_violation, represent_dynamics
from nonmarkov.core import UNDEFINED, Automaton
from nonmarkov.errors import FileFormatError, NonMarkovError, NotMarkovError
from nonmarkov.testing.strategies import policies, processes

from ..reference import exact as reference


def memoryless(process):
    """One state for all histories."""
    symbols = np.unique(process.automaton.edges[:, 1])
    edges = np.stack([np.zeros_like(symbols), symbols, np.zeros_like(symbols)], axis=1)
    return Automaton(process.alphabet, 1, edges)


def with_clock(automaton, period):
    """A finer automaton: the same states, times the number of steps modulo a period."""
    edges = [
        (state * period + clock, symbol, successor * period + (clock + 1) % period)
        for state, symbol, successor in automaton.edges.tolist()
        for clock in range(period)
    ]
    start = automaton.start * period
    return Automaton(automaton.alphabet, automaton.n_states * period, np.array(edges), start)


def cut(automaton, keep):
    """A partial automaton: states from `keep` on become candidates."""
    edges = automaton.edges[automaton.edges[:, 0] < keep]
    candidates = tuple(range(keep, automaton.n_states))
    return Automaton(automaton.alphabet, automaton.n_states, edges, automaton.start, candidates)


class TestDefinition:
    def test_the_true_automaton_is_an_abstraction(self, published):
        assert nm.MarkovAbstraction(published.automaton).matches(published)

    @given(processes())
    def test_finer_and_minimal_automata_are_abstractions(self, process):
        assert find_violation(process.minimal().automaton, process) is None
        assert find_violation(with_clock(process.automaton, 3), process) is None

    @given(processes(), st.integers(0, 3))
    def test_partial_automata_are_abstractions_where_they_are_safe(self, process, keep):
        partial = cut(process.minimal().automaton, keep)
        assert find_violation(partial, process) is None

    def test_labels_may_be_in_another_order_and_more(self, weather):
        def outcomes(state, action):
            if action == "slow":
                return [(1.0, "arrived", 1.0, "dry")]
            chance, after = (0.7, "dry") if state == "dry" else (0.1, "wet")
            return [(chance, "arrived", 3.0, after), (1 - chance, "skidded", 0.0, "wet")]

        abstraction = nm.MarkovAbstraction(weather.automaton)
        other = nm.RegularProcess.from_outcomes(
            "dry",
            ["slow", "fast"],
            outcomes,
            stop=0.2,
            observations=["never", "skidded", "arrived"],
            rewards=[7.0, 3.0, 1.0, 0.0],
        )
        assert abstraction.matches(other)
        assert abstraction.is_sound(other)
        assert abstraction.induced_mdp(other).n_states == weather.n_states

    @pytest.mark.parametrize("ask", ["matches", "is_sound", "violation", "induced_mdp"])
    @pytest.mark.parametrize(
        ("process", "message"),
        [
            (None, "process must be a RegularProcess, got None"),
            ("rotating_mab", "process must be a RegularProcess, got 'rotating_mab'"),
            (nm.domain("flickering_grid"), "another process: its actions are 0, 1, those of"),
            (nm.domain("cheat_mab"), "another process: its observations are 'lose', 'win', those"),
        ],
    )
    def test_another_process_is_refused(self, ask, process, message):
        """Even if the abstraction has no edge, so that it would break nothing."""
        automaton = Automaton(nm.domain("rotating_mab").alphabet, 1, [])
        with pytest.raises(NonMarkovError, match=message):
            getattr(nm.MarkovAbstraction(automaton), ask)(process)

    def test_an_action_that_was_never_logged_is_no_other_process(self):
        process = nm.domain("rotating_mab", k=3)
        alphabet = nm.Alphabet((0, 1), ("win",), (100.0,))
        assert nm.MarkovAbstraction(Automaton(alphabet, 1, [])).matches(process)

    @given(processes())
    def test_a_violation_is_a_real_one(self, process):
        automaton = memoryless(process)
        violation = find_violation(automaton, process)
        answers = {
            str([histories.dynamics(process, history, action) for action in process.actions])
            for history in reference.all_histories(process, 2)
        }
        if violation is None:
            assert len(answers) == 1
            return
        left, right = (
            histories.dynamics(process, history, violation.action)
            for history in violation.histories
        )
        assert (left, right) == violation.dynamics
        assert left != pytest.approx(right, abs=1e-10)
        states = {automaton.state_of(history) for history in violation.histories}
        assert states == {violation.state}

    def test_published_domains_need_their_memory(self, published):
        assert not nm.MarkovAbstraction(memoryless(published)).matches(published)

    def test_a_wrong_state_behind_candidates_does_not_matter(self):
        """Only histories with safe states count: hide the wrong part and it is an abstraction."""
        process = nm.domain("cheat_mab", k=3)
        wrong = process.automaton.edges.copy()
        wrong[wrong[:, 0] == 2, 2] = 0
        assert find_violation(Automaton(process.alphabet, 4, wrong), process) is not None
        visible = wrong[wrong[:, 0] < 2]
        partial = Automaton(process.alphabet, 4, visible, candidates=(2, 3))
        assert find_violation(partial, process) is None

    def test_a_candidate_may_stand_for_different_behaviours(self):
        """Nothing is claimed of candidates: all frontier edges may lead to the same one."""
        process = nm.domain("rotating_mab", k=3)
        edges = process.automaton.edges[process.automaton.edges[:, 0] == 0].copy()
        edges[:, 2] = 1
        frontier = Automaton(process.alphabet, 2, edges, candidates=(1,))
        assert find_violation(frontier, process) is None
        claimed = Automaton(process.alphabet, 2, edges)
        assert find_violation(claimed, process) is not None

    def test_an_automaton_may_start_anywhere(self):
        process = nm.domain("cheat_mab", k=3)
        last = process.n_states - 1
        edges = process.automaton.edges.copy()
        edges[:, [0, 2]] = last - edges[:, [0, 2]]
        turned = Automaton(process.alphabet, process.n_states, edges, start=last)
        assert find_violation(turned, process) is None
        policy = nm.MarkovAbstraction(turned).optimal_policy(process)
        assert process.value(policy) == pytest.approx(process.optimal_value)
        wrong = Automaton(process.alphabet, process.n_states, edges, start=0)
        assert find_violation(wrong, process) is not None

    def test_the_violation_explains_itself(self):
        process = nm.domain("rotating_mab", k=2)
        text = str(find_violation(memoryless(process), process))
        assert "share state 0, but action 0 answers with" in text


class TestInducedMdp:
    def test_its_optimal_policy_composed_with_the_abstraction_is_optimal(self, published):
        policy = nm.MarkovAbstraction(published.automaton).optimal_policy(published)
        assert published.value(policy) == pytest.approx(published.optimal_value, abs=1e-9)

    @given(processes())
    def test_so_it_is_on_random_processes_and_finer_abstractions(self, process):
        for automaton in (process.minimal().automaton, with_clock(process.automaton, 2)):
            abstraction = nm.MarkovAbstraction(automaton)
            assert process.value(abstraction.optimal_policy(process)) == pytest.approx(
                process.optimal_value, abs=1e-9
            )

    def test_its_value_is_that_of_the_process(self, published):
        mdp = nm.MarkovAbstraction(published.automaton).induced_mdp(published)
        assert mdp.optimal_value == pytest.approx(published.optimal_value, abs=1e-9)
        assert mdp.optimal_score == pytest.approx(published.optimal_score, abs=1e-9)

    @settings(max_examples=20)
    @given(processes(max_states=4, max_actions=2))
    def test_its_dynamics_are_those_of_the_process(self, process):
        """P_α(s'r|h,a) = D^α(s'r|α(h),a) on all short histories."""
        automaton = process.minimal().automaton
        mdp = nm.MarkovAbstraction(automaton).induced_mdp(process)
        for history in reference.all_histories(process, 2):
            abstract = [
                (a, automaton.state_of(history[: i + 1]), r) for i, (a, _, r) in enumerate(history)
            ]
            for action in process.actions:
                marginal = {}
                for outcome, chance in histories.dynamics(process, history, action).items():
                    key = outcome
                    if outcome is not nm.END:
                        key = (automaton.state_of([*history, (action, *outcome)]), outcome[1])
                    marginal[key] = marginal.get(key, 0.0) + chance
                assert histories.dynamics(mdp, abstract, action) == pytest.approx(marginal)

    def test_it_is_an_mdp(self, published):
        """The observation is the next state: the last observation is an abstraction."""
        mdp = nm.MarkovAbstraction(published.automaton).induced_mdp(published)
        for _, symbol, successor in mdp.automaton.edges.tolist():
            assert mdp.alphabet.symbol(symbol)[1] == mdp.states[successor]

    def test_one_cannot_proceed_from_candidates(self):
        process = nm.domain("rotating_mab", k=3)
        mdp = nm.MarkovAbstraction(cut(process.automaton, 2)).induced_mdp(process)
        frontier = mdp.states.index(2)
        assert mdp.tables.ended[frontier]
        assert mdp.optimal_value < process.optimal_value

    def test_an_undefined_edge_is_a_frontier_too(self):
        process = nm.domain("rotating_mab", k=2)
        lost = Automaton(process.alphabet, 2, process.automaton.edges[:-1])
        mdp = nm.MarkovAbstraction(lost).induced_mdp(process)
        assert UNDEFINED in mdp.states
        assert mdp.tables.ended[mdp.states.index(UNDEFINED)]

    def test_an_automaton_that_is_not_markov_induces_nothing(self):
        process = nm.domain("cheat_mab")
        with pytest.raises(NotMarkovError, match="no Markov abstraction: histories"):
            nm.MarkovAbstraction(memoryless(process)).induced_mdp(process)


class TestRepresentation:
    @settings(max_examples=15)
    @given(st.data())
    def test_the_automaton_represents_the_dynamics_under_the_policy(self, data):
        process = data.draw(processes(max_states=3, max_actions=2, max_observations=2))
        policy = data.draw(policies(process.minimal()))
        pdfa = represent_dynamics(process, policy)
        assert pdfa.automaton.start == policy.automaton.start
        for history in reference.all_histories(process, 2):
            assert pdfa.automaton.state_of(history) == policy.automaton.state_of(history)
            for action in process.actions:
                for remainder in (
                    [(action, nm.END, 0.0)],
                    *(
                        [(action, *outcome), (process.actions[0], nm.END, 0.0)]
                        for outcome in histories.dynamics(process, history, action)
                        if outcome is not nm.END
                    ),
                ):
                    expected = histories.remainder_probability(process, policy, remainder, history)
                    assert pdfa.probability_of(remainder, history) == pytest.approx(
                        expected, abs=1e-12
                    )

    def test_published_domains_are_represented_under_the_uniform_policy(self, published):
        policy = nm.Policy.uniform(published.automaton)
        pdfa = represent_dynamics(published, policy)
        for episode in published.sample(5, seed=2):
            expected = histories.remainder_probability(published, policy, episode)
            assert pdfa.probability_of(episode) == pytest.approx(expected, rel=1e-9)

    def test_a_partial_abstraction_represents_nothing(self):
        process = nm.domain("rotating_mab", k=3)
        with pytest.raises(NotMarkovError, match="partial"):
            represent_dynamics(process, nm.Policy.uniform(cut(process.automaton, 2)))

    def test_an_abstraction_must_be_markov(self):
        process = nm.domain("rotating_mab", k=3)
        with pytest.raises(NotMarkovError, match="no Markov abstraction"):
            represent_dynamics(process, nm.Policy.uniform(memoryless(process)))


class TestFormats:
    def test_step_follows_labels(self):
        process = nm.domain("rotating_mab", k=3)
        abstraction = nm.MarkovAbstraction(process.automaton)
        assert (abstraction.n_states, abstraction.start) == (3, 0)
        assert abstraction.step(0, 1, "win", 100) == 1
        assert abstraction.state_of([(0, "win", 100.0), (1, "lose", 0.0)]) == 1

    def test_json_and_files_give_it_back(self, tmp_path):
        abstraction = nm.MarkovAbstraction(cut(nm.domain("rotating_maze").automaton, 20))
        assert nm.MarkovAbstraction.from_json(abstraction.to_json()) == abstraction
        abstraction.save(tmp_path / "maze.json")
        assert nm.MarkovAbstraction.load(tmp_path / "maze.json") == abstraction

    def test_a_damaged_text_is_refused(self):
        text = nm.MarkovAbstraction(nm.domain("rotating_mab").automaton).to_json()
        with pytest.raises(FileFormatError, match="changed or damaged"):
            nm.MarkovAbstraction.from_json(text.replace('"n_states": 2', '"n_states": 3'))
        with pytest.raises(FileFormatError, match="no complete JSON"):
            nm.MarkovAbstraction.from_json(text[:-5])

    @pytest.mark.parametrize(
        "content", [{}, {"alphabet": 3}, {"alphabet": {"actions": []}, "n_states": "x"}]
    )
    def test_a_forged_text_is_refused(self, content):
        from nonmarkov.files import seal

        with pytest.raises(FileFormatError, match="does not hold a valid automaton"):
            nm.MarkovAbstraction.from_json(seal("nonmarkov.automaton", content))

    def test_dot_draws_safe_states_as_circles_and_candidates_as_squares(self):
        process = nm.RegularProcess.from_outcomes(
            "s", ['say "hi"'], lambda s, a: [(1.0, "back\\slash", 1.0, s)], stop=0.5
        )
        text = nm.MarkovAbstraction(process.automaton).to_dot()
        assert r'0 -> 0 [label="say \"hi\" / back\\slash, 1"];' in text
        assert "0 [shape=circle];" in text
        partial = Automaton(process.alphabet, 1, np.empty((0, 3)), candidates=(0,))
        assert "0 [shape=square];" in nm.MarkovAbstraction(partial).to_dot()
