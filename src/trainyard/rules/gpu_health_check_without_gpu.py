"""A test of GPUs on nodes that have none."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.instances import find
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield nodes whose GPUs are to be tested and whose types are known to have none."""
    for group in spec.node_groups():
        all_facts = [facts for facts in map(find, group.instance_types) if facts is not None]
        if group.settings.gpu_health_check and all_facts and all(facts.gpu_count == 0 for facts in all_facts):
            message = f"queue {group.queue.name!r} has GPUs tested before every job, and {all_facts[0].name} has none"
            yield Problem((*group.path, "gpu_health_check"), message)


RULE = Rule(
    severity="warning",
    title="GPU health check without GPUs",
    rationale=(
        "ParallelCluster's health check runs NVIDIA's DCGM before every job. On nodes without NVIDIA GPUs, Trainium "
        "included, it finds nothing to test, so a broken node stays unnoticed although the spec says that it is looked "
        "after."
    ),
    remedy="remove gpu_health_check",
    fixed_by_removal=True,
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/Scheduling-v3.html#yaml-Scheduling-SlurmQueues-ComputeResources-HealthChecks-Gpu-Enabled",
    bad="""\
queues:
  - name: preprocess
    instance_type: m5.8xlarge
    gpu_health_check: true
""",
    good="""\
queues:
  - name: inference-gpu
    instance_type: g5.12xlarge
    gpu_health_check: true
""",
    check=check,
)
