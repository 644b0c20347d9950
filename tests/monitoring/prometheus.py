"""A real Prometheus on loopback, gone with the test."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.slurm import free_ports
from tests.waiting import wait_until

# Version 3, which Debian 12 does not have: tools/prometheus.sh.
_OF_3 = Path(__file__).parents[2] / ".make" / "prometheus-3" / "usr" / "bin"
PROMETHEUS_3, PROMTOOL_3 = _OF_3 / "prometheus", _OF_3 / "promtool"
Series = dict[tuple[tuple[str, str], ...], float]


@dataclass(frozen=True, slots=True)
class Prometheus:
    """A server that runs."""

    url: str

    def ask(self, query: str) -> Series:
        """Return what a query gives now: values by labels."""
        with urllib.request.urlopen(
            f"{self.url}/api/v1/query?query={urllib.parse.quote(query)}", timeout=10
        ) as response:
            answer: dict[str, Any] = json.load(response)
        assert answer["status"] == "success", answer
        return {tuple(sorted(one["metric"].items())): float(one["value"][1]) for one in answer["data"]["result"]}

    def wait_for(self, query: str, enough: Callable[[Series], bool] = bool) -> Series:
        """Ask until the answer is enough; one that is never fails the test, with the last answer."""
        found: Series = {}

        def is_enough() -> bool:
            nonlocal found
            found = self.ask(query)
            return enough(found)

        wait_until(is_enough, lambda: f"{query}: {found}")
        return found


@contextmanager
def real_prometheus(
    folder: Path,
    config: dict[str, Any],
    *options: str,
    port: int | None = None,
    variables: Mapping[str, str] | None = None,
    named: str | Path = "prometheus",
) -> Iterator[Prometheus]:
    """Start it with a configuration, and wait until it answers."""
    program = shutil.which(named)
    assert program is not None, f"{named} is missing: tools/prometheus.sh fetches it"
    port = port or free_ports(1)[0]
    (folder / "prometheus.yaml").write_text(yaml.safe_dump(config))
    command = [
        program, f"--config.file={folder / 'prometheus.yaml'}", f"--storage.tsdb.path={folder / 'data'}",
        f"--web.listen-address=127.0.0.1:{port}", "--log.level=warn", *options,
    ]  # fmt: skip
    environment = {**os.environ, **(variables or {})}
    with (
        (folder / "log").open("wb") as log,
        subprocess.Popen(command, stdout=log, stderr=log, env=environment) as process,
    ):
        try:
            wait_until_ready(f"http://127.0.0.1:{port}", process, folder / "log")
            yield Prometheus(f"http://127.0.0.1:{port}")
        finally:
            process.terminate()


def wait_until_ready(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until a server of Prometheus's family answers."""

    def is_ready() -> bool:
        assert process.poll() is None, log.read_text()
        try:
            with urllib.request.urlopen(f"{url}/-/ready", timeout=300):
                return True
        except OSError:
            return False

    wait_until(is_ready, log.read_text)
