"""Measures the memory of Prometheus for many nodes, as a server and as an agent, and compares it with the sizing.

Each node is three targets with as many series as `monitoring/node_series.py` counts for p5.48xlarge: what the
exporters of tests/monitoring/whole_cluster say, with more CPUs. All nodes say the same, under labels of their own, and
all counters grow. benchmarks/README.md keeps results. Linux only; 300 whole nodes take 5 GB.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "src"), str(ROOT)]

from tests.monitoring.clusters import spec_of  # noqa: E402 - found where the line above says
from tests.monitoring.whole_cluster.dcgm_exporter import dcgm_exporter  # noqa: E402 - as above
from tests.monitoring.whole_cluster.growing import counters, growing, text_at  # noqa: E402 - as above
from tests.monitoring.whole_cluster.node_exporter import node_exporter  # noqa: E402 - as above
from tests.monitoring.whole_cluster.nodes import COMPUTE, SPEC  # noqa: E402 - as above
from tests.monitoring.whole_cluster.stand_in import QuietServer  # noqa: E402 - as above
from tests.monitoring.whole_cluster.trainyard_node import on_compute  # noqa: E402 - as above
from tests.slurm import free_ports  # noqa: E402 - as above

from trainyard.monitoring.node_series import compute_series  # noqa: E402 - as above
from trainyard.monitoring.prometheus_config import remote_write  # noqa: E402 - as above
from trainyard.monitoring.sizing import Sizing  # noqa: E402 - as above

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tests.monitoring.whole_cluster.growing import Line

MODES = ("server", "server that writes", "agent")
EXPORTERS = {"node-exporter": 9100, "dcgm-exporter": 9400, "trainyard-node": 9341}
# What Prometheus adds to each target: up, and four about the scrape.
_ADDED = 5
_MIB = 2**20


def main() -> None:
    """Measure, and print a table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--nodes", type=int, nargs="+", default=[100, 300, 1000])
    options.add_argument("--modes", nargs="+", choices=MODES, default=MODES)
    options.add_argument("--share", type=float, default=1.0, help="of a node's series, where memory is short")
    options.add_argument("--interval-s", type=int, default=30)
    options.add_argument("--scrapes", type=int, default=4, help="of each target, before memory is read")
    asked = options.parse_args()
    print("| nodes | series | as | scrapes | resident | heap in use | a series | sizing |")
    print("|---|---|---|---|---|---|---|---|")
    for nodes in asked.nodes:
        for mode in asked.modes:
            print(measured(nodes, mode, asked.share, asked.interval_s, asked.scrapes), flush=True)


def measured(nodes: int, mode: str, share: float, interval_s: int, scrapes: int) -> str:
    """Return a line of the table."""
    with tempfile.TemporaryDirectory() as name, served(expositions(Path(name), share)) as address:
        folder = Path(name)
        (folder / "prometheus.yml").write_text(yaml.safe_dump(config(address, nodes, mode, interval_s)))
        with prometheus(folder, mode) as (url, process):
            found = readings(url, process.pid, interval_s, scrapes)
    series = found["series"]
    sized = Sizing(nodes, round(series)).server_memory_mib or 0
    return (
        f"| {nodes} | {series:,.0f} | {mode} | {scrapes} | {found['resident'] / _MIB:,.0f} MiB "
        f"| {found['heap'] / _MIB:,.0f} MiB | {found['resident'] / series:,.0f} B | {sized:,.0f} MiB |"
    )


def expositions(folder: Path, share: float) -> dict[str, list[Line]]:
    """Return what the three exporters of a node say: together as many series as are counted for a p5.48xlarge."""
    node = COMPUTE[0]
    gpus = dcgm_exporter(node, 0, None)
    said = {
        "node-exporter": node_exporter(node),
        "dcgm-exporter": growing(gpus, lambda name, *_: 1000.0 if name in counters(gpus) else 0.0),
        "trainyard-node": on_compute(node, folder / "efa", ill=False),
    }
    spec = spec_of(SPEC)
    wanted = compute_series(spec, next(iter(spec.node_groups())))
    if wanted is None:
        raise SystemExit("the catalog knows too little of p5.48xlarge")
    there = sum(line.value is not None for lines in said.values() for line in lines) + _ADDED * len(said)
    said["node-exporter"] = [*said["node-exporter"], *more_cpus(wanted - there)]
    return {name: thinned(lines, share) for name, lines in said.items()}


def more_cpus(series: int) -> Iterator[Line]:
    """Yield as many series of further CPUs, whose name is one that the exporter does not use."""
    modes = ("idle", "iowait", "irq", "nice", "softirq", "steal", "system", "user")
    text = "\n".join(
        f'node_cpu_of_bench_seconds_total{{cpu="{n // 8}",mode="{modes[n % 8]}"}} {n}.25' for n in range(series)
    )
    yield from growing(text, lambda *_: 0.37)


def thinned(lines: Sequence[Line], share: float) -> list[Line]:
    """Return a share of the series, evenly, without comments."""
    series = [line for line in lines if line.value is not None]
    return [line for number, line in enumerate(series) if int(number * share) != int((number - 1) * share)]


@contextmanager
def served(said: Mapping[str, list[Line]]) -> Iterator[str]:
    """Serve the expositions at the path of their name, and take whatever is written. Return the address."""
    began_s, lock = time.monotonic(), threading.Lock()
    kept: dict[str, tuple[int, bytes]] = {}

    def now(name: str) -> bytes:
        """Return it as it is at this second: it is the same for all nodes, and is made once."""
        second = int(time.monotonic() - began_s)
        with lock:
            if name not in kept or kept[name][0] != second:
                kept[name] = (second, text_at(said[name], second).encode())
            return kept[name][1]

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self.answer(200, now(self.path.strip("/")))

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.answer(204, b"")

        def answer(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "text/plain; version=0.0.4")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with QuietServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()


def config(address: str, nodes: int, mode: str, interval_s: int) -> dict[str, Any]:
    """Return the configuration: the labels of a real one, and where it writes to."""
    made: dict[str, Any] = {
        "global": {"scrape_interval": f"{interval_s}s", "scrape_timeout": f"{interval_s}s"},
        "scrape_configs": [
            {"job_name": job, "static_configs": [target(address, job, port, number) for number in range(nodes)]}
            for job, port in EXPORTERS.items()
        ],
    }
    writes = remote_write(spec_of(SPEC), f"http://{address}/api/v1/write")
    return made if mode == "server" else {**made, "remote_write": [writes]}


def target(address: str, job: str, port: int, number: int) -> dict[str, Any]:
    """Return a target under the labels that target_relabelling gives it."""
    ip = f"10.0.{16 + number // 250}.{number % 250 + 4}"
    labels = {
        "__metrics_path__": f"/{job}", "instance": f"{ip}:{port}", "cluster": "p5-cluster",
        "instance_id": f"i-{number:017x}", "instance_type": "p5.48xlarge", "node_name": f"ip-{ip.replace('.', '-')}",
        "node_type": "Compute", "queue": "gpu",
    }  # fmt: skip
    return {"targets": [address], "labels": labels}


@contextmanager
def prometheus(folder: Path, mode: str) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Start it, and return its address."""
    (port,) = free_ports(1)
    storage = ["--enable-feature=agent", f"--storage.agent.path={folder / 'data'}"]
    command = [
        "prometheus", f"--config.file={folder / 'prometheus.yml'}", f"--web.listen-address=127.0.0.1:{port}",
        "--log.level=warn", *(storage if mode == "agent" else [f"--storage.tsdb.path={folder / 'data'}"]),
    ]  # fmt: skip
    with subprocess.Popen(command) as process:
        try:
            yield f"http://127.0.0.1:{port}", process
        finally:
            # Its data is gone with the folder: there is no need to wait for it to write all of it.
            process.kill()


def readings(url: str, pid: int, interval_s: int, scrapes: int) -> dict[str, float]:
    """Return medians of readings over the interval after so many scrapes; heads are not compacted within hours."""
    wait_until_read(url, interval_s)
    wait_until_steady(url)
    time.sleep(interval_s * scrapes)
    found: list[dict[str, float]] = []
    until = time.monotonic() + interval_s
    while time.monotonic() < until:
        own = metrics(url)
        found.append({
            "resident": own["process_resident_memory_bytes"],
            "status": resident_bytes(pid),
            "heap": own["go_memstats_heap_inuse_bytes"],
            "series": series_of(own),
        })  # fmt: skip
        time.sleep(2)
    wait_until_read(url, interval_s)
    medians = {key: statistics.median(one[key] for one in found) for key in found[0]}
    if abs(medians["status"] - medians["resident"]) > 0.1 * medians["resident"]:
        raise SystemExit(f"the kernel and Prometheus disagree: {medians}")
    return medians


def wait_until_steady(url: str) -> None:
    """Wait until no more series come: a busy machine is not done with a scrape as soon as it has begun."""
    before = -1.0
    while (now := series_of(metrics(url))) != before:
        before = now
        time.sleep(10)


def series_of(own: Mapping[str, float]) -> float:
    """Return how many series a server or an agent holds."""
    return own.get("prometheus_tsdb_head_series", own.get("prometheus_agent_active_series", 0.0))


def metrics(url: str) -> dict[str, float]:
    """Return what Prometheus says of itself, without what has labels. It may be slow to answer while it is busy."""
    return {name: float(value) for name, value in re.findall(r"(?m)^(\w+) (\S+)$", page(f"{url}/metrics"))}


def page(url: str) -> str:
    """Return what this machine serves there."""
    with urllib.request.urlopen(url, timeout=60) as answer:  # noqa: S310 - as the text above says
        text: str = answer.read().decode()
    return text


def resident_bytes(pid: int) -> float:
    """Return what the kernel says."""
    found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    if found is None:
        raise SystemExit("the process is gone")
    return int(found[1]) * 1024


def wait_until_read(url: str, interval_s: int) -> None:
    """Wait until every target was read. Stop where one is not for long: the numbers would be of fewer."""
    until = time.monotonic() + 60 + 5 * interval_s
    while down := not_read(url):
        if time.monotonic() > until:
            raise SystemExit(f"{len(down)} targets were not read, the first: {down[0] or 'never yet'}")
        time.sleep(1)


def not_read(url: str) -> list[str]:
    """Return why targets were not read, and nothing where all were."""
    try:
        targets = json.loads(page(f"{url}/api/v1/targets?state=active"))["data"]["activeTargets"]
    except urllib.error.URLError as error:  # it starts
        return [str(error.reason)]
    return [one["lastError"] for one in targets if one["health"] != "up"]


if __name__ == "__main__":
    main()
