"""Nodes that always run and may not come, while the making of the cluster waits for them."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.instances import find
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec
from trainyard.spec.node_group import NodeGroup


def check(spec: Spec) -> Iterator[Problem]:
    """Yield nodes of which several always run, where a reservation has to hold them all or the type is scarce."""
    for group in spec.node_groups():
        if 1 < group.min_nodes <= group.max_nodes and (where := _doubtful_source(group)):
            yield Problem(
                (*group.path, "nodes"),
                f"the head node waits up to {spec.timeouts.head_node_s:,} s for {group.min_nodes} × "
                f"{group.instance_type} {where}",
                "`trainyard deploy` makes the cluster without them and starts them afterwards; by hand, begin with "
                f"nodes: {{min: 0, max: {group.max_nodes}}} and raise min by an update, with the fleet stopped",
            )


def _doubtful_source(group: NodeGroup) -> str | None:
    """Return where nodes come from if it may have too few of them. Nodes of a Capacity Block are not waited for."""
    if group.capacity_kind in ("reservation", "reservation_group"):
        return f"of its {group.capacity_kind.replace('_', ' ')}"
    if group.capacity_kind == "capacity_block" or not any(map(_is_scarce, group.instance_types)):
        return None
    return "on demand" if group.capacity_kind == "on-demand" else "on spot"


def _is_scarce(name: str) -> bool:
    """Return whether the type is in such demand that AWS also sells it by the block."""
    facts = find(name)
    return facts is not None and "capacity-block" in (facts.usage_classes or ())


RULE = Rule(
    severity="info",
    confidence="possible",
    applies_to="made_by_parallelcluster",
    title="Nodes that hold up the head node",
    rationale=(
        "While a cluster is made, the head node waits until all nodes that always run are up. Where the capacity is "
        "missing, or a reservation not active yet, CloudFormation gives up after timeouts.head_node_s and rolls "
        "everything back. ParallelCluster raises a minimum only while the fleet is stopped, unless the queue update "
        "strategy is TERMINATE. Nodes of a Capacity Block that has not begun are not waited for."
    ),
    remedy="`trainyard deploy` starts them afterwards; by hand, make the cluster with min: 0 and raise it by an update",
    source="https://github.com/aws/aws-parallelcluster/issues/3373",
    bad="""\
network: {availability_zone: us-east-2a}
queues:
  - name: compute-gpu
    instance_type: p5.48xlarge
    nodes: 4
    capacity: {reservation: cr-0123456789abcdef0}
""",
    good="""\
network: {availability_zone: us-east-2a}
queues:
  - name: compute-gpu
    instance_type: p5.48xlarge
    nodes: {min: 0, max: 4}
    capacity: {reservation: cr-0123456789abcdef0}
""",
    check=check,
)
