"""A log of a gigabyte is learned from in little memory."""

import json
import subprocess
import sys

import pytest

import nonmarkov as nm
from nonmarkov.logs import write_log

MOST_MEGABYTES = 400  # python, numpy and compiled code included
PROGRAM = """
import json, re, sys, time
import nonmarkov as nm
begun = time.time()
result = nm.learn_from_log(nm.read_log(sys.argv[1]))
print(json.dumps({
    "episodes": result.episodes, "steps": result.steps, "states": result.n_states,
    "held_out": result.held_out, "lower_bound": result.lower_bound, "value": result.value,
    "remarks": result.gaps.remarks, "seconds": time.time() - begun,
    # Not ru_maxrss: a process begins with that of the one that started it.
    "megabytes": int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) / 1024,
}))
"""


def a_log_of(size, path):
    """The same episodes again and again: an odd number, so that of every 64th none comes twice."""
    write_log(path, nm.domain("enemy_corridor", k=2).sample(49_999, seed=0))
    block = path.read_bytes()
    with path.open("ab") as file:
        while file.tell() < size:
            file.write(block)
    return path


def learned_from(path):
    return subprocess.check_output([sys.executable, "-c", PROGRAM, str(path)], text=True)


@pytest.mark.slow
@pytest.mark.parametrize("size", [1 << 26, 1 << 30])
def test_memory_does_not_grow_with_the_log(tmp_path, size):
    learned_from(a_log_of(0, tmp_path / "log.jsonl"))  # to compile takes memory of its own
    path = a_log_of(size, tmp_path / "log.jsonl")
    output = learned_from(path)
    found = json.loads(output)
    sys.stderr.write(f"\n{output}")
    assert path.stat().st_size >= size
    assert found["steps"] > size // 40
    assert found["states"] == nm.domain("enemy_corridor", k=2).minimal().n_states
    assert found["megabytes"] < MOST_MEGABYTES
    assert "one was remembered" in found["remarks"][0]
