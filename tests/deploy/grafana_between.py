"""Something between trainyard and an emulated account, that sees what Grafana is asked and can answer in its place."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from trainyard.edge.aws.account import Account

_GRAFANA = ".grafana-workspace."


@dataclass
class Between:
    """What Grafana was asked, and who may answer first: None lets Grafana do it."""

    asked: list[tuple[str, str]] = field(default_factory=list)
    answer: Callable[[str, str], tuple[int, Any] | None] = lambda *_: None

    def writes(self) -> list[tuple[str, str]]:
        """Return what was to change anything."""
        return [one for one in self.asked if one[0] != "GET"]


@contextmanager
def between(account: Account) -> Iterator[tuple[Account, Between]]:
    """Hand out the account by another address, and what sees its calls."""
    seen, target = Between(), urlsplit(account.endpoint or "")

    class Handler(BaseHTTPRequestHandler):
        def _handle(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            if _GRAFANA in self.headers["Host"]:
                seen.asked.append((self.command, self.path))
                if (given := seen.answer(self.command, self.path)) is not None:
                    self._send(given[0], json.dumps(given[1]).encode())
                    return
            self._send(*self._handed_on(body))

        do_GET = do_PUT = do_POST = do_DELETE = _handle  # noqa: N815  # names of the base class

        def _handed_on(self, body: bytes) -> tuple[int, bytes]:
            connection = http.client.HTTPConnection(str(target.hostname), target.port or 80, timeout=300)
            try:
                connection.request(self.command, self.path, body or None, dict(self.headers.items()))
                answer = connection.getresponse()
                return answer.status, answer.read()
            finally:
                connection.close()

        def _send(self, status: int, content: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield replace(account, endpoint=f"http://127.0.0.1:{server.server_address[1]}"), seen
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
