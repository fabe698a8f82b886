"""`nonmarkov report` and `nonmarkov watch`."""

import re
import signal
import subprocess
import sys
import urllib.request

import pytest
from click.testing import CliRunner

from nonmarkov.cli.main import cli
from tests.report.run_folders import make_spec, write_run

COMMAND = [sys.executable, "-m", "nonmarkov"]


def test_report_writes_one_file(tmp_path):
    write_run(tmp_path, make_spec())
    before = set(tmp_path.iterdir())
    result = CliRunner().invoke(cli, ["report", str(tmp_path)])
    assert result.exit_code == 0
    assert result.output == f"Wrote {tmp_path / 'report.html'}\n"
    assert set(tmp_path.iterdir()) - before == {tmp_path / "report.html"}


@pytest.mark.parametrize("command", ["report", "watch"])
def test_a_folder_that_is_not_there_is_one_clear_line(tmp_path, command):
    arguments = [*COMMAND, command, str(tmp_path / "nowhere")]
    run = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert run.returncode == 2
    assert run.stderr == f"nonmarkov: {tmp_path / 'nowhere'} is no folder.\n"


def test_a_report_about_nothing_is_one_clear_line(tmp_path):
    arguments = [*COMMAND, "report", str(tmp_path)]
    run = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert run.returncode == 2
    assert run.stderr.startswith(f"nonmarkov: {tmp_path} holds no runs")
    assert "`nonmarkov reproduce` make some" in run.stderr
    assert run.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def watching(tmp_path):
    write_run(tmp_path, make_spec())
    arguments = [*COMMAND, "watch", str(tmp_path), "--port", "0", "--no-open"]
    process = subprocess.Popen(
        arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1
    )
    yield process
    process.kill()
    process.communicate()


def test_watch_serves_until_it_is_interrupted(watching):
    line = watching.stdout.readline()
    (url,) = re.findall(r"http://127\.0\.0\.1:\d+/", line)
    with urllib.request.urlopen(f"{url}data.json", timeout=10) as answer:
        assert b'"method":"apart"' in answer.read()
    watching.send_signal(signal.SIGINT)
    _, errors = watching.communicate(timeout=10)
    assert watching.returncode == 0
    assert errors == ""


def test_watch_opens_a_browser_unless_told_not_to(tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)

    def serve(folder, port, ready):
        ready("http://127.0.0.1:1/")

    monkeypatch.setattr("nonmarkov.report.live.watch", serve)
    CliRunner().invoke(cli, ["watch", str(tmp_path)])
    assert opened == ["http://127.0.0.1:1/"]
    CliRunner().invoke(cli, ["watch", str(tmp_path), "--no-open"])
    assert len(opened) == 1
