"""EFA nodes that may start in different zones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainyard.catalog.efa import uses_efa
from trainyard.rules import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainyard.spec.cluster import Spec
    from trainyard.spec.node_group import NodeGroup


def check(spec: Spec) -> Iterator[Problem]:
    """Yield EFA nodes whose queue lists several zones, or draws on several subnets that may lie in different ones."""
    for group in spec.node_groups():
        if not uses_efa(group.instance_type, group.efa):
            continue
        zones = group.queue.availability_zone
        place = (*group.path[:2], "availability_zone")
        if isinstance(zones, tuple) and len(set(zones)) > 1:
            yield Problem(place, f"queue {group.queue.name!r} spreads EFA nodes over {', '.join(zones)}")
        elif subnets := _several_subnets(spec, group):
            yield Problem(
                (*group.path[:2], "subnet"),
                f"queue {group.queue.name!r} draws EFA nodes from {len(subnets)} subnets, maybe in different zones",
                f"name the one subnet of this queue, such as subnet: {subnets[0]}",
                "warning",
            )


def _several_subnets(spec: Spec, group: NodeGroup) -> tuple[str, ...]:
    existing = spec.network.existing
    if existing is None or group.queue.subnet not in ("private", "public"):
        return ()
    subnets = existing.private_subnets if group.queue.subnet == "private" else existing.public_subnets
    return subnets if len(subnets) > 1 else ()


RULE = Rule(
    severity="error",
    title="EFA nodes across zones",
    rationale=(
        "EFA traffic does not leave its subnet's zone. A job whose nodes stand in two zones cannot use it, and "
        "ParallelCluster refuses such a queue (EfaMultiAzValidator)."
    ),
    remedy="name one zone: the one of the reservation, or one that offers the type",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa.html#efa-limits",
    bad="""\
queues:
  - name: compute-gpu
    instance_type: p5.48xlarge
    availability_zone: [us-east-2a, us-east-2b]
""",
    good="""\
queues:
  - name: compute-gpu
    instance_type: p5.48xlarge
    availability_zone: us-east-2a
""",
    check=check,
)
