"""Folders of results as a sweep leaves them, without training anything."""

import json

import numpy as np

from nonmarkov.results.reading import COLUMNS
from nonmarkov.results.specification import RunSpec

# For every method: episodes between evaluations, episodes to learn, share of the optimum reached.
METHODS = {
    "apart": (20, 150, 1.0),
    "paper": (15_000, 120_000, 1.0),
    "random-sampling": (15_000, 200_000, 0.99),
    "rmax": (15_000, 30_000, 0.7),
    "oracle": (15_000, 20_000, 1.0),
}
OPTIMA = {"flickering_grid": 14.2857, "rotating_maze": 17.59, "cheat_mab": 68.0}
DOMAINS = {
    "reset_rotating_mab": (4,),
    "enemy_corridor": (2, 4, 8),
    "flickering_grid": (8,),
    "rotating_mab": (2, 3),
    "malfunction_mab": (3,),
    "cheat_mab": (3,),
    "rotating_maze": (1,),
}


def fabricate_run(folder, spec, *, complete=True, timing=True):
    """Write the folder of one run, and return it."""
    every, time, share = METHODS.get(spec.method, METHODS["paper"])
    rng = np.random.default_rng([spec.seed, spec.parameters.get("k", 0), time])
    optimum = OPTIMA.get(spec.domain, 90.0)
    time = int(time * rng.uniform(0.7, 1.4))
    episodes = np.arange(0, spec.episodes + 1, every)
    learned = 1.0 / (1.0 + np.exp(-6.0 * (episodes / time - 0.6)))
    score = optimum * np.maximum(0.1, share * np.where(episodes >= time, 1.0, learned))
    reached = np.flatnonzero(score >= 0.95 * optimum)
    outside = np.zeros(len(episodes))
    if spec.method in ("paper", "random-sampling"):
        outside = np.where(episodes > 0, 9.0 * (1.0 - learned), 0.0)
    states = 2 * spec.parameters.get("k", 4)
    columns = (
        *(episodes, score, np.maximum(1, (states * learned).astype(int)), score.round(1)),
        *(np.full(len(episodes), 3), np.where(episodes > 0, 10.0 - outside, 0.0), outside),
    )
    place = folder / "runs" / spec.name
    place.mkdir(parents=True)
    rows = [",".join(COLUMNS), *(",".join(map(str, row)) for row in zip(*columns, strict=True))]
    (place / "curve.csv").write_text("\n".join(rows) + "\n")
    (place / "spec.json").write_text(json.dumps(spec.to_content()))
    if timing:
        (place / "timing.json").write_text(json.dumps({"seconds": 0.1 * states + spec.seed}))
    if complete:
        n95 = int(episodes[reached[0]]) if len(reached) else None
        result = {
            **{"format": 1, "spec": spec.to_content(), "name": spec.name},
            **{"episodes": spec.episodes, "score": float(score[-1]), "optimal_score": optimum},
            **{"states": states, "minimal_states": states, "right": True, "certificate": {}},
            **{"episodes_to_95": n95, "episodes_to_99": n95 if share == 1.0 else None},
        }
        (place / "result.json").write_text(json.dumps(result))
    return place


def make_spec(domain, k, method="apart", seed=0, **given):
    """Return a specification whose length suits its method."""
    every, time, _ = METHODS.get(method, METHODS["paper"])
    settings = {"episodes": max(10 * every, 3 * time)} | given
    parameters = {"k": k} | settings.pop("parameters", {})
    return RunSpec(domain, parameters, method, seed, **settings)


def fabricate(folder, domains=None, methods=METHODS, seeds=range(3), **options):
    """Write runs of all given domains, methods and seeds, and return the folder of results."""
    for domain, ks in (DOMAINS if domains is None else domains).items():
        for k in ks:
            for method in methods:
                for seed in seeds:
                    fabricate_run(folder, make_spec(domain, k, method, seed), **options)
    (folder / "runs").mkdir(parents=True, exist_ok=True)
    return folder
