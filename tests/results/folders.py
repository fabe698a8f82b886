"""Folders of results to test with: made up ones, and what two of them have in common."""

import json

from nonmarkov.results.specification import RunSpec

CURVE = """episodes,score,states,sampled,candidates,safe_steps,candidate_steps
0,50.0,1,49.0,0,0.0,0.0
20,80.5,2,81.25,1,10.5,0.25
"""


def make_spec(seed=0, **changes):
    return RunSpec(**({"domain": "rotating_mab", "seed": seed, "episodes": 20} | changes))


def make_result(spec, **changes):
    content = {
        "format": 1,
        "spec": spec.to_content(),
        "name": spec.name,
        "episodes": spec.episodes,
        "score": 80.5,
        "optimal_score": 90.0,
        "states": 2,
        "minimal_states": 2,
        "right": True,
        "certificate": {"passed": False},
        "episodes_to_95": None,
        "episodes_to_99": None,
    }
    return content | changes


def make_run(folder, spec, **changes):
    """Write a complete run; entries of the result can be changed."""
    place = folder / "runs" / spec.name
    place.mkdir(parents=True)
    (place / "spec.json").write_text(json.dumps(spec.to_content()))
    (place / "curve.csv").write_text(CURVE)
    (place / "events.jsonl").write_text('{"episode": 7, "kind": "revision", "text": "new"}\n')
    (place / "snapshots.jsonl").write_text("")
    (place / "timing.json").write_text('{"seconds": 1.5}')
    (place / "result.json").write_text(json.dumps(make_result(spec, **changes)))
    return place


def contents(folder):
    """Return the bytes of all files that must be the same whenever a run is done."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "timing.json"
    }
