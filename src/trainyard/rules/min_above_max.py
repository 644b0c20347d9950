"""A queue whose least number of nodes is above its most."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from trainyard.document.node import Document
from trainyard.rules import Problem, Rule
from trainyard.rules.eksctl.config import node_groups
from trainyard.spec.cluster import Spec

_EKSCTL_SIZES = ("minSize", "desiredCapacity", "maxSize")


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


def check_eksctl(document: Document) -> Iterator[Problem]:
    """Yield the first two sizes of a node group, in the order in which they may grow, of which the first is greater."""
    for group in node_groups(document):
        sizes = [(key, group.written[key]) for key in _EKSCTL_SIZES if isinstance(group.written.get(key), int)]
        wrong = next((pair for pair in combinations(sizes, 2) if pair[0][1] > pair[1][1]), None)
        if wrong is not None:
            (low, least), (high, most) = wrong
            message = f"node group {group.name!r} has {low} {least} above {high} {most}"
            yield Problem((*group.path, high), message)


RULE = Rule(
    severity="error",
    title="Minimum above maximum",
    rationale="No number of nodes fits: ParallelCluster refuses the queue, and eksctl the node group.",
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
EKSCTL = RULE.in_documents(
    "eksctl-sizes-contradict",
    check_eksctl,
    title="Sizes that contradict each other",
    remedy="write minSize, desiredCapacity and maxSize in growing order",
    source="https://github.com/eksctl-io/eksctl/blob/main/pkg/apis/eksctl.io/v1alpha5/validation.go",
    bad="""\
managedNodeGroups:
  - {name: system, instanceType: c5.2xlarge, minSize: 3, desiredCapacity: 2}
""",
    good="""\
managedNodeGroups:
  - {name: system, instanceType: c5.2xlarge, minSize: 2, desiredCapacity: 2}
""",
)
