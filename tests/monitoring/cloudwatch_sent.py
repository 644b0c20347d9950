"""Which metrics there are in CloudWatch: what nodes send for us, from their own code, and what others send."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

import trainyard.bootstrap
from trainyard_node.cloudwatch.efa_rates import NAMESPACE, RATES
from trainyard_node.cloudwatch.gpu_readings import GpuReadings
from trainyard_node.cloudwatch.slurm_totals import job_counts, node_counts

STEP = Path(trainyard.bootstrap.__file__).parent / "assets" / "steps" / "50-cloudwatch.sh"
FOREIGN = yaml.load(
    (Path(__file__).parent / "cloudwatch_metrics.yaml").read_text(encoding="utf-8"), Loader=yaml.CSafeLoader
)
GPU_LINE = b"0, 97, 61, 650.5, 70000, 11559, 81559\n"

Sent = tuple[str, str, frozenset[str]]
"""Namespace, name, and the names of the dimensions."""


class OneGpu:
    """Stands for nvidia-smi."""

    def read(self, command: tuple[str, ...], timeout_s: float, most_bytes: int, env: Mapping[str, str]) -> bytes:
        del command, timeout_s, most_bytes, env
        return GPU_LINE


def sent(cluster: str) -> set[Sent]:
    """Return every metric that can be there."""
    return {*_foreign(), *_by_agent(cluster), *_gpu(cluster), *_efa(), *_slurm(cluster)}


def _foreign() -> Iterator[Sent]:
    for namespace, facts in FOREIGN.items():
        for name in facts.get("metrics", ()):
            yield namespace, name, frozenset(facts["dimensions"])
        for name, dimensions in facts.get("dimensions_of", {}).items():
            yield namespace, name, frozenset(dimensions)


def _by_agent(cluster: str) -> Iterator[Sent]:
    """Yield what the step lets the agent measure: everywhere summed up by node, on the head node as it comes."""
    script = re.search(r"<<'PYTHON'\n(.*?)\nPYTHON\n", STEP.read_text(encoding="utf-8"), re.DOTALL)
    assert script is not None
    told = {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in ast.parse(script[1]).body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id.isupper()
    }
    for section, facts in told["EVERY_NODE"].items():
        own = {"cpu"} if section == "cpu" else set()
        yield from (("CWAgent", name, frozenset({"InstanceId"} | own)) for name in _names(section, facts))
    for section, facts in (told["EVERY_NODE"] | told["NOT_HEAD"]).items():
        yield from ((f"ParallelCluster/{cluster}", name, frozenset({"InstanceId"})) for name in _names(section, facts))


def _names(section: str, facts: dict[str, Any]) -> Iterator[str]:
    for one in facts["measurement"]:
        if isinstance(one, dict):
            yield one["rename"]
        else:
            yield one if one.startswith(section) else f"{section}_{one}"


def _gpu(cluster: str) -> Iterator[Sent]:
    for batch in GpuReadings(OneGpu(), cluster, "i-1").batches():  # type: ignore[arg-type]  # reads, and no more
        yield from ((batch.namespace, metric.name, frozenset(batch.dimensions)) for metric in batch.metrics)


def _efa() -> Iterator[Sent]:
    for rate in RATES.values():
        yield NAMESPACE, rate.name, frozenset({"InstanceId"})
        yield NAMESPACE, rate.name, frozenset({"InstanceId", "Interface"})


def _slurm(cluster: str) -> Iterator[Sent]:
    yield from ((f"ParallelCluster/{cluster}/Slurm", name, frozenset[str]()) for name in node_counts(()))
    yield from ((f"ParallelCluster/{cluster}/Slurm", name, frozenset[str]()) for name in job_counts(()))
