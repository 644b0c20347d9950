"""An instance of self-hosting without memory for the series of the cluster."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.instance_type import InstanceType
from trainyard.catalog.instances import find, researched_names
from trainyard.counts import count_text
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec

# What Grafana asks for, and as much for Alertmanager and the system.
# https://grafana.com/docs/grafana/latest/setup-grafana/installation/#minimum-system-requirements
_BESIDE_MIB = 1024


def check(spec: Spec) -> Iterator[Problem]:
    """Yield an instance type that has less memory than the most nodes need."""
    facts = find(spec.monitoring.instance_type)
    if spec.monitoring.mode != "self-hosting" or facts is None or facts.memory_mib is None:
        return
    # Imported here because only such an instance needs it, and every check imports this rule.
    from trainyard.monitoring.sizing import sizings  # noqa: PLC0415  as above

    most = sizings(spec)[1]
    if most.server_memory_mib is None or most.server_memory_mib + _BESIDE_MIB <= facts.memory_mib:
        return
    needed = most.server_memory_mib + _BESIDE_MIB
    message = (
        f"the {most.series or 0:,} series of {count_text(most.nodes, 'node')} need {needed:,.0f} MiB with Grafana, "
        f"and {facts.name} has {facts.memory_mib:,}"
    )
    yield Problem(("monitoring", "instance_type"), message, _remedy(needed))


def _remedy(needed_mib: float) -> str:
    enough = sorted((facts for facts in _plain_types() if (facts.memory_mib or 0) >= needed_mib), key=_by_memory)
    if not enough:
        return "let Amazon Managed Prometheus keep them, with mode: amp-only or amp+amg"
    return f"write instance_type: {enough[0].name}, or another type with so much memory"


def _plain_types() -> Iterator[InstanceType]:
    """Yield the types for anything: with an x86 processor, and neither GPUs nor disks nor EFA to pay for."""
    for name in researched_names():
        facts = find(name)
        if facts is not None and facts.architecture == "x86_64" and facts.family in {"t3", "m5"}:
            yield facts


def _by_memory(facts: InstanceType) -> tuple[int, str]:
    return facts.memory_mib or 0, facts.name


RULE = Rule(
    severity="warning",
    confidence="likely",
    title="Monitoring instance without memory for all series",
    rationale=(
        "Prometheus holds the newest hours of every series in memory. Without enough of it, the kernel ends it, and it "
        "starts anew for minutes, again and again, while nothing is kept and no alert fires. What it needs is computed "
        "of the most nodes that the spec allows, by what a series was measured to cost; `trainyard plan` prints it."
    ),
    remedy="choose a type with more memory, or let Amazon Managed Prometheus keep the metrics",
    source="https://www.robustperception.io/how-much-ram-does-prometheus-2-x-need-for-cardinality-and-ingestion/",
    bad="""\
queues:
  - {name: compute-gpu, instance_type: p5.48xlarge, nodes: {min: 0, max: 400}}
software: {setup: gpu}
monitoring: {mode: self-hosting}
timeouts: {head_node_s: 3600}
""",
    good="""\
network: {availability_zone: us-east-2a, secondary_availability_zone: us-east-2b}
queues:
  - {name: compute-gpu, instance_type: p5.48xlarge, nodes: {min: 0, max: 400}}
software: {setup: gpu}
monitoring:
  mode: self-hosting
  certificate: arn:aws:acm:us-east-2:123456789012:certificate/1a2b3c4d-5e6f-7a8b-9c0d-1e2f3a4b5c6d
  instance_type: m5.2xlarge
timeouts: {head_node_s: 3600}
""",
    check=check,
)
