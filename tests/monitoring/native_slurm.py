"""slurmctld's own metrics, as a server that Prometheus can scrape."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.node.collectors.exposed import Labels, exposed

FOLDER = Path(__file__).parent / "native"


def native() -> dict[tuple[str, Labels], float]:
    """Return every sample of every page."""
    return {key: value for file in FOLDER.glob("*.prom") for key, value in exposed(file.read_text()).items()}


class _Slurmctld(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = (FOLDER / f"{self.path.removeprefix('/metrics/')}.prom").read_bytes()
        self.send_response(200)
        # MIME_TYPE_TEXT, without a version: https://github.com/SchedMD/slurm/blob/master/src/slurmctld/http.c
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def served() -> Iterator[str]:
    """Serve it, and return the address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Slurmctld) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()
