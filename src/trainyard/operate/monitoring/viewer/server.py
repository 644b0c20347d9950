"""The server of the page, on 127.0.0.1 alone, where other users of the machine are too: its address has a token."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import secrets
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.errors import InputError
from trainyard.monitoring.dashboard import dashboards
from trainyard.operate.monitoring.viewer.answers import Answers
from trainyard.operate.monitoring.viewer.description import description
from trainyard.operate.monitoring.viewer.requests import BadRequestError, ViewerRequest, is_from_here, parse_request
from trainyard.operate.monitoring.viewer.source import MetricsSource
from trainyard.stop_request import look

HOST = "127.0.0.1"
# More than browsers open; fewer than processes may have files.
_MOST_SILENT = 128
_FOLDER = Path(__file__).with_name("page")
_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


class Viewer(ThreadingHTTPServer):
    """Serves the dashboards of one Prometheus, and reads logs of one account of AWS."""

    daemon_threads = True
    # A browser opens several connections at once.
    request_queue_size = 64

    def __init__(self, api: MetricsSource, port: int = 0, where: Account | None = None) -> None:
        """Listen at a port, 0 for any that is free. Raises InputError where it is taken."""
        try:
            super().__init__((HOST, port), Handler)
        except (OSError, OverflowError) as error:
            hint = "choose another with --port, or --port 0 for any that is free"
            reason = getattr(error, "strerror", None) or error
            raise InputError(f"port {port} cannot be used: {reason}", where="--port", hint=hint) from error
        self.answers = Answers(api, where)
        self._lock = threading.Lock()
        self._silent: dict[socket.socket, None] = {}
        self._folder = f"/{secrets.token_urlsafe()}/"

    def service_actions(self) -> None:
        """End at Ctrl-C: what the loop calls between its requests."""
        look()

    @property
    def port(self) -> int:
        """Return the port that it has."""
        return int(self.server_address[1])

    @property
    def url(self) -> str:
        """Return where the page is."""
        return f"http://{HOST}:{self.port}{self._folder}"

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve in a thread. Of too many connections that ask nothing, the one that waits longest is closed."""
        with self._lock:
            while len(self._silent) >= _MOST_SILENT:
                oldest = next(iter(self._silent))
                del self._silent[oldest]
                with contextlib.suppress(OSError):  # it went away
                    oldest.shutdown(socket.SHUT_RDWR)
            self._silent[request] = None
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """Forget a connection that is over."""
        with self._lock:
            self._silent.pop(request, None)
        super().shutdown_request(request)

    @contextlib.contextmanager
    def answering(self, connection: socket.socket) -> Iterator[None]:
        """Close no connection in whose name something is asked for."""
        with self._lock:
            self._silent.pop(connection, None)
        yield
        with self._lock:
            self._silent[connection] = None

    def path_below(self, target: str) -> str | None:
        """Return what is asked for below the token; None where the token is another one."""
        size = len(self._folder)
        has_token = hmac.compare_digest(target[:size].encode(), self._folder.encode())
        return f"/{target[size:]}" if has_token else None

    def server_close(self) -> None:
        """Stop listening, and ask nothing more."""
        super().server_close()
        if hasattr(self, "answers"):  # not where the port was taken
            self.answers.close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of browsers that hang up; a bug keeps its traceback."""
        if not isinstance(sys.exception(), (ConnectionError, TimeoutError)):
            super().handle_error(request, client_address)


_SLOWEST_READER_S = 30
_HEADERS = {
    # Scripts and styles are files of ours; nothing comes from, or goes to, anywhere else.
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


class Handler(BaseHTTPRequestHandler):
    """Answers one browser."""

    server: Viewer
    protocol_version = "HTTP/1.1"
    server_version = "trainyard"
    sys_version = ""
    timeout = _SLOWEST_READER_S

    def do_GET(self) -> None:
        """Answer."""
        with self.server.answering(self.request):
            self._answer()

    def _answer(self) -> None:
        if not is_from_here(self.headers, self.server.port):  # type: ignore[arg-type]  # it has get(), which is all
            self._refuse(403, "this server answers to its own page alone")
            return
        if (target := self.server.path_below(self.path)) is None:
            self._refuse(403, "open the address that `trainyard monitor view` printed: it changes each time")
            return
        try:
            request = parse_request(target)
            self._route(request)
        except BadRequestError as error:
            self._refuse(400, str(error))

    def _route(self, request: ViewerRequest) -> None:
        answers: dict[str, Callable[[], Any]] = {
            "/description": description,
            "/variables": lambda: self.server.answers.variables(request),
            "/headline": lambda: self.server.answers.headline(request),
        }
        if request.path in answers:
            self._send_json(answers[request.path]())
        elif request.path.startswith("/data/"):
            self._send_lines(self.server.answers.panels(request.path.removeprefix("/data/"), request))
        elif request.path.startswith("/log/"):
            self._send_json(self.server.answers.log(request.path.removeprefix("/log/"), request))
        elif request.path == "/" or request.path[1:] in {dashboard.id for dashboard in dashboards()}:
            self._prepare(request.path[1:] or dashboards()[0].id, request)
            self._send_file("index.html")
        elif request.path[1:] in page_files():
            self._send_file(request.path[1:])
        else:
            self._refuse(404, "there is nothing of this name")

    def _prepare(self, dashboard: str, request: ViewerRequest) -> None:
        if self.headers.get("Sec-Fetch-Dest", "document") != "document":
            return  # nobody sees it
        with contextlib.suppress(BadRequestError):  # the page itself says what is wrong with its address
            self.server.answers.prepare(dashboard, request)

    def _send_file(self, name: str) -> None:
        file = page_files()[name]
        if self.headers["If-None-Match"] == file.tag:
            self._begin(304, file.type, {"ETag": file.tag, "Cache-Control": "no-cache"}, 0)
            return
        self._begin(200, file.type, {"ETag": file.tag, "Cache-Control": "no-cache"}, len(file.content))
        self.wfile.write(file.content)

    def _send_json(self, value: Any) -> None:
        content = _json(value)
        self._begin(200, "application/json", {"Cache-Control": "no-store"}, len(content))
        self.wfile.write(content)

    def _send_lines(self, values: Iterator[dict[str, Any]]) -> None:
        first = next(values)  # here it becomes clear whether it can be answered at all
        headers = {"Cache-Control": "no-store", "Transfer-Encoding": "chunked"}
        self._begin(200, "application/x-ndjson", headers, None)
        self._send_chunk(_json(first) + b"\n")
        for value in values:
            self._send_chunk(_json(value) + b"\n")
        self._send_chunk(b"")

    def _send_chunk(self, content: bytes) -> None:
        self.wfile.write(f"{len(content):x}\r\n".encode("ascii") + content + b"\r\n")

    def _refuse(self, status: int, why: str) -> None:
        self.close_connection = True
        content = f"{why}\n".encode()
        self._begin(status, "text/plain; charset=utf-8", {"Connection": "close", "Allow": "GET"}, len(content))
        self.wfile.write(content)

    def _begin(self, status: int, type_: str, headers: dict[str, str], length: int | None) -> None:
        self.send_response(status)
        self.send_header("Content-Type", type_)
        for name, value in (_HEADERS | headers).items():
            self.send_header(name, value)
        if length is not None:
            self.send_header("Content-Length", str(length))
        self.end_headers()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:  # noqa: ARG002  http.server's
        """Refuse what http.server itself refuses, such as methods that are not there, in our form."""
        status = 405 if code == 501 else code
        self._refuse(status, "only GET is answered" if status == 405 else "this cannot be read")

    def log_message(self, *_: Any) -> None:
        """Write down nothing: whoever looks sees it in the browser."""


def _json(value: Any) -> bytes:
    # ASCII alone: what labels hold cannot be read as anything else on its way.
    return json.dumps(value, separators=(",", ":"), allow_nan=False).encode("ascii")


class PageFile(NamedTuple):
    """A file as it is sent."""

    content: bytes
    type: str
    tag: str
    """Changes with the content: https://www.rfc-editor.org/rfc/rfc9110.html#name-etag."""


@cache
def page_files() -> dict[str, PageFile]:
    """Return the files by name."""
    files = sorted(path for path in _FOLDER.iterdir() if path.suffix in _TYPES)
    return {file.name: _read(file) for file in files}


def _read(file: Path) -> PageFile:
    content = file.read_bytes()
    tag = f'"{hashlib.sha256(content).hexdigest()[:16]}"'
    return PageFile(content, f"{_TYPES[file.suffix]}; charset=utf-8", tag)
