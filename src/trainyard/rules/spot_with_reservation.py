"""Spot instances and reserved capacity in one queue."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec
from trainyard.spec.node_group import NodeGroup


def check(spec: Spec) -> Iterator[Problem]:
    """Yield spot nodes that share their queue with nodes of reserved capacity."""
    for group in spec.node_groups():
        if group.capacity_kind != "spot":
            continue
        if reserved := _reserved_beside(spec, group):
            yield Problem(
                (*group.path, "capacity"),
                f"queue {group.queue.name!r} runs {group.instance_type} on spot and {reserved.instance_type} "
                f"on a {reserved.capacity_kind.replace('_', ' ')}",
            )


def _reserved_beside(spec: Spec, spot: NodeGroup) -> NodeGroup | None:
    beside = spec.groups_in(spot.queue)
    return next((group for group in beside if group.capacity_kind not in ("spot", "on-demand")), None)


RULE = Rule(
    severity="error",
    title="Spot with a reservation",
    rationale=(
        "A queue has one capacity type. Spot instances never run in a reservation, so either the reservation is "
        "paid for and not used, or ParallelCluster refuses the queue."
    ),
    remedy="put spot nodes into a queue of their own",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-capacity-reservations.html",
    bad="""\
network: {availability_zone: us-east-2a}
queues:
  - name: compute-gpu
    compute_resources:
      - {instance_type: p5.48xlarge, capacity: {reservation: cr-0123456789abcdef0}}
      - {instance_type: p4d.24xlarge, capacity: spot}
""",
    good="""\
network: {availability_zone: us-east-2a}
queues:
  - name: compute-gpu
    instance_type: p5.48xlarge
    capacity: {reservation: cr-0123456789abcdef0}
  - name: compute-spot
    instance_type: p4d.24xlarge
    capacity: spot
""",
    check=check,
)
