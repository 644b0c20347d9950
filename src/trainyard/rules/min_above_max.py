"""A queue whose least number of nodes is above its most."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield node ranges that no number lies in."""
    for group in spec.node_groups():
        if group.min_nodes > group.max_nodes:
            yield Problem(
                (*group.path, "nodes", "min"),
                f"queue {group.queue.name!r} wants {group.min_nodes} nodes at least and {group.max_nodes} at most",
            )
        elif not group.min_nodes <= group.desired_nodes <= group.max_nodes:
            yield Problem(
                (*group.path, "nodes", "desired"),
                f"queue {group.queue.name!r} wants {group.desired_nodes} nodes at first, and "
                f"{group.min_nodes} to {group.max_nodes} at any time",
                f"write a number from {group.min_nodes} to {group.max_nodes}",
            )


RULE = Rule(
    severity="error",
    title="Minimum above maximum",
    rationale="No number of nodes fits, and ParallelCluster refuses the queue.",
    remedy="make min equal to max for a fixed number of nodes, or smaller for an elastic one",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/Scheduling-v3.html#yaml-Scheduling-SlurmQueues-ComputeResources-MinCount",
    bad="""\
queues:
  - name: compute-gpu
    instance_type: g5.12xlarge
    nodes: {min: 8, max: 4}
""",
    good="""\
queues:
  - name: compute-gpu
    instance_type: g5.12xlarge
    nodes: {min: 4, max: 8}
""",
    check=check,
)
