"""EFA nodes that may start in different zones."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.instances import uses_efa
from trainyard.document.node import Document
from trainyard.rules import Problem, Rule
from trainyard.rules.eksctl.config import node_groups
from trainyard.spec.cluster import Spec
from trainyard.spec.node_group import NodeGroup


def check(spec: Spec) -> Iterator[Problem]:
    """Yield EFA nodes, and nodes of a placement group, whose queue lists several zones or draws on several subnets."""
    for group in spec.node_groups():
        if not (group.placement_group or any(uses_efa(name, group.efa) for name in group.instance_types)):
            continue
        zones = group.queue.zones
        place = (*group.path[:2], "availability_zone")
        if len(set(zones)) > 1:
            yield Problem(
                place, f"queue {group.queue.name!r} spreads nodes that belong together over {', '.join(zones)}"
            )
        elif subnets := _several_subnets(spec, group):
            yield Problem(
                (*group.path[:2], "subnet"),
                f"queue {group.queue.name!r} draws nodes that belong together from {len(subnets)} subnets",
                f"name the one subnet of this queue, such as subnet: {subnets[0]}",
            )


def check_eksctl(document: Document) -> Iterator[Problem]:
    """Yield node groups with efaEnabled that list several zones or several subnets."""
    for group in node_groups(document):
        for key, places in (("availabilityZones", group.zones), ("subnets", group.subnets)):
            if group.uses_efa and len(places) > 1:
                message = f"node group {group.name!r} has EFA and spreads over {', '.join(places)}"
                yield Problem((*group.path, key), message)


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
        "EFA traffic does not leave its zone, and a placement group lies in one. A job whose nodes stand in two zones "
        "can use neither. ParallelCluster refuses several subnets for such a queue, also within one zone "
        "(EfaMultiAzValidator, MultiAzPlacementGroupValidator, QueueSubnetsValidator), and eksctl a node group with "
        "efaEnabled that names more than one zone or subnet."
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
EKSCTL = RULE.in_documents(
    "eksctl-efa-across-zones",
    check_eksctl,
    remedy="name the one zone or subnet of these nodes",
    source="https://github.com/eksctl-io/eksctl/blob/main/pkg/apis/eksctl.io/v1alpha5/validation.go",
    bad="""\
managedNodeGroups:
  - name: p5
    instanceType: p5.48xlarge
    privateNetworking: true
    efaEnabled: true
    availabilityZones: [us-east-2a, us-east-2b]
""",
    good="""\
managedNodeGroups:
  - name: p5
    instanceType: p5.48xlarge
    privateNetworking: true
    efaEnabled: true
    availabilityZones: [us-east-2a]
""",
)
