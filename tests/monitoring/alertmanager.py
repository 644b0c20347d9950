"""A real Alertmanager on loopback, and an SNS and other receivers that keep what they are told."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import yaml

from tests.monitoring.prometheus import wait_until_ready
from tests.slurm import free_ports
from tests.waiting import wait_until

_PUBLISHED = b"<PublishResponse><PublishResult><MessageId>1</MessageId></PublishResult></PublishResponse>"


@dataclass
class Topic:
    """What a topic was told: the parameters of each call of Publish."""

    url: str = ""
    told: list[dict[str, str]] = field(default_factory=list)

    def wait_for(self, number: int) -> list[dict[str, str]]:
        """Return what it was told, once it is so much."""
        wait_until(lambda: len(self.told) >= number, lambda: self.told)
        return self.told


@dataclass(frozen=True)
class Alertmanager:
    """A server that runs."""

    url: str

    def fire(self, *alerts: dict[str, Any]) -> None:
        """Give it alerts, as Prometheus does."""
        text = json.dumps(list(alerts)).encode()
        request = urllib.request.Request(f"{self.url}/api/v2/alerts", text, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=300):
            pass

    def inhibited_with(self, awaited: str) -> set[str]:
        """Return the names of the alerts that another one holds back, once one name is among them."""
        wait_until(lambda: awaited in self._inhibited(), self._inhibited)
        return self._inhibited()

    def _inhibited(self) -> set[str]:
        with urllib.request.urlopen(f"{self.url}/api/v2/alerts", timeout=300) as answer:
            found = json.load(answer)
        return {_name(one) for one in found if one["status"]["inhibitedBy"]}


@contextmanager
def topic_of_sns() -> Iterator[Topic]:
    """Run an SNS that answers Publish and nothing else."""
    topic = Topic()

    def publish(_: str, text: str) -> bytes:
        topic.told.append({key: values[0] for key, values in parse_qs(text).items()})
        return _PUBLISHED

    with _server(publish) as topic.url:
        yield topic


@dataclass
class Receivers:
    """What Slack, PagerDuty and webhooks were told: the path and the JSON of each message."""

    url: str = ""
    told: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def wait_for(self, path: str, number: int = 1) -> list[dict[str, Any]]:
        """Return what came to a path, once it is so much."""
        wait_until(lambda: len(self.at(path)) >= number, lambda: self.told)
        return self.at(path)

    def at(self, path: str) -> list[dict[str, Any]]:
        """Return what has come to a path until now."""
        return [message for told_path, message in self.told if told_path == path]


@contextmanager
def http_receivers() -> Iterator[Receivers]:
    """Run a server that answers every message as Slack does; PagerDuty and webhooks are content with that."""
    receivers = Receivers()

    def take(path: str, text: str) -> bytes:
        receivers.told.append((path, json.loads(text)))
        return b"ok"

    with _server(take) as receivers.url:
        yield receivers


@contextmanager
def _server(answer: Callable[[str, str], bytes]) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            said = answer(self.path, self.rfile.read(int(self.headers["Content-Length"])).decode())
            self.send_response(200)
            self.send_header("Content-Type", "text/plain")
            self.send_header("Content-Length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def real_alertmanager(folder: Path, config: dict[str, Any]) -> Iterator[Alertmanager]:
    """Start it with a configuration, and wait until it answers."""
    program = shutil.which("prometheus-alertmanager")
    assert program is not None
    (port,) = free_ports(1)
    (folder / "alertmanager.yaml").write_text(yaml.safe_dump(config))
    command = [
        program, f"--config.file={folder / 'alertmanager.yaml'}", f"--storage.path={folder / 'state'}",
        f"--web.listen-address=127.0.0.1:{port}", "--cluster.listen-address=",
    ]  # fmt: skip
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    environment = {**kept, "AWS_ACCESS_KEY_ID": "AKIAMADEUP", "AWS_SECRET_ACCESS_KEY": "made-up"}
    with (
        (folder / "alertmanager.log").open("wb") as log,
        subprocess.Popen(command, stdout=log, stderr=log, env=environment) as process,
    ):
        try:
            wait_until_ready(f"http://127.0.0.1:{port}", process, folder / "alertmanager.log")
            yield Alertmanager(f"http://127.0.0.1:{port}")
        finally:
            process.terminate()


def _name(alert: dict[str, Any]) -> str:
    labels: dict[str, str] = alert["labels"]
    return " ".join([labels["alertname"], *([labels["job"]] if "job" in labels else [])])
