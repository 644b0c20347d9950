"""A placement group around nodes that do not work together."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.instances import uses_efa
from trainyard.finding import Fix
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec
from trainyard.spec.node_group import NodeGroup


def check(spec: Spec) -> Iterator[Problem]:
    """Yield placement groups of one node, of nodes without EFA and of queues for inference, also those by default.

    Reserved capacity has rules of its own.
    """
    for group in spec.node_groups():
        if group.placement_group is not False and group.capacity_kind in ("on-demand", "spot"):
            yield from _problems(group)


def _problems(group: NodeGroup) -> Iterator[Problem]:
    path, queue = (*group.path, "placement_group"), f"queue {group.queue.name!r}"
    efa = any(uses_efa(name, group.efa) for name in group.instance_types)
    if group.max_nodes > 1 and efa and group.queue.name.startswith("inference"):
        message = f"{queue} launches up to {group.max_nodes} {group.instance_type} close together for inference"
        yield Problem(path, message, "write placement_group: false", fix=Fix(path, value=False))
    elif group.placement_group and group.max_nodes == 1:
        yield Problem(path, f"{queue} has one {group.instance_type}, and a placement group around it")
    elif group.placement_group and not efa:
        yield Problem(path, f"{queue} launches {group.instance_type} close together without EFA", severity="info")


RULE = Rule(
    severity="warning",
    confidence="likely",
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
