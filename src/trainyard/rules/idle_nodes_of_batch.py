"""Nodes of AWS Batch that run whether there is a job or not."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield nodes of Batch on demand of which some always run."""
    for group in spec.node_groups():
        if group.min_nodes > 0 and group.capacity_kind == "on-demand":
            problem = f"{group.min_nodes} × {group.instance_type} of queue {group.queue.name!r} run also without a job"
            yield Problem((*group.path, "nodes"), problem, f"write nodes: {{min: 0, max: {group.max_nodes}}}")


RULE = Rule(
    severity="info",
    confidence="possible",
    applies_to="has_batch",
    title="Nodes that run without a job",
    rationale=(
        "AWS Batch keeps the minimum of a compute environment running, even one that is disabled, and each instance "
        "costs by the second. With a minimum of 0 it starts them for a job, in some minutes, and ends them soon after "
        "it. What is reserved is paid for in any case."
    ),
    remedy="write nodes: {min: 0, max: …}",
    source="https://docs.aws.amazon.com/batch/latest/APIReference/API_ComputeResource.html",
    bad="""\
platform: batch
queues: [{name: gpu, instance_type: g5.48xlarge, nodes: 2}]
""",
    good="""\
platform: batch
queues: [{name: gpu, instance_type: g5.48xlarge, nodes: {min: 0, max: 2}}]
""",
    check=check,
)
