"""`trainyard-node serve`: exports metrics of this node to Prometheus, until it is asked to end."""

from __future__ import annotations

import argparse
import contextlib
import signal
import socket
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from trainyard_node.collectors.of_node import COLLECTORS, collectors_of_node
from trainyard_node.collectors.slurm.collector import NAMES
from trainyard_node.errors import NodeError
from trainyard_node.exposition import Exposition
from trainyard_node.machine import World
from trainyard_node.output import err, out
from trainyard_node.programs import RealPrograms
from trainyard_node.this_package import version

# https://prometheus.io/docs/instrumenting/exposition_formats/#basic-info
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_INDEX = b"trainyard-node: the metrics of this node are at /metrics\n"
# Of scrapers there are two or three. Where more than this are there at once, the oldest that asks nothing is cut off.
_MOST_AT_ONCE = 64
_QUEUE = 256
_WAIT_S = 1.0
CLIENT_S = 10.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add its options."""
    parser.add_argument("--listen", default="127.0.0.1:9341", metavar="HOST:PORT", help="where (default: %(default)s)")
    parser.add_argument(
        "--collector",
        action="append",
        choices=COLLECTORS,
        help="what to read, again for more (default: as the node's role)",
    )
    parser.add_argument(
        "--slurm-names", choices=sorted(NAMES), help="whose names Slurm's figures have (default: vpenso)"
    )
    parser.add_argument("--once", action="store_true", help="read once, print it, and end with 1 where reading failed")


def run(chosen: argparse.Namespace, world: World) -> int:
    """Serve, or read once. Raises NodeError where the node has no role, or the address cannot be had."""
    collectors = collectors_of_node(world, RealPrograms(), chosen.collector, chosen.slurm_names)
    exposition = Exposition(collectors, world.clock)
    if not chosen.once:
        return serve(exposition, chosen.listen)
    exposition.read_once()
    out(b"".join(exposition.text()).decode().rstrip("\n"))
    return 0 if all(reading.success for reading in exposition.readings) else 1


def serve(exposition: Exposition, address: str) -> int:
    """Serve until the process is asked to end. Raises NodeError where the address cannot be had."""
    server = make_server(exposition, address)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: threading.Thread(target=server.shutdown).start())
    exposition.start()
    err(f"serving {', '.join(reading.collector.name for reading in exposition.readings) or 'nothing'} on {address}")
    with server:
        server.serve_forever(poll_interval=0.2)
    exposition.stop()
    return 0


def make_server(exposition: Exposition, address: str, client_s: float = CLIENT_S) -> MetricsServer:
    """Return a server that listens already, and gives each client so long."""
    host, port = _host_and_port(address)
    try:
        return MetricsServer(host, port, exposition, client_s)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise NodeError(
            f"cannot listen on {address}: {reason}; name an address of this node and a free port"
        ) from error


class MetricsServer(ThreadingHTTPServer):
    """A server with a bound on how many are served at once."""

    daemon_threads = True
    request_queue_size = _QUEUE

    def __init__(self, host: str, port: int, exposition: Exposition, client_s: float) -> None:
        """Listen."""
        self.exposition, self.client_s = exposition, client_s
        self._places = threading.BoundedSemaphore(_MOST_AT_ONCE)
        self._silent: dict[socket.socket, None] = {}
        """Connections whose request is not whole yet, the oldest first."""
        self._lock = threading.Lock()
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        super().__init__((host, port), _Handler)

    def server_bind(self) -> None:
        """Listen without asking for the name of the address, which may take long where there is no network."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve in a thread. Where all places are taken, the oldest that has asked nothing yet gives up its own.

        Where all have asked, the client is turned away, and the server goes on.
        """
        if not self._has_place():
            self.shutdown_request(request)
            return
        with self._lock:
            self._silent[request] = None
        try:
            super().process_request(request, client_address)
        except BaseException:
            self.has_asked(request)
            self._places.release()
            raise

    def _has_place(self) -> bool:
        if self._places.acquire(blocking=False):
            return True
        with self._lock:
            if oldest := next(iter(self._silent), None):
                del self._silent[oldest]
                _cut_off(oldest)
        return self._places.acquire(timeout=_WAIT_S)

    def has_asked(self, request: Any) -> None:
        """Note that the request of a connection is whole, or that it is over."""
        with self._lock:
            self._silent.pop(request, None)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Serve, but no longer than a client may take, and give the place back at the end."""
        limit = threading.Timer(self.client_s, _cut_off, [request])
        limit.daemon = True
        limit.start()
        try:
            super().process_request_thread(request, client_address)
        finally:
            limit.cancel()
            self.has_asked(request)
            self._places.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of clients that went away."""


class _Handler(BaseHTTPRequestHandler):
    """One request a connection."""

    server: MetricsServer
    server_version = f"trainyard-node/{version()}"
    sys_version = ""
    timeout = CLIENT_S

    def do_GET(self) -> None:
        self.server.has_asked(self.request)
        path = self.path.split("?")[0]
        if path == "/metrics":
            self._answer_metrics()
        elif path == "/":
            self._answer(HTTPStatus.OK, "text/plain; charset=utf-8", [_INDEX])
        else:
            self._answer(HTTPStatus.NOT_FOUND, "text/plain; charset=utf-8", [_INDEX])

    do_HEAD = do_GET  # noqa: N815 - as http.server has it

    def _answer_metrics(self) -> None:
        if "gzip" in self.headers.get("Accept-Encoding", ""):
            self._answer(HTTPStatus.OK, CONTENT_TYPE, self.server.exposition.zipped(), "gzip")
        else:
            self._answer(HTTPStatus.OK, CONTENT_TYPE, self.server.exposition.text())

    def _answer(self, status: HTTPStatus, kind: str, parts: list[bytes], encoding: str | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(sum(map(len, parts))))
        if encoding is not None:
            self.send_header("Content-Encoding", encoding)
        self.end_headers()
        if self.command != "HEAD":
            with contextlib.suppress(OSError):
                for part in parts:
                    self.wfile.write(part)

    def log_message(self, *_: object) -> None:
        """Keep quiet: a scrape every few seconds is no news."""


def _cut_off(request: socket.socket) -> None:
    """End a connection, however slowly its client goes on. It may be over already."""
    with contextlib.suppress(OSError):
        request.shutdown(socket.SHUT_RDWR)


def _host_and_port(address: str) -> tuple[str, int]:
    host, colon, port = address.rpartition(":")
    if not colon or not host or not port.isdigit():
        raise NodeError(f"{address!a:.80} is no address: write HOST:PORT, such as 127.0.0.1:9341", 2)
    return host.strip("[]"), int(port)
