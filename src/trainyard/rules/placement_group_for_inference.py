"""A placement group around nodes that do not work together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainyard.catalog.efa import uses_efa
from trainyard.rules import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield placement groups of a single node, and of nodes without EFA. Reserved capacity has rules of its own."""
    for group in spec.node_groups():
        if not group.placement_group or group.capacity_kind not in ("on-demand", "spot"):
            continue
        path = (*group.path, "placement_group")
        if group.max_nodes == 1:
            message = f"queue {group.queue.name!r} has one {group.instance_type}, and a placement group around it"
            yield Problem(path, message)
        elif not any(uses_efa(name, group.efa) for name in group.instance_types):
            message = f"queue {group.queue.name!r} launches {group.instance_type} close together without EFA"
            yield Problem(path, message, severity="info")


RULE = Rule(
    severity="warning",
    title="Placement group around nodes that do not work together",
    rationale=(
        "A cluster placement group shortens the way between nodes of one job. Nodes for inference or preprocessing do "
        "not talk to each other: they gain nothing, and EC2 reports insufficient capacity as soon as there is no more "
        "room beside those that run."
    ),
    remedy="remove placement_group: it is on by itself where several nodes use EFA",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/placement-strategies.html#placement-groups-cluster",
    bad="""\
queues:
  - name: inference-gpu
    instance_type: g5.12xlarge
    nodes: {min: 0, max: 1}
    placement_group: true
""",
    good="""\
queues:
  - name: inference-gpu
    instance_type: g5.12xlarge
    nodes: {min: 0, max: 1}
""",
    check=check,
)
