"""A server on this machine that answers as a test has written it down, and remembers who asked for what."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple


class Asked(NamedTuple):
    """A request."""

    method: str
    path: str
    host: str
    token: str
    body: Any


@dataclass
class Scripted:
    """Answers in their order: a status with what is sent, None to hang up. The last one is given from then on."""

    answers: list[tuple[int, Any] | None]
    asked: list[Asked] = field(default_factory=list)
    url: str = ""

    def next(self) -> tuple[int, Any] | None:
        """Return the answer to the next request."""
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


@contextmanager
def answering(*answers: tuple[int, Any] | None, tls: ssl.SSLContext | None = None) -> Iterator[Scripted]:
    """Run the server."""
    scripted = Scripted(list(answers))

    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            text = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            token = self.headers.get("Authorization", "").removeprefix("Bearer ")
            body = json.loads(text) if text else None
            scripted.asked.append(Asked(self.command, self.path, self.headers["Host"], token, body))
            answer = scripted.next()
            if answer is None:
                self.close_connection = True
                return
            status, content = answer
            self.send_response(status)
            if 300 <= status < 400:
                self.send_header("Location", content)
            self.end_headers()
            self.wfile.write(content if isinstance(content, bytes) else json.dumps(content).encode())

        do_GET = do_POST = do_PUT = do_DELETE = _answer  # noqa: N815  # names of the base class

        def log_message(self, *_: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        def handle_error(self, *_: Any) -> None:
            """Say nothing: clients that hang up are what these tests are about."""

    server = Server(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    scripted.url = f"{'http' if tls is None else 'https'}://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield scripted
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
