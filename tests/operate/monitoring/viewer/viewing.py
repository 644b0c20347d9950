"""A viewer that runs, and requests to it as they are written on the wire."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

from trainyard.edge.aws.account import Account
from trainyard.operate.monitoring.viewer.server import HOST, Viewer
from trainyard.operate.monitoring.viewer.source import MetricsSource


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.body.splitlines()]

    def json(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.body)
        return found


@dataclass(frozen=True, slots=True)
class Viewing:
    """Where it is."""

    viewer: Viewer

    @property
    def url(self) -> str:
        return self.viewer.url

    def target(self, path: str) -> str:
        """Return a path with the token before it."""
        return urlsplit(self.url).path + path.removeprefix("/")

    def ask(self, path: str, method: str = "GET", **headers: str) -> Reply:
        return self.ask_plainly(self.target(path), method, **headers)

    def ask_plainly(self, target: str, method: str = "GET", **headers: str) -> Reply:
        connection = HTTPConnection(HOST, self.viewer.port, timeout=300)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.putrequest(method, target, skip_host="Host" in named)
        for name, value in named.items():
            connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        reply = Reply(answer.status, dict(answer.headers.items()), answer.read())
        connection.close()
        return reply


@contextmanager
def viewing(source: MetricsSource, where: Account | None = None) -> Iterator[Viewing]:
    """Run a viewer of a source, and of logs in an account."""
    viewer = Viewer(source, where=where)
    thread = threading.Thread(target=viewer.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield Viewing(viewer)
    finally:
        viewer.shutdown()
        viewer.server_close()
        thread.join()
