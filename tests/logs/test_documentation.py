"""The example of docs/logs.md runs, and so do the formats that it shows."""

import re
import subprocess
import sys
from pathlib import Path

from nonmarkov.logs import read_log

TEXT = (Path(__file__).parents[2] / "docs" / "logs.md").read_text()


def test_the_example_runs(tmp_path):
    (code,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert run.returncode == 0, run.stderr
    states, numbers, action, statement, *_ = run.stdout.splitlines()
    value, bound, logged = map(float, numbers.split())
    assert (states, action) == ("2", "slow")
    assert logged < bound < value
    assert statement == "All episodes were cut off: nothing is known about how they end."


def test_the_formats_that_it_shows_can_be_read(tmp_path):
    blocks = re.findall(r"^```\w*\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
    (lines,) = [block for block in blocks if block.startswith('{"steps"')]
    (rows,) = [block for block in blocks if block.startswith("episode,")]
    (tmp_path / "log.jsonl").write_text(lines)
    (tmp_path / "log.csv").write_text(rows)
    assert [episode.over for episode in read_log(tmp_path / "log.jsonl")] == [True, False, False]
    one, two = read_log(tmp_path / "log.csv")
    assert one.steps == [("left", "wall", 0.0), ("right", "goal", 1.0)]
    assert (two.first, two.over) == ("hall", False)
