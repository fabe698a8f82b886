"""The live page's server: for this machine, this folder and GET only."""

import http.client
import json
import threading

import pytest

from nonmarkov.errors import InvalidParameterError
from nonmarkov.report.live import LiveServer, Watcher
from tests.report.run_folders import make_snapshot, make_spec, write_lines, write_run


@pytest.fixture
def server(tmp_path):
    with LiveServer(tmp_path, 0) as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.05,))
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def ask(server, path, method="GET", **headers):
    connection = http.client.HTTPConnection("127.0.0.1", server.server_address[1], timeout=10)
    try:
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        return answer, answer.read()
    finally:
        connection.close()


def test_it_serves_the_page_and_its_data(server, tmp_path):
    write_run(tmp_path, make_spec())
    answer, page = ask(server, "/")
    assert answer.status == 200
    assert b"connect-src &#x27;self&#x27;" in page
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    answer, data = ask(server, "/data.json?since=0")
    assert [run["method"] for run in json.loads(data)["runs"]] == ["apart"]


def test_it_listens_on_this_machine_only(server):
    assert server.server_address[0] == "127.0.0.1"
    assert server.url == f"http://127.0.0.1:{server.server_address[1]}/"


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.txt",
        "/runs/../../secret.txt",
        "/%2e%2e/secret.txt",
        "//etc/passwd",
        "/etc/passwd",
        "/runs",
        "/report.html",
        "/favicon.ico",
        "/data.json/../secret.txt",
    ],
)
def test_any_other_path_is_refused(server, tmp_path, path):
    (tmp_path.parent / "secret.txt").write_text("secret")
    answer, body = ask(server, path)
    assert answer.status == 404
    assert body == b""


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "HEAD"])
def test_any_other_method_is_refused(server, method):
    answer, body = ask(server, "/", method)
    assert answer.status == 405
    assert body == b""


@pytest.mark.parametrize("host", ["evil.example", "evil.example:{port}", "127.0.0.1:1", ""])
def test_a_request_for_another_host_is_refused(server, tmp_path, host):
    write_run(tmp_path, make_spec())
    host = host.format(port=server.server_address[1])
    for path in ("/", "/data.json"):
        answer, body = ask(server, path, Host=host)
        assert answer.status == 403
        assert body == b""


def test_localhost_is_this_machine_too(server):
    answer, _ = ask(server, "/", Host=f"localhost:{server.server_address[1]}")
    assert answer.status == 200


def test_an_unchanged_answer_is_not_sent_again(server, tmp_path):
    write_run(tmp_path, make_spec())
    answer, _ = ask(server, "/data.json?since=0")
    tag = answer.headers["ETag"]
    again, body = ask(server, "/data.json?since=0", **{"If-None-Match": tag})
    assert again.status == 304
    assert body == b""


@pytest.mark.parametrize("since", ["x", "-1", "1e9", "9" * 5000, "", "²"])
def test_a_strange_version_means_everything(server, tmp_path, since):
    from urllib.parse import quote

    write_run(tmp_path, make_spec())
    answer, data = ask(server, f"/data.json?since={quote(since)}")
    assert answer.status == 200
    assert len(json.loads(data)["runs"]) == 1


def test_only_what_changed_is_sent(tmp_path):
    watcher = Watcher(tmp_path)
    first = watcher.answer(0)
    assert first["runs"] == []
    place = write_run(tmp_path, make_spec(seed=0), complete=False)
    write_run(tmp_path, make_spec(seed=1))
    second = watcher.answer(first["version"])
    assert len(second["runs"]) == 2
    assert watcher.answer(second["version"])["runs"] == []
    assert watcher.answer(second["version"])["version"] == second["version"]

    write_lines(place / "snapshots.jsonl", [make_snapshot(n, 10 * n) for n in range(1, 9)])
    third = watcher.answer(second["version"])
    (run,) = third["runs"]
    assert run["name"] == place.name
    assert run["kept"]["snapshots"] == [8, 8]
    assert len(third["names"]) == 2
    assert len(watcher.answer(0)["runs"]) == 2


def test_a_run_that_is_gone_is_forgotten(tmp_path):
    import shutil

    watcher = Watcher(tmp_path)
    place = write_run(tmp_path, make_spec())
    before = watcher.answer(0)
    shutil.rmtree(place)
    after = watcher.answer(before["version"])
    assert after["names"] == []
    assert after["version"] > before["version"]


def test_a_page_from_an_earlier_server_gets_everything(tmp_path):
    write_run(tmp_path, make_spec())
    assert len(Watcher(tmp_path).answer(1000)["runs"]) == 1


def test_a_damaged_run_is_a_problem_until_it_is_repaired(tmp_path):
    watcher = Watcher(tmp_path)
    place = write_run(tmp_path, make_spec())
    good = (place / "spec.json").read_text()
    (place / "spec.json").write_text("{")
    assert len(watcher.answer(0)["problems"]) == 1
    (place / "spec.json").write_text(good)
    answer = watcher.answer(0)
    assert answer["problems"] == []
    assert len(answer["runs"]) == 1


def test_a_port_that_is_taken_is_a_clear_error(server, tmp_path):
    port = server.server_address[1]
    with pytest.raises(InvalidParameterError, match=f"port {port} cannot be used"):
        LiveServer(tmp_path, port)


def test_without_a_port_any_free_one_does(tmp_path, monkeypatch, server):
    monkeypatch.setattr("nonmarkov.report.live.USUAL_PORT", server.server_address[1])
    with LiveServer(tmp_path) as other:
        assert other.server_address[1] != server.server_address[1]


def test_a_folder_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError, match="is no folder"):
        LiveServer(tmp_path / "nowhere", 0)
