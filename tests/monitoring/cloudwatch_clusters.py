"""Clusters whose dashboards are looked at, and what is in these dashboards."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tests.specs import spec_of
from trainyard.monitoring.cloudwatch_body import cloudwatch_bodies
from trainyard.monitoring.cloudwatch_cluster import file_system_key, needed_ids
from trainyard.spec.cluster import Spec

FILE_SYSTEMS = """\
file_systems:
  - {mount: /fsx, lustre: {size_gib: 1200, throughput_mb_s_per_tib: 250}}
  - {mount: /old, lustre: {id: fs-0123456789abcdef0}}
  - {mount: /home, openzfs: {size_gib: 512}}
"""
GPUS = "queues: [{name: gpu, instance_type: p5.48xlarge, nodes: 4, gpu_health_check: true}]\nsoftware: {setup: gpu}\n"
GROUPS = "cloudwatch_metrics: [system, gpu, efa, slurm]"
# Every widget of every dashboard can be filled.
EVERYTHING = f"{GPUS}{FILE_SYSTEMS}monitoring: {{mode: amp-only, detailed: true, {GROUPS}}}\n"
PARTS = {
    "everything": EVERYTHING,
    "by-interface": f"{GPUS}monitoring: {{cloudwatch_metrics: [efa-interfaces]}}\n",
    "nothing-measured": f"{GPUS}{FILE_SYSTEMS}",
    "no-logs": f"{GPUS}{FILE_SYSTEMS}monitoring: {{logs: false, alarms: false}}\n",
    "without-gpus": "queues: [{name: cpu, instance_type: m5.8xlarge}]\nmonitoring: {cloudwatch_metrics: [system]}\n",
    "unknown-type": f"queues: [{{name: new, instance_type: p9.unknown, efa: true}}]\nmonitoring: {{{GROUPS}}}\n",
}


def ids(spec: Spec) -> dict[str, str]:
    """Return ids as a deployment would find them."""
    made = {"HeadNodeInstanceId": "i-0a1b2c3d4e5f60718", "ClusterLogGroup": "/aws/parallelcluster/ml-202611211200"}
    needed = [file_system_key(*id_) for id_ in needed_ids(spec)]
    return {name: made.get(name, f"fs-{name.lower()}") for name in needed}


def bodies(part: str) -> dict[str, Any]:
    """Return the dashboards of a cluster of which a part is written out."""
    spec = spec_of(part)
    return cloudwatch_bodies(spec, ids(spec))


def body(part: str, suffix: str = "") -> dict[str, Any]:
    """Return one of them by the end of its name."""
    spec = spec_of(part)
    found: dict[str, Any] = bodies(part)[f"ParallelCluster-{spec.name}{suffix}"]
    return found


def metrics_in(widgets: list[dict[str, Any]]) -> Iterator[tuple[str, str, frozenset[str]]]:
    """Yield namespace, name and dimensions of every metric that widgets name, search for, or explore."""
    for widget in widgets:
        properties = widget["properties"]
        if widget["type"] == "explorer":
            yield from (
                ("AWS/EC2", metric["metricName"], frozenset({"InstanceId"})) for metric in properties["metrics"]
            )
        elif widget["type"] == "metric":
            for metric in properties["metrics"]:
                yield from _searched(metric[0]["expression"]) if "expression" in metric[0] else [_named(metric)]


def _named(metric: list[Any]) -> tuple[str, str, frozenset[str]]:
    namespace, name, *dimensions = metric[:-1]
    return namespace, name, frozenset(dimensions[::2])


def _searched(expression: str) -> Iterator[tuple[str, str, frozenset[str]]]:
    for schema, name in re.findall(r"SEARCH\('\{([^}]+)\} MetricName=\"(\w+)\"'", expression):
        namespace, *dimensions = schema.split(",")
        yield namespace.strip('"'), name, frozenset(dimensions)
