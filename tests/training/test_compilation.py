"""One set of types for every argument: a second signature would mean a second compilation."""

import subprocess
import sys

PROGRAM = """
import nonmarkov as nm
from nonmarkov.kernels import bellman, prefix_sketch, prefix_trie, separation, stream, strings

for name in ("rotating_mab", "enemy_corridor"):
    process = nm.domain(name)
    batch = process.sample(3000)
    for method in ("paper", "random-sampling", "rmax", "oracle"):
        nm.Agent(process, method, mu=0.9, n=4, alpha_0=8, m=10).learn(3000)
    nm.Agent(process, "paper", mu=None, n=None, planner="e3", alpha_0=8, m=10).learn(3000)
    for counts in ("exact", "sketch"):
        settings = nm.StreamSettings(mu=0.9, n=4, alpha_0=8, delta=0.9, counts=counts)
        nm.StreamLearner(process.alphabet, settings).consume(batch)
        nm.AdaptiveLearner(process.alphabet, settings).consume(batch)
    process.distinguishability(2)
kernels = (
    stream.train_episodes,
    stream.read_strings,
    strings.unpack_strings,
    prefix_trie.absorb,
    prefix_trie.compare,
    prefix_sketch.absorb,
    prefix_sketch.compare,
    bellman.sweep_values,
    separation.separation,
)
print([len(kernel.signatures) for kernel in kernels])
"""


def test_kernels_are_compiled_once():
    output = subprocess.check_output([sys.executable, "-c", PROGRAM], text=True)
    assert output == "[1, 1, 1, 1, 1, 1, 1, 1, 1]\n"
