"""The exporters of all nodes of a lab, on one port of this machine: what Prometheus scrapes of them, and where.

    python -m trainyard.lab.simulated_exporters NAME PORT SLURM_PORT

/targets/JOB     what there is to scrape for a job of Prometheus, with the labels that discovery gives it in a cluster
/NODE/JOB        what an exporter of a node says now; 503 where the node does not answer
https://prometheus.io/docs/prometheus/latest/http_sd/
"""

from __future__ import annotations

import json
import sys
import threading
import time
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from trainyard.errors import TrainyardError
from trainyard.lab.lab import Lab, read_lab
from trainyard.lab.lab_monitoring import EXPORTER_PORTS
from trainyard.lab.simulated_nodes import SimulatedNodes, node_states_now
from trainyard.simulation.exporters import answering, exporters_of, exposition, series_of
from trainyard.simulation.node import SimulatedNode, SimulatedSeries

_LOOKS_EVERY_S = 5.0


class Exporters:
    """What the exporters of the nodes say."""

    def __init__(self, lab: Lab, port: int, slurm_port: int) -> None:
        """Begin with nodes that are idle."""
        self._lab = lab._replace(nodes=tuple(node for node in lab.nodes if has_facts(node.instance_type)))
        self._port, self._slurm_port = port, slurm_port
        self._nodes = SimulatedNodes(self._lab.nodes, time.time())
        self._lock = threading.Lock()
        self._series: dict[tuple[SimulatedNode, str], list[SimulatedSeries]] = {}

    def look(self) -> None:
        """Look at the lab again. Nodes stay as they were while slurmctld does not answer."""
        with suppress(TrainyardError, OSError):
            states = node_states_now(self._lab)
            with self._lock:
                self._nodes.see(states, time.time())

    def targets(self, job: str) -> list[dict[str, object]]:
        """Return what Prometheus finds for a job."""
        address = f"127.0.0.1:{self._port}"
        with self._lock:
            there = self._nodes.there()
        found = [
            _target(address, f"/{node.host}/{job}", f"{node.host}:{EXPORTER_PORTS[job]}", {
                "instance_id": f"i-{node.phase:017x}", "instance_type": node.instance_type, "node_name": node.host,
                "node_type": node.kind, "queue": of_lab.queue,
            }, self._lab.name)
            for of_lab, node in there
            if job in exporters_of(node)
        ]  # fmt: skip
        if job == "trainyard-node":
            head = {"instance_type": "", "node_name": "head", "node_type": "HeadNode"}
            slurm = f"127.0.0.1:{self._slurm_port}"
            found.append(_target(slurm, "/metrics", f"head:{EXPORTER_PORTS[job]}", head, self._lab.name))
        return found

    def text(self, host: str, job: str) -> str | None:
        """Return what an exporter says; None where it does not answer. Raises KeyError where there is none."""
        now_s = time.time()
        with self._lock:
            node = {node.host: node for _, node in self._nodes.there()}[host]
            if job not in exporters_of(node):
                raise KeyError(job)
            if answering(node, job).at([now_s]) != [1]:
                return None
            series = self._series.setdefault((node, job), [])
            if not series:
                for before in [known for known in self._series if known[0].host == host and known[0] != node]:
                    del self._series[before]
                series.extend(series_of(node, job))
        return exposition(series, now_s)


def has_facts(instance_type: str) -> bool:
    """Whether the catalog knows a type, so that its nodes can be simulated."""
    try:
        return bool(SimulatedNode("", "Compute", instance_type).facts)
    except LookupError:
        return False


def _target(address: str, path: str, instance: str, labels: dict[str, str], cluster: str) -> dict[str, object]:
    told = {**labels, "cluster": cluster, "instance": instance, "__metrics_path__": path}
    return {"targets": [address], "labels": {name: value for name, value in told.items() if value}}


class _Handler(BaseHTTPRequestHandler):
    """One request a connection."""

    server: Server
    timeout = 30

    def do_GET(self) -> None:
        """Answer with targets, or with what an exporter says."""
        first, _, job = self.path.strip("/").partition("/")
        if first == "targets" and job in EXPORTER_PORTS:
            self._answer(HTTPStatus.OK, json.dumps(self.server.exporters.targets(job)), "application/json")
            return
        try:
            text = self.server.exporters.text(first, job)
        except KeyError:
            self._answer(HTTPStatus.NOT_FOUND, "there is no such exporter\n")
            return
        if text is None:
            self._answer(HTTPStatus.SERVICE_UNAVAILABLE, "this node does not answer\n")
        else:
            self._answer(HTTPStatus.OK, text, "text/plain; version=0.0.4")

    def _answer(self, status: HTTPStatus, text: str, kind: str = "text/plain") -> None:
        content = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Keep quiet: a scrape every few seconds is no news."""


class Server(ThreadingHTTPServer):
    """Serves on this machine alone."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, exporters: Exporters, port: int) -> None:
        """Listen."""
        self.exporters = exporters
        super().__init__(("127.0.0.1", port), _Handler)


def main() -> int:
    """Serve until the lab is down."""
    name, port, slurm_port = sys.argv[1:]
    lab = read_lab(name)
    if lab is None:
        sys.stderr.write(f"there is no lab {name}\n")
        return 1
    exporters = Exporters(lab, int(port), int(slurm_port))
    exporters.look()
    server = Server(exporters, int(port))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    while lab.folder.exists():
        time.sleep(_LOOKS_EVERY_S)
        exporters.look()
    return 0


if __name__ == "__main__":
    sys.exit(main())
