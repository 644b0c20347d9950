"""The monitoring instance for real: Prometheus takes what a head node sends, and an alert gets to people.

Prometheus and Alertmanager of Debian run with the files of a release. What the steps write into units and what a node
cannot have here is changed: ports, and a webhook of this machine in the place of SNS.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.bootstrap.steps.keeper_node import keeper_node
from tests.bootstrap.steps.stubs import runs_well
from tests.monitoring.prometheus import Prometheus, real_prometheus, wait_until_ready
from tests.slurm import free_ports
from tests.specs import spec_of
from tests.waiting import wait_until
from trainyard.bundle.release import files_in, release

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]

SPEC = "name: llm\nmonitoring: {mode: self-hosting}\nqueues: [{name: q, instance_type: p5.48xlarge, setup: gpu}]"


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    return files_in(release(spec_of(SPEC)).content)


def program(*names: str) -> str:
    found = next((path for name in names if (path := shutil.which(name))), None)
    assert found is not None, f"{names[0]} is missing: run make .make/prometheus"
    return found


def checked(*command: str) -> str:
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def test_promtool_and_amtool_take_the_files_of_a_release(files: dict[str, bytes], tmp_path: Path):
    for name in ("instance.yml", "rules.yml", "alertmanager.yml"):
        (tmp_path / name).write_bytes(files[f"monitoring/{name}"])
    said = checked(program("promtool"), "check", "config", str(tmp_path / "instance.yml"))
    assert "SUCCESS" in said
    assert "rules found" in said
    assert "4 receivers" in checked(program("amtool"), "check-config", str(tmp_path / "alertmanager.yml"))


def options(node_place: Path, step: str, unit: str) -> list[str]:
    """Return the options of the program that a step writes into its unit."""
    node = keeper_node(node_place)
    runs_well(node, step)
    (line,) = [line for line in node.read(f"etc/systemd/system/{unit}").splitlines() if line.startswith("ExecStart=")]
    return line.split(" ")[1:]


class _Webhook(BaseHTTPRequestHandler):
    """Keeps what Alertmanager sends."""

    got: list[dict[str, Any]]

    def do_POST(self) -> None:
        self.got.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@contextmanager
def webhook() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    got: list[dict[str, Any]] = []
    handler = type("Webhook", (_Webhook,), {"got": got})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/", got
        server.shutdown()


@contextmanager
def running(command: list[str], url: str, log: Path) -> Iterator[None]:
    """Run a server of this machine until the end of the block, and wait until it is ready."""
    with log.open("wb") as stream, subprocess.Popen(command, stdout=stream, stderr=stream) as process:
        try:
            wait_until_ready(url, process, log)
            yield
        finally:
            process.terminate()


def replaced(arguments: list[str], values: dict[str, str]) -> list[str]:
    """Return options with other values; each has to be there."""
    given = {name: value for name, _, value in (argument.partition("=") for argument in arguments)}
    assert values.keys() <= given.keys()
    changed = {**given, **values}
    return [f"{name}={value}" if value or name.endswith("listen-address") else name for name, value in changed.items()]


@contextmanager
def alertmanager(place: Path, files: dict[str, bytes], hook: str) -> Iterator[int]:
    """Run it with the release's own routes, and a webhook in the place of each topic."""
    config = yaml.safe_load(files["monitoring/alertmanager.yml"])
    for receiver in config["receivers"]:
        del receiver["sns_configs"]
        receiver["webhook_configs"] = [{"url": hook}]
    for route in (config["route"], *config["route"].get("routes", ())):
        route["group_wait"] = "1s"
    (place / "alertmanager.yml").write_text(yaml.safe_dump(config))
    (port,) = free_ports(1)
    arguments = replaced(
        options(place / "alertmanager", "71-alertmanager", "trainyard-alertmanager.service"),
        {"--config.file": str(place / "alertmanager.yml"), "--storage.path": str(place / "alerts"),
         "--web.listen-address": f"127.0.0.1:{port}"},
    )  # fmt: skip
    command = [program("prometheus-alertmanager", "alertmanager"), *arguments]
    with running(command, f"http://127.0.0.1:{port}", place / "alertmanager.log"):
        yield port


@contextmanager
def keeper(place: Path, files: dict[str, bytes], alertmanager_port: int) -> Iterator[str]:
    """Run Prometheus with the release's own configuration and rules, evaluated every second."""
    config = yaml.safe_load(files["monitoring/instance.yml"])
    config["global"] |= {"evaluation_interval": "1s", "scrape_interval": "1s", "scrape_timeout": "1s"}
    config["alerting"]["alertmanagers"][0]["static_configs"] = [{"targets": [f"127.0.0.1:{alertmanager_port}"]}]
    (port,) = free_ports(1)
    for job in config["scrape_configs"]:
        job["static_configs"][0]["targets"] = [f"127.0.0.1:{port}"]
    rules = yaml.safe_load(files["monitoring/rules.yml"])
    for group in rules["groups"]:
        group.pop("interval", None)
        for rule in group["rules"]:
            rule["for"] = "0s"
    (place / "rules.yml").write_text(yaml.safe_dump(rules))
    (place / "instance.yml").write_text(yaml.safe_dump(config))
    arguments = replaced(
        options(place / "keeper", "69-keeper", "trainyard-keeper.service"),
        {"--config.file": str(place / "instance.yml"), "--storage.tsdb.path": str(place / "data"),
         "--web.listen-address": f"127.0.0.1:{port}"},
    )  # fmt: skip
    with running([program("prometheus"), *arguments], f"http://127.0.0.1:{port}", place / "keeper.log"):
        yield f"http://127.0.0.1:{port}"


def head_node(place: Path, keeper_url: str) -> Any:
    """Run a Prometheus that scrapes a node which is down, and writes that to the instance as head nodes do."""
    place.mkdir()
    (nobody,) = free_ports(1)
    labels = {"cluster": "llm", "instance_id": "i-0123456789abcdef0", "node_type": "Compute", "queue": "q"}
    job = {"job_name": "node-exporter", "static_configs": [{"targets": [f"127.0.0.1:{nobody}"], "labels": labels}]}
    return real_prometheus(
        place,
        {
            "global": {"scrape_interval": "1s", "scrape_timeout": "1s", "external_labels": {"cluster": "llm"}},
            "scrape_configs": [job],
            "remote_write": [{"url": f"{keeper_url}/api/v1/write"}],
        },
    )


def test_what_a_head_node_sends_is_kept_judged_and_told(files: dict[str, bytes], tmp_path: Path):
    with (
        webhook() as (hook, got),
        alertmanager(tmp_path, files, hook) as port,
        keeper(tmp_path, files, port) as url,
        head_node(tmp_path / "head", url),
    ):
        asked = Prometheus(url)
        asked.wait_for('up{job="node-exporter",instance_id="i-0123456789abcdef0"} == 0')
        asked.wait_for('ALERTS{alertname="exporter-down",alertstate="firing",job="node-exporter"}')
        wait_until(lambda: any(one["groupLabels"].get("alertname") == "exporter-down" for one in got), lambda: got)
    told = next(one for one in got if one["groupLabels"].get("alertname") == "exporter-down")
    (alert, *_) = told["alerts"]
    assert alert["labels"]["cluster"] == "llm"
    assert alert["annotations"]["runbook"].endswith("docs/alerts.md#exporter-down")
    assert alert["annotations"]["panel_url"].startswith(
        "http://localhost:3000/d/trainyard-node-status?viewPanel=panel-"
    )
    assert alert["annotations"]["panel_url"].endswith("&var-cluster=llm")
