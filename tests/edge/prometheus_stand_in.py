"""A server in the place of a Prometheus, that answers what a test says and writes down what it was asked."""

from __future__ import annotations

import gzip
import json
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit


@dataclass(frozen=True)
class Says:
    """One answer."""

    body: str = '{"status": "success", "data": {"resultType": "vector", "result": []}}'
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    silent: bool = False
    """Whether nothing comes until the test is over."""
    packed: bool = False


def data(value: Any) -> Says:
    """Return the answer of a Prometheus that has this."""
    return Says(json.dumps({"status": "success", "data": value}))


@dataclass
class StandIn:
    """The answers in their order, of which the last one stays, and the requests that came."""

    answers: list[Says] = field(default_factory=lambda: [Says()])
    requests: list[tuple[str, str, list[tuple[str, str]], dict[str, str], bytes]] = field(default_factory=list)
    """Method, path, fields of the address and the body together, headers, and the body."""
    url: str = ""
    over: threading.Event = field(default_factory=threading.Event)

    def next(self) -> Says:
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


@contextmanager
def standing_in(tls: ssl.SSLContext | None = None) -> Iterator[StandIn]:
    """Run it on loopback, with a certificate where one is given."""
    stand_in = StandIn()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            _answer(self, stand_in)

        def do_POST(self) -> None:
            _answer(self, stand_in)

        def log_message(self, *_: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        def handle_error(self, *_: Any) -> None:
            """Say nothing: clients that hang up are what these tests are about."""

    server = Server(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    stand_in.url = f"{'http' if tls is None else 'https'}://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield stand_in
    finally:
        stand_in.over.set()
        server.shutdown()
        server.server_close()
        thread.join()


def _answer(request: BaseHTTPRequestHandler, stand_in: StandIn) -> None:
    body = request.rfile.read(int(request.headers["Content-Length"] or 0))
    parts = urlsplit(request.path)
    fields = [*parse_qsl(parts.query), *parse_qsl(body.decode())]
    stand_in.requests.append((request.command, parts.path, fields, dict(request.headers.items()), body))
    says = stand_in.next()
    if says.silent:
        stand_in.over.wait(30)
        request.close_connection = True
        return
    content = gzip.compress(says.body.encode()) if says.packed else says.body.encode()
    request.send_response(says.status)
    for name, value in {"Content-Type": "application/json", **says.headers}.items():
        request.send_header(name, value)
    if says.packed:
        request.send_header("Content-Encoding", "gzip")
    request.send_header("Content-Length", str(len(content)))
    request.end_headers()
    request.wfile.write(content)
