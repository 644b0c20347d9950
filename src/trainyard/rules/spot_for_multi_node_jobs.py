"""Spot instances for multi-node jobs of AWS Batch."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield nodes of Batch that are to run on spot."""
    for group in spec.node_groups():
        if group.capacity_kind == "spot":
            problem = f"queue {group.queue.name!r} runs {group.instance_type} on spot, where multi-node jobs do not run"
            yield Problem((*group.path, "capacity"), problem)


RULE = Rule(
    severity="error",
    applies_to="has_batch",
    title="Spot for multi-node jobs",
    rationale=(
        "AWS Batch runs no multi-node job on a compute environment of Spot Instances: it would wait as RUNNABLE for "
        "ever, and one instance that is taken away would end the job on all the others."
    ),
    remedy="write capacity: on-demand, or name a reservation or a Capacity Block",
    source="https://docs.aws.amazon.com/batch/latest/userguide/mnp-ce.html",
    bad="""\
platform: batch
queues: [{name: gpu, instance_type: p4d.24xlarge, nodes: {min: 0, max: 4}, capacity: spot}]
""",
    good="""\
platform: batch
queues: [{name: gpu, instance_type: p4d.24xlarge, nodes: {min: 0, max: 4}, capacity: on-demand}]
""",
    check=check,
)
