"""The exporters of all nodes, listening on the addresses and ports that a real cluster has them on.

The nodes' addresses are of a network within 127.0.0.0/8, all of which is this machine itself, so that a port that
nobody listens on refuses, and one that stays silent makes Prometheus wait, as on real nodes.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path

from tests.monitoring.whole_cluster.dcgm_exporter import dcgm_exporter
from tests.monitoring.whole_cluster.faults import Faults
from tests.monitoring.whole_cluster.growing import Line, text_at
from tests.monitoring.whole_cluster.node_exporter import node_exporter
from tests.monitoring.whole_cluster.nodes import HEAD, Node
from tests.monitoring.whole_cluster.stand_in import QuietServer
from tests.monitoring.whole_cluster.trainyard_node import on_compute, on_head

# What an exporter says, by its node and port; None is silence.
Says = Callable[[Node, int], str | None]

NODE_EXPORTER, DCGM_EXPORTER, TRAINYARD_NODE = 9100, 9400, 9341


class Expositions:
    """What every exporter says now. Its counters have grown since the beginning."""

    def __init__(self, folder: Path, nodes: Sequence[Node]) -> None:
        """Begin well. The folder takes the trees of nodes' EFA interfaces."""
        self._began_s = time.monotonic()
        self._ill_since_s: float | None = None
        self._hosts = {node.number: node_exporter(node) for node in nodes}
        self._ours = {ill: self._of_ours(folder, nodes, ill=ill) for ill in (False, True)}

    def fall_ill(self) -> None:
        """Let one GPU fall ill now."""
        self._ill_since_s = time.monotonic()

    def of(self, node: Node, port: int) -> str:
        """Return what the exporter of a node says."""
        now_s = time.monotonic()
        elapsed_s = now_s - self._began_s
        ill_s = None if self._ill_since_s is None else now_s - self._ill_since_s
        if port == DCGM_EXPORTER:
            return dcgm_exporter(node, elapsed_s, ill_s)
        lines = self._hosts[node.number] if port == NODE_EXPORTER else self._ours[ill_s is not None][node.number]
        return text_at(lines, elapsed_s)

    @staticmethod
    def _of_ours(folder: Path, nodes: Sequence[Node], *, ill: bool) -> dict[int, list[Line]]:
        computes = {node.number: on_compute(node, folder, ill=ill) for node in nodes if DCGM_EXPORTER in node.ports}
        return {HEAD.number: on_head(folder / "head", ill=ill), **computes}


@contextmanager
def exporters(nodes: Sequence[Node], says: Says, faults: Faults) -> Iterator[str]:
    """Serve all of them, and return the network that they are in."""
    for _ in range(20):
        network = f"127.{1 + secrets.randbelow(254)}.{secrets.randbelow(255)}"
        with ExitStack() as running:
            try:
                for node in nodes:
                    for port in node.ports:
                        if (node.number, port) not in faults.closed:
                            running.enter_context(_served(f"{network}.{node.number}", node, port, says))
            except OSError:  # somebody else's network
                continue
            yield network
            return
    raise AssertionError("no network in 127.0.0.0/8 is free")


@contextmanager
def _served(address: str, node: Node, port: int, says: Says) -> Iterator[None]:
    over = threading.Event()

    class Exporter(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            text = says(node, port)
            if text is None:
                over.wait()
                return
            body = text.encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with QuietServer((address, port), Exporter) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield
        over.set()
        server.shutdown()
