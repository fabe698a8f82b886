"""The default method: no knowledge of the process, few episodes, a conditional certificate."""

from itertools import pairwise

import numpy as np
import pytest

import nonmarkov as nm
from nonmarkov.agents import ConditionalCertificate
from nonmarkov.core import UNDEFINED
from nonmarkov.errors import (
    InvalidParameterError,
)
from nonmarkov.learning.apart import ApartLearner
from nonmarkov.testing import random_process
from nonmarkov.training.outlook import QUEST_SHARE, Outlook, highest_value

SOLVED = {("rotating_mab", 2): 300, ("malfunction_mab", 3): 300, ("cheat_mab", 3): 300}


@pytest.fixture(scope="module", params=SOLVED, ids=lambda c: f"{c[0]}-{c[1]}")
def solved(request):
    """An agent that has learned one of the domains."""
    name, k = request.param
    agent = nm.Agent(nm.domain(name, k=k))
    agent.learn(SOLVED[request.param])
    return agent


@pytest.fixture
def coin():
    return pays({"heads": 1.0, "tails": 0.0})


def pays(rewards, **options):
    """A process with one state, where every action pays what it pays."""

    def outcomes(state, action):
        return [(0.5, "o", rewards[action], state), (0.5, "u", rewards[action], state)]

    options = {"stop": 0.1} | options
    return nm.RegularProcess.from_outcomes(0, list(rewards), outcomes, **options)


def content(agent):
    return [point[:7] for point in agent.curve]


def quests_after(process, episodes):
    """The share of quests, and how much there is to head for, after so many uniform episodes."""
    batch = process.sample(episodes, seed=0)
    learner = ApartLearner(batch.alphabet, np.random.default_rng(0))
    learner.remember(batch.symbols, batch.starts)
    learner.search()
    corpus = learner.corpus
    quests = Outlook(corpus, learner.explanation, highest_value(corpus)).course().quests
    return quests.share, quests.worth[0].max()


# --- learning -------------------------------------------------------------------------------------


def test_it_is_the_default():
    assert nm.Agent(nm.domain("rotating_mab")).method == "apart"


def test_it_reaches_the_optimal_score(solved):
    assert solved.score() == pytest.approx(solved.process.optimal_score)
    assert solved.curve[-1].score == pytest.approx(solved.score())


def test_it_finds_the_states(solved):
    assert solved.n_states == solved.process.minimal().n_states
    assert solved.abstraction.matches(solved.process)
    assert solved.abstraction.is_sound(solved.process)


def test_quests_begin_when_there_is_little_left_to_hope_for():
    process = nm.domain("rotating_maze", k=1)
    assert quests_after(process, 50)[0] == 0.0
    share, worth = quests_after(process, 5000)
    assert 0.0 < share <= QUEST_SHARE
    assert worth > 0.0


def test_there_are_no_quests_where_everything_is_decided():
    assert quests_after(nm.domain("rotating_mab", k=2), 2000) == (0.0, 0.0)


def test_the_same_seed_gives_the_same_run_and_another_one_another():
    agents = [nm.Agent(nm.domain("cheat_mab", k=3), seed=seed) for seed in (3, 3, 4)]
    for agent in agents:
        agent.learn(100)
    assert content(agents[0]) == content(agents[1]) != content(agents[2])


@pytest.mark.parametrize("name", ["malfunction_mab", "cheat_mab", "reset_rotating_mab"])
@pytest.mark.parametrize("pieces", [(30, 70), (1, 18, 1, 1, 79), (50, 25, 25)], ids=str)
def test_learning_in_pieces_is_learning_at_once(name, pieces):
    process = nm.domain(name)
    whole, parts = nm.Agent(process, seed=5), nm.Agent(process, seed=5)
    whole.learn(100)
    for piece in pieces:
        parts.learn(piece)
    assert parts.episodes == 100
    assert parts.policy.automaton == whole.policy.automaton
    assert np.array_equal(parts.policy.table, whole.policy.table)
    assert parts.abstraction == whole.abstraction
    assert parts.changes == whole.changes
    assert parts.certificate() == whole.certificate()


def test_looking_does_not_change_what_follows():
    process = nm.domain("malfunction_mab", k=3)
    looked, other = nm.Agent(process, seed=1), nm.Agent(process, seed=1)
    for _ in range(25):
        looked.learn(4)
        looked.certificate()
        assert looked.policy.table.shape[0] == looked.n_states
    other.learn(100)
    assert looked.changes == other.changes
    assert np.array_equal(looked.policy.table, other.policy.table)


def test_evaluation_does_not_disturb_training():
    process = nm.domain("cheat_mab", k=3)
    often, seldom = (nm.Agent(process, seed=2, evaluate_every=n) for n in (1, 100))
    often.learn(100)
    seldom.learn(100)
    assert len(often.curve) == 101
    assert often.changes == seldom.changes
    assert np.array_equal(often.policy.table, seldom.policy.table)


def test_evaluations_become_rarer():
    agent = nm.Agent(nm.domain("rotating_mab"))
    agent.learn(150)
    episodes = [point.episodes for point in agent.curve]
    assert episodes == [0, 20, 24, 28, 33, 39, 46, 55, 66, 79, 94, 112, 134, 150]


def test_every_step_is_of_use(solved):
    for point in solved.curve[1:]:
        assert point.safe_steps > 1.0
        assert point.outside_steps == 0.0


def test_changes_are_listed_with_evidence(solved):
    changes = solved.changes
    assert changes[0].before == 0
    assert changes[0].episode == 20
    assert changes[-1].states == solved.n_states
    for earlier, later in pairwise(changes):
        assert earlier.episode < later.episode
        assert earlier.states == later.before
    for change in changes:
        assert change.evidence >= 0.0
        assert str(change) == (
            f"after {change.episode} episodes: {change.before} -> {change.states} states, "
            f"{change.moved} edge{'s' if change.moved != 1 else ''} moved, "
            f"{change.evidence:.1f} nats better"
        )


# --- policies -------------------------------------------------------------------------------------


def test_the_policy_covers_every_history(solved):
    automaton, alphabet = solved.policy.automaton, solved.process.alphabet
    assert len(automaton.edges) == automaton.n_states * alphabet.n_actions * alphabet.n_outcomes
    assert automaton.safe.all()


def test_the_policy_is_planned_once_until_training_goes_on():
    agent = nm.Agent(nm.domain("rotating_mab", k=2), seed=0)
    agent.learn(30)
    before = agent.policy
    assert agent.policy is before
    agent.learn(30)
    assert agent.policy is not before


def test_it_acts_after_what_has_never_happened(solved):
    policy, alphabet = solved.policy, solved.process.alphabet
    rng = np.random.default_rng(0)
    memory = policy.start()
    for symbol in rng.integers(alphabet.n_symbols, size=200):
        action, observation, reward = alphabet.symbol(int(symbol))
        if observation is not nm.END:
            memory = policy.update(memory, action, observation, reward)
            assert memory != UNDEFINED
            assert policy.act(memory, rng) in alphabet.actions


def test_the_portrait_is_the_same_policy_on_what_is_decided(solved):
    assert solved.portrait.automaton == solved.abstraction.automaton
    assert np.array_equal(solved.portrait.table, solved.policy.table)


@pytest.mark.parametrize("episodes", [0, 1, 19])
def test_a_few_episodes_are_too_few_to_say_anything(episodes):
    agent = nm.Agent(nm.domain("rotating_mab", k=2))
    if episodes:
        agent.learn(episodes)
    assert agent.n_states == 1
    assert agent.changes == ()
    assert (agent.policy.table == 0.5).all()
    certificate = agent.certificate()
    assert certificate.obstacle == "too few episodes to say anything"
    assert certificate.episodes == episodes
    assert not certificate.passed
    assert (certificate.optimistic, certificate.pessimistic) == (1100.0, 0.0)


def test_twenty_episodes_are_enough_to_begin():
    agent = nm.Agent(nm.domain("rotating_mab", k=2))
    agent.learn(20)
    assert len(agent.changes) == 1
    assert not agent.certificate().obstacle


# --- odd worlds -----------------------------------------------------------------------------------


def test_a_single_action_is_enough():
    agent = nm.Agent(pays({"toss": 1.0}))
    result = agent.learn(60)
    assert result.n_states == 1
    assert result.score == pytest.approx(1.0)


def test_rewards_may_all_be_zero():
    agent = nm.Agent(pays({"heads": 0.0, "tails": 0.0}))
    result = agent.learn(60)
    assert result.score == 0.0
    assert result.certificate.gap == 0.0
    assert result.certificate.passed


def test_rewards_may_be_negative():
    agent = nm.Agent(pays({"dear": -2.0, "cheap": -1.0}))
    result = agent.learn(100)
    assert agent.policy.table.tolist() == [[0.0, 1.0]]
    assert result.score == pytest.approx(-1.0)
    certificate = result.certificate
    assert certificate.pessimistic <= agent.process.optimal_value <= certificate.optimistic <= 0.0


def test_negative_rewards_matter_where_states_do():
    """Every second step is dear, unless one swaps the arms."""

    def outcomes(state, action):
        return [(1.0, "o", -1.0 if action == state else -2.0, 1 - state)]

    process = nm.RegularProcess.from_outcomes(0, [0, 1], outcomes, stop=0.1)
    result = nm.Agent(process).learn(200)
    assert result.n_states == 2
    assert result.score == pytest.approx(-1.0)


def test_what_matters_may_be_nothing(coin):
    agent = nm.Agent(coin)
    result = agent.learn(100)
    assert result.n_states == 1
    assert result.score == pytest.approx(1.0)


def test_episodes_may_be_short():
    process = pays({"heads": 1.0, "tails": 0.0}, stop=0.9)
    assert nm.Agent(process).learn(300).score == pytest.approx(1.0)


def test_episodes_may_all_end_at_once():
    result = nm.Agent(pays({"heads": 1.0, "tails": 0.0}, stop=1.0 - 1e-6)).learn(30)
    assert result.n_states == 1


def test_worlds_may_end_of_themselves():
    """No random stopping: "go" pays and ends half the time, "rest" pays nothing and ends later."""

    def outcomes(state, action):
        paid = 1.0 if action == "go" else 0.0
        return [(0.5, "over", paid, None), (0.5, "on", paid, "here")]

    process = nm.RegularProcess.from_outcomes("here", ["go", "rest"], outcomes, horizon=5)
    agent = nm.Agent(process)
    agent.learn(200)
    assert process.value(agent.policy) == pytest.approx(process.optimal_value)
    assert "an episode has 6 steps on average at most" in str(agent.certificate())


@pytest.mark.parametrize("seed", range(5))
def test_random_worlds_can_be_learned_in(seed):
    process = random_process(seed, n_states=3, n_actions=3, n_observations=3, stop=0.2)
    agent = nm.Agent(process, seed=seed)
    result = agent.learn(150)
    assert result.score > process.score(nm.Policy.uniform(process.automaton))


# --- settings -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "settings",
    [{"mu": 0.1}, {"n": 3}, {"d": 1}, {"planner": "rmax"}, {"m": 10}, {"v_max": 2.0}],
    ids=str,
)
def test_settings_of_the_paper_are_refused(settings):
    (name,) = settings
    with pytest.raises(InvalidParameterError, match=f"^{name} is a setting of the paper's agents"):
        nm.Agent(nm.domain("rotating_mab"), **settings)


def test_its_own_settings_are_taken():
    agent = nm.Agent(nm.domain("rotating_mab"), epsilon=3.0, delta=0.01, evaluate_every=50)
    agent.learn(100)
    assert [point.episodes for point in agent.curve] == [0, 50, 100]
    assert (agent.certificate().epsilon, agent.certificate().delta) == (3.0, 0.01)


# --- certificates ---------------------------------------------------------------------------------


def certificate(**changed):
    fields = {
        "epsilon": 0.5,
        "delta": 0.1,
        "optimistic": 10.0,
        "pessimistic": 9.75,
        "episodes": 1234,
        "assumptions": ("the earth is round", "water is wet"),
        "apart": 4,
        "undecided": ((0, 1), (1, 3)),
        "doubt": -1.0,
    }
    return ConditionalCertificate(**(fields | changed))


def test_a_certificate_says_everything_it_depends_on():
    assert str(certificate()) == "\n".join(
        [
            "After 1,234 episodes, with probability 0.9: no policy",
            "earns more than 10.0000 per episode, and this one earns at least",
            "9.7500. So it is optimal up to epsilon = 0.2500 (2% of it);",
            "asked for: 0.5. All this provided that",
            "  * the earth is round",
            "  * water is wet",
            "4 of 6 pairs of states are certified to be different; undecided are 0 and 1, 1 and 3.",
        ]
    )


def test_a_certificate_lists_a_few_undecided_pairs_only():
    many = tuple((0, q) for q in range(1, 9))
    assert str(certificate(undecided=many)).endswith("0 and 4, 0 and 5, and 3 more.")
    assert str(certificate(undecided=())).endswith(
        "4 of 4 pairs of states are certified to be different."
    )
    assert str(certificate(apart=0, undecided=())).endswith("so no two had to be told apart.")


def test_a_certificate_says_what_stands_against_it():
    assert str(certificate(obstacle="it rains")).endswith("It cannot be certified: it rains.")


def test_passing_follows_gap_and_obstacle():
    assert certificate().passed
    assert certificate(pessimistic=9.5).passed
    assert not certificate(pessimistic=9.4).passed
    assert not certificate(obstacle="it rains").passed


def test_the_certificate_of_an_agent_holds(solved):
    process, found = solved.process, solved.certificate()
    assert found.optimistic >= process.optimal_value
    assert found.pessimistic <= process.value(solved.policy)
    assert found.episodes == solved.episodes
    text = str(found)
    assert f"epsilon = {found.gap:.4f}" in text
    assert "asked for: 0.2" in text
    assert "with probability 0.8" in text
    assert f"these {solved.n_states} states: the automaton is a Markov abstraction" in text
    assert "a step ends an episode with probability 0.09091 at least" in text
    pairs = solved.n_states * (solved.n_states - 1) // 2
    assert found.apart + len(found.undecided) == pairs


def test_the_gap_closes():
    agent = nm.Agent(nm.domain("rotating_mab", k=2))
    gaps = [agent.learn(episodes).certificate.gap for episodes in (100, 900, 2_000)]
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[-1] < 0.5 * gaps[0]


def test_training_can_stop_when_the_policy_is_certified(coin):
    agent = nm.Agent(coin, epsilon=3.0)
    result = agent.learn(100_000, until_certified=True)
    assert result.certificate.passed
    assert result.episodes < 100_000
