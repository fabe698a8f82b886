"""The same page while runs go on: a small server for one reader on this machine.

It listens on 127.0.0.1 only, answers GET for the page and its data and nothing else, and reads no
file outside its folder. Requests must name this machine as their host: a page of somebody else
whose name was made to point here gets nothing.
"""

import json
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from nonmarkov.errors import InvalidParameterError
from nonmarkov.report.page import render
from nonmarkov.report.page_data import Detail, Problem, read_folder, run_folders

ADDRESS = "127.0.0.1"
USUAL_PORT = 8765
DETAIL = Detail(200, 400, 5_000)

Signature = tuple[tuple[str, int, int], ...]


@dataclass
class _Known:
    """A run as it was when its files last changed."""

    signature: Signature
    content: dict[str, Any] | None
    problems: list[Problem]
    version: int


class Watcher:
    """Reads a folder again and again, but only what has changed.

    The version grows with every change; a run's version is that of its last change.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[Path, _Known] = {}
        self._lock = threading.Lock()
        # The page begins at 0, so the first answer is always news.
        self._version = 1

    def answer(self, since: int) -> dict[str, Any]:
        """Return what is new since a version, as JSON data."""
        with self._lock:
            self._look()
            known = self._known.values()
            runs = [one.content | {"version": one.version} for one in known if one.content]
            problems = [problem._asdict() for one in known for problem in one.problems]
            return {
                "version": self._version,
                "live": True,
                "names": [run["name"] for run in runs],
                # A page that knows a later version than ours outlived another server.
                "runs": [run for run in runs if run["version"] > since or since > self._version],
                "problems": problems,
                "notes": [],
            }

    def _look(self) -> None:
        """Read what has changed."""
        places = {place: _signature(place) for place in run_folders(self._folder)}
        gone = [place for place in self._known if place not in places]
        changed = [
            place
            for place, signature in places.items()
            if place not in self._known or self._known[place].signature != signature
        ]
        if not gone and not changed:
            return
        self._version += 1
        for place in gone:
            del self._known[place]
        for place in changed:
            self._known[place] = self._read(place, places[place])
        self._known = {place: self._known[place] for place in places}

    def _read(self, place: Path, signature: Signature) -> _Known:
        try:
            run, problems = read_folder(place, self._folder)
        except FileNotFoundError:  # removed since we looked
            run, problems = None, []
        content = run.pack(DETAIL) if run is not None else None
        return _Known(signature, content, problems, self._version)


def _signature(place: Path) -> Signature:
    """Return what changes when a file of a run changes."""
    found = []
    try:
        for entry in os.scandir(place):
            if not entry.name.startswith("."):  # drafts of files that are being written
                stat = entry.stat()
                found.append((entry.name, stat.st_mtime_ns, stat.st_size))
    except OSError:
        return ()
    return tuple(sorted(found))


class _Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    server: "LiveServer"
    timeout = 30
    server_version, sys_version = "nonmarkov", ""

    def do_GET(self) -> None:
        """Answer with the page or its data."""
        if self.headers.get("Host", "").lower() not in self.server.hosts:
            self._refuse(HTTPStatus.FORBIDDEN)
            return
        address = urlsplit(self.path)
        if address.path == "/":
            self._send(self.server.page.encode(), "text/html; charset=utf-8", "")
        elif address.path == "/data.json":
            self._send_data(parse_qs(address.query).get("since", ["0"])[0])
        else:
            self._refuse(HTTPStatus.NOT_FOUND)

    def _send_data(self, since: str) -> None:
        version = int(since) if since.isascii() and since.isdigit() and len(since) < 16 else 0
        answer = self.server.watcher.answer(version)
        tag = f'"{answer["version"]}-{version}"'
        if self.headers.get("If-None-Match") == tag:
            self._refuse(HTTPStatus.NOT_MODIFIED)
            return
        data = json.dumps(answer, separators=(",", ":"), allow_nan=False).encode()
        self._send(data, "application/json", tag)

    def _send(self, data: bytes, kind: str, tag: str) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("X-Frame-Options", "DENY")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        if tag:
            self.send_header("ETag", tag)
        self.end_headers()
        self.wfile.write(data)

    def _refuse(self, status: HTTPStatus) -> None:
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Refuse without repeating anything of the request; other methods than GET end here."""
        del message, explain
        self.close_connection = True
        unknown = code == HTTPStatus.NOT_IMPLEMENTED
        self._refuse(HTTPStatus.METHOD_NOT_ALLOWED if unknown else HTTPStatus(code))

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Say nothing: the terminal belongs to the reader."""


class LiveServer(ThreadingHTTPServer):
    """The page about one folder, on one port."""

    daemon_threads = True

    def __init__(self, folder: str | os.PathLike[str], port: int | None = None) -> None:
        place = Path(folder)
        if not place.is_dir():
            raise FileNotFoundError(f"{place} is no folder.")
        self.watcher = Watcher(place)
        try:
            super().__init__((ADDRESS, USUAL_PORT if port is None else port), _Handler)
        except OSError as error:
            if port is not None:
                raise InvalidParameterError(
                    f"port {port} cannot be used: {error.strerror or error}. "
                    f"Take another one, or 0 for any that is free."
                ) from None
            super().__init__((ADDRESS, 0), _Handler)
        port = self.server_address[1]
        self.hosts = {f"{ADDRESS}:{port}", f"localhost:{port}"}
        empty = {"runs": [], "problems": [], "notes": [], "version": 0, "live": True}
        self.page = render(place.resolve().name, empty)

    @property
    def url(self) -> str:
        """Where the page is."""
        return f"http://{ADDRESS}:{self.server_address[1]}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing about readers that go away in the middle of an answer."""


def watch(
    folder: str | os.PathLike[str],
    port: int | None = None,
    *,
    ready: Callable[[str], None] = lambda url: None,
) -> None:
    """Serve the page about a folder until Ctrl-C; `ready` is called with its address."""
    with LiveServer(folder, port) as server:
        ready(server.url)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return
