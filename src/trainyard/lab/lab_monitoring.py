"""The monitoring of a lab: simulated exporters of its nodes, the real one of Slurm, Prometheus, and the viewer's page.

All of it is on 127.0.0.1, where every user of this machine reaches it, as Slurm's own ports.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TypeVar

from trainyard.document.write import yaml_text
from trainyard.errors import TrainyardError
from trainyard.lab.lab import MONITORING_PORTS
from trainyard.lab.lab_process import OF_LAB
from trainyard.monitoring.prometheus_config import metric_relabelling
from trainyard.monitoring.rules_text import rules_file
from trainyard.operate.monitoring.viewer.metrics_source import keeper_at
from trainyard.stop_request import look

T = TypeVar("T")
EXPORTER_PORTS = {"node-exporter": 9100, "dcgm-exporter": 9400, "trainyard-node": 9341}
"""Where they listen in a cluster, by the names of Prometheus's jobs."""
# Twice as often as in a cluster: nobody waits for a lab.
_INTERVAL_S = 15
_READY_WITHIN_S = 60.0


def start_monitoring(
    folder: Path, cluster: str, variables: Mapping[str, str], first_port: int, tell: Callable[[str], None]
) -> dict[str, str]:
    """Start all of it, and return the address of each part. Without a Prometheus on this machine, exporters alone.

    Raises TrainyardError where it does not come up.
    """
    nodes, slurm, prometheus, viewer = range(first_port, first_port + MONITORING_PORTS)
    environment = {**os.environ, **variables, OF_LAB: str(folder)}
    python = (sys.executable, "-m")

    def begin(log: str, *command: str) -> None:
        with (folder / "log" / f"{log}.log").open("wb") as output:
            subprocess.Popen(
                command, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
            )

    begin("exporters", *python, "trainyard.lab.simulated_exporters", cluster, str(nodes), str(slurm))
    collectors = ("--collector", "slurm", "--collector", "slurm-scheduler")
    begin("slurm-exporter", *python, "trainyard_node", "serve", "--listen", f"127.0.0.1:{slurm}", *collectors)
    for port, log in ((nodes, "exporters"), (slurm, "slurm-exporter")):
        _wait(partial(_listens, port), log, folder)
    addresses = {"exporters": f"http://127.0.0.1:{nodes}"}
    program = shutil.which("prometheus")
    if program is None:
        tell("there is no prometheus on this machine to keep what the exporters say: apt-get install prometheus")
        return addresses
    url = f"http://127.0.0.1:{prometheus}"
    config = prometheus_config(cluster, addresses["exporters"], prometheus)
    (folder / "rules.yml").write_text(rules_file(), encoding="utf-8")
    (folder / "prometheus.yml").write_text(yaml_text(config), encoding="utf-8")
    own = (f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/prometheus")
    begin("prometheus", program, *own, f"--web.listen-address=127.0.0.1:{prometheus}")
    _wait(lambda: _is_ready(url), "prometheus", folder)
    begin("viewer", *python, "trainyard", "monitor", "view", "--prometheus", url, "--port", str(viewer))
    page = _wait(lambda: _page(folder / "log" / "viewer.log"), "viewer", folder)
    return {**addresses, "prometheus": url, "dashboards": page}


def prometheus_config(cluster: str, exporters: str, port: int) -> Mapping[str, object]:
    """Return prometheus.yml: the jobs of a cluster, found by asking the exporters in place of EC2."""
    interval = f"{_INTERVAL_S}s"
    own = {"targets": [f"127.0.0.1:{port}"], "labels": {"cluster": cluster, "node_type": "HeadNode"}}
    jobs = [
        {
            "job_name": job,
            "http_sd_configs": [{"url": f"{exporters}/targets/{job}", "refresh_interval": interval}],
            **metric_relabelling(job, all_host_metrics=False),
        }
        for job in EXPORTER_PORTS
    ]
    return {
        "global": {
            "scrape_interval": interval,
            "evaluation_interval": interval,
            "external_labels": {"cluster": cluster},
        },
        "rule_files": ["rules.yml"],
        "scrape_configs": [{"job_name": "prometheus", "static_configs": [own]}, *jobs],
    }


def _listens(port: int) -> bool:
    with socket.socket() as client:
        return not client.connect_ex(("127.0.0.1", port))


def _is_ready(url: str) -> bool:
    try:
        keeper_at(url, None, None).expect_ready()
    except TrainyardError:
        return False
    return True


def _page(log: Path) -> str:
    """Return the address that the viewer has printed. It has a token, and the lab's folder is this user's alone."""
    lines = log.read_text(encoding="utf-8").splitlines()
    return next((line for line in lines if line.startswith("http://127.0.0.1:")), "")


def _wait(answer: Callable[[], T], what: str, folder: Path) -> T:
    until = time.monotonic() + _READY_WITHIN_S
    while not (found := answer()):
        look()
        if time.monotonic() > until:
            hint = f"see {folder}/log/{what}.log"
            raise TrainyardError(f"{what} does not come up", where=folder.name, hint=hint)
        time.sleep(0.2)
    return found
