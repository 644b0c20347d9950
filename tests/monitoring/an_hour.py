"""An hour of the whole cluster in a real Prometheus: what a dashboard looks like on a cluster that has run for a while.

The other tests scrape for seconds. Here the same expositions are written as samples of the past, and what Prometheus
records of them is recorded by promtool.
"""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.monitoring.prometheus import Prometheus, real_prometheus
from tests.monitoring.promql import named_metrics
from tests.monitoring.whole_cluster.dcgm_exporter import dcgm_exporter
from tests.monitoring.whole_cluster.growing import text_at
from tests.monitoring.whole_cluster.node_exporter import node_exporter
from tests.monitoring.whole_cluster.nodes import HEAD, NODES, Node
from tests.monitoring.whole_cluster.trainium import trainium_samples
from tests.monitoring.whole_cluster.trainyard_node import on_compute, on_head
from trainyard.monitoring.alert import alerts
from trainyard.monitoring.dashboard import dashboards
from trainyard.monitoring.prometheus_rules import recording_groups

LENGTH_S = 3900
STEP_S = 30
_ILL_FOR_S = 900
_JOBS = {9100: "node", 9400: "dcgm-exporter", 9341: "trainyard-node"}
_WORD = re.compile(r"[A-Za-z_:][A-Za-z0-9_:]*")
# What the alerts of a GPU with a bad row of memory come to; promtool evaluates no alerts for the past.
_FIRING = ("gpu-xid-fatal", "gpu-row-remap-failed", "node-unhealthy", "gpu-idle-in-job")


@dataclass(frozen=True, slots=True)
class AnHour:
    """Where it is, and when it ends, in seconds since 1970."""

    prometheus: Prometheus
    end_s: int


@contextmanager
def an_hour(folder: Path) -> Iterator[AnHour]:
    """Write the hour that ends now, and serve it."""
    end_s = int(time.time()) // STEP_S * STEP_S
    write_blocks(folder, cluster_samples(folder, end_s))
    record_hour(folder, end_s)
    with real_prometheus(folder, {}) as prometheus:
        yield AnHour(prometheus, end_s)


def write_blocks(folder: Path, lines: Iterable[str]) -> None:
    """Write samples, lines of OpenMetrics, into the data of a Prometheus."""
    text = folder / "samples.om"
    with text.open("w", encoding="utf-8") as stream:
        stream.writelines(lines)
        stream.write("# EOF\n")
    _promtool("tsdb", "create-blocks-from", "openmetrics", str(text), str(folder / "data"))
    text.unlink()


def wanted_names() -> frozenset[str]:
    """Return the words in all queries of the dashboards and in what is recorded, which has the names of metrics."""
    queries = [query.expr for dashboard in dashboards() for panel in dashboard.panels() for query in panel.queries]
    recorded = [rule["expr"] for group in recording_groups() for rule in group["rules"]]
    return frozenset(word for text in (*queries, *recorded) for word in _WORD.findall(text))


def cluster_samples(folder: Path, end_s: int) -> Iterator[str]:
    """Yield the samples of all nodes, a series after the other."""
    wanted = wanted_names()
    for node in NODES:
        for port in node.ports:
            labels = target_labels(node, port)
            yield from _series(f"up{{{labels}}}", [(at_s, "1") for at_s in _times(end_s)])
            found: dict[str, list[tuple[int, str]]] = {}
            for at_s, text in _said(folder, node, port, end_s):
                for line in text.splitlines():
                    series, _, value = line.rpartition(" ")
                    if series.partition("{")[0] in wanted and not line.startswith("#"):
                        found.setdefault(series, []).append((at_s, value))
            for series, values in found.items():
                yield from _series(_labelled(series, labels), values)
    yield from trainium_samples(folder, _times(end_s))
    yield from _firing(end_s)
    yield from _sending(end_s)


def target_labels(node: Node, port: int) -> str:
    """Return the labels that discovery gives a target, as text."""
    labels = {
        "job": _JOBS[port],
        "instance": f"10.0.16.{node.number}:{port}",
        "cluster": "p5-cluster",
        "instance_id": f"i-{node.number:017x}",
        "instance_type": node.type,
        "node_name": f"ip-10-0-16-{node.number}",
        "node_type": node.node_type,
        **({"queue": "gpu"} if node.node_type == "Compute" else {}),
    }
    return ",".join(f'{name}="{value}"' for name, value in labels.items())


def _said(folder: Path, node: Node, port: int, end_s: int) -> Iterator[tuple[int, str]]:
    """Yield what an exporter said at each scrape."""
    says = _exporter(folder, node, port)
    for at_s in _times(end_s):
        ill_s = at_s - (end_s - _ILL_FOR_S)
        yield at_s, says(float(at_s - end_s + LENGTH_S), ill_s if ill_s >= 0 else None)


def _exporter(folder: Path, node: Node, port: int) -> Callable[[float, float | None], str]:
    if port == 9400:
        return lambda elapsed_s, ill_s: dcgm_exporter(node, elapsed_s, ill_s)
    if port == 9100:
        host = node_exporter(node)
        return lambda elapsed_s, _: text_at(host, elapsed_s)
    ours = {
        ill: on_head(folder / "head", ill=ill) if node == HEAD else on_compute(node, folder / "node", ill=ill)
        for ill in (False, True)
    }
    return lambda elapsed_s, ill_s: text_at(ours[ill_s is not None], elapsed_s)


def _firing(end_s: int) -> Iterator[str]:
    severities = {alert.id: alert.severity for alert in alerts()}
    ill = next(node for node in NODES if node.ill_gpu is not None)
    for name in _FIRING:
        place = f'cluster="p5-cluster",node_name="ip-10-0-16-{ill.number}",gpu="{ill.ill_gpu}"'
        series = f'ALERTS{{alertname="{name}",alertstate="firing",severity="{severities[name]}",{place}}}'
        yield from _series(series, [(at_s, "1") for at_s in _times(end_s) if at_s > end_s - _ILL_FOR_S + 120])
        since = series.replace("ALERTS{", "ALERTS_FOR_STATE{").replace('alertstate="firing",', "")
        yield from _series(
            since, [(at_s, f"{end_s - _ILL_FOR_S}") for at_s in _times(end_s) if at_s > end_s - _ILL_FOR_S]
        )


def _sending(end_s: int) -> Iterator[str]:
    """Yield what Prometheus on the head node says of what it sends."""
    labels = 'job="prometheus",instance="localhost:9090",cluster="p5-cluster",node_type="HeadNode"'
    rates = {"samples_total": 1100.0, "samples_failed_total": 0.0, "samples_retried_total": 0.0, "samples_pending": 0.0}
    for name, rate in rates.items():
        values = [(at_s, f"{rate * (at_s - end_s + LENGTH_S):.0f}") for at_s in _times(end_s)]
        yield from _series(f"prometheus_remote_storage_{name}{{{labels}}}", values)
    yield from _series(f"up{{{labels}}}", [(at_s, "1") for at_s in _times(end_s)])


def record_hour(folder: Path, end_s: int) -> None:
    """Write what is recorded of the samples that are there, and then what is recorded of that, and so on.

    promtool records only of what is there when it begins.
    """
    rest = [rule for group in recording_groups() for rule in group["rules"]]
    while rest:
        missing = {rule["record"] for rule in rest}
        ready = [rule for rule in rest if named_metrics(rule["expr"]) & missing <= {rule["record"]}]
        with real_prometheus(folder, {}) as recording:
            _record(folder, recording.url, end_s, ready)
        rest = [rule for rule in rest if rule not in ready]


def _record(folder: Path, url: str, end_s: int, recorded: list[dict[str, Any]]) -> None:
    rules = folder / "rules.yml"
    rules.write_text(yaml.safe_dump({"groups": [{"name": "recorded", "rules": [*map(dict, recorded)]}]}))
    _promtool(
        "tsdb", "create-blocks-from", "rules", f"--start={end_s - LENGTH_S}", f"--end={end_s}", f"--url={url}",
        f"--eval-interval={STEP_S}s", f"--output-dir={folder / 'data'}", str(rules),
    )  # fmt: skip


def _times(end_s: int) -> range:
    return range(end_s - LENGTH_S, end_s + 1, STEP_S)


def _labelled(series: str, labels: str) -> str:
    name, _, own = series.partition("{")
    return f"{name}{{{labels},{own}" if own else f"{name}{{{labels}}}"


def _series(series: str, values: Iterable[tuple[int, str]]) -> Iterator[str]:
    yield from (f"{series} {value} {at_s}\n" for at_s, value in values)


def _promtool(*arguments: str) -> None:
    done = subprocess.run(["promtool", *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
