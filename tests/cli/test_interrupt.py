"""Ctrl-C in `nonmarkov train`: it ends cleanly, and what was learned is kept."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
import threading
import time

import pytest

import nonmarkov as nm


class Terminal:
    """What a process writes on standard error, which is a terminal to it."""

    def __init__(self, arguments):
        try:
            reading, writing = pty.openpty()
        except OSError:
            pytest.skip("this machine has no pseudo-terminals")
        self.text = ""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "nonmarkov", *map(str, arguments)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=writing,
            text=True,
            env=os.environ | {"TERM": "xterm", "COLUMNS": "120"},
        )
        os.close(writing)
        self._reader = threading.Thread(target=self._read, args=(reading,))
        self._reader.start()

    def _read(self, descriptor):
        with open(descriptor, "rb", buffering=0) as stream:
            try:
                while some := stream.read(4096):
                    self.text += some.decode(errors="replace")
            except OSError:
                pass  # nobody writes any more

    def wait_for(self, pattern, seconds):
        """Wait until the process has written something."""
        limit = time.monotonic() + seconds
        while not re.search(pattern, self.text):
            assert self.process.poll() is None, self.text
            assert time.monotonic() < limit, self.text
            time.sleep(0.05)

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self._reader.join()


@pytest.fixture
def terminal():
    opened = []

    def start(*arguments):
        opened.append(Terminal(arguments))
        return opened[-1]

    yield start
    for each in opened:
        each.close()


def test_an_interrupt_ends_training_and_keeps_what_was_learned(terminal):
    arguments = ("rotating_maze", "--k", 3, "--episodes", 2_000_000_000, "--json")
    running = terminal("train", *arguments, "--method", "paper")
    # Some thousands of episodes are behind it when the progress bar says so.
    running.wait_for(r"\d+,000/2,000,000,000", seconds=60)
    sent = time.monotonic()
    running.process.send_signal(signal.SIGINT)
    output, _ = running.process.communicate(timeout=30)
    assert time.monotonic() - sent < 10
    assert running.process.returncode == 130
    assert "Traceback" not in running.text

    result = json.loads(output)
    assert result["interrupted"] is True
    assert 0 < result["episodes"] < 2_000_000_000
    assert [result["curve"][0][0], result["curve"][-1][0]] == [0, result["episodes"]]
    assert len(result["curve"]) > 1
    assert result["score"] == result["curve"][-1][1]


def test_an_interrupted_run_still_writes_its_files(terminal, tmp_path):
    arguments = ("rotating_mab", "--episodes", 2_000_000_000, "--out", tmp_path)
    running = terminal("train", *arguments, "--method", "paper")
    running.wait_for(r"\d+,000/2,000,000,000", seconds=60)
    running.process.send_signal(signal.SIGINT)
    output, _ = running.process.communicate(timeout=30)
    assert running.process.returncode == 130
    assert ", interrupted\n" in output
    assert json.loads((tmp_path / "result.json").read_text())["interrupted"] is True
    assert nm.MarkovAbstraction.load(tmp_path / "abstraction.json").automaton.n_states == 2
