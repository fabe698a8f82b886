"""Folders of results in the format of the library, made up for tests."""

import json

from nonmarkov.results.reading import COLUMNS
from nonmarkov.results.specification import RunSpec


def make_spec(domain="rotating_mab", k=2, method="apart", seed=0, settings=None, episodes=1000):
    return RunSpec(domain, {"k": k}, method, seed, episodes, settings or {})


def make_snapshot(n_states, episodes, n_candidates=0, observation="win", actions=("left", "right")):
    """A ring of safe states with one candidate behind each of the first ones."""
    edges = []
    for state in range(n_states):
        after = (state + 1) % n_states
        edges.append([state, 0, observation, 1.0, after, 10 + state, 0.5, True])
        edges.append([state, 0, "lose", 0.0, after, 10 + state, 0.5, True])
        edges.append([state, 1, "lose", 0.0, state, 3, 1.0, False])
    for extra in range(n_candidates):
        edges.append([extra % n_states, 1, f"new {extra}", 0.0, n_states + extra, 1, 0.1, False])
    return {
        "episodes": episodes,
        "score": episodes / 1000,
        "start": 0,
        "actions": list(actions),
        "states": [
            {"safe": state < n_states, "visits": 100 - state, "policy": [0] * (state < n_states)}
            for state in range(n_states + n_candidates)
        ],
        "edges": edges,
    }


def write_lines(path, entries):
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries))


def write_curve(path, points):
    rows = [(episodes, score, 2, score, 1, 1.0, 0.0) for episodes, score in points]
    text = "\n".join(",".join(map(str, row)) for row in [tuple(COLUMNS), *rows])
    path.write_text(text + "\n")


def write_run(folder, spec, *, snapshots=None, events=None, complete=True, score=0.9, seconds=1.5):
    """Write one run; return its folder."""
    place = folder / "runs" / spec.name
    place.mkdir(parents=True)
    (place / "spec.json").write_text(json.dumps(spec.to_content()))
    write_curve(place / "curve.csv", [(0, 0.1), (100, score / 2), (spec.episodes, score)])
    if events is None:
        events = [
            {"episode": 50, "kind": "revision", "text": "0 -> 2 states"},
            {"episode": 150, "kind": "merge", "text": "state 1 merged"},
        ]
    write_lines(place / "events.jsonl", events)
    if snapshots is None:
        snapshots = [make_snapshot(n, 100 * n, n_candidates=1) for n in (1, 2, 3)]
    write_lines(place / "snapshots.jsonl", snapshots)
    if complete:
        write_result(place, spec, score, seconds)
    return place


def write_result(place, spec, score, seconds):
    result = {
        "format": 1,
        "spec": spec.to_content(),
        "name": spec.name,
        "episodes": spec.episodes,
        "score": score,
        "optimal_score": 1.0,
        "states": 3,
        "minimal_states": 3,
        "right": True,
        "certificate": {"passed": False, "epsilon": 0.1},
        "episodes_to_95": 400,
        "episodes_to_99": None,
    }
    (place / "timing.json").write_text(json.dumps({"seconds": seconds}))
    (place / "result.json").write_text(json.dumps(result))


def grid_snapshot(episodes):
    """Two states on a board of cells, and one that was never seen in any."""
    edges = [
        [0, 0, [0, 1], 0.0, 1, 5, 0.8, True],
        [1, 2, [0, 0], 0.0, 0, 5, 0.8, True],
        [1, 0, "blank", 0.0, 2, 1, 0.2, True],
    ]
    states = [{"safe": True, "visits": 5, "policy": [policy]} for policy in (0, 2, 0)]
    return {
        "episodes": episodes,
        "score": 0.5,
        "start": 0,
        "actions": ["up", "left", "down", "right"],
        "states": states,
        "edges": edges,
    }
