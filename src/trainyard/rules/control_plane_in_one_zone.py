"""A network with a single zone for the control plane of Amazon EKS, which has two."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.rules import Problem, Rule
from trainyard.rules.documents import mapping_at, mapping_in
from trainyard.rules.eksctl.config import texts_in
from trainyard.spec.cluster import Spec
from trainyard.spec.network import ExistingNetwork


def check(spec: Spec) -> Iterator[Problem]:
    """Yield a network of one zone, and an existing one of which fewer than two private subnets are named."""
    if spec.environment is not None:
        return
    if spec.network.existing is not None:
        yield from _of_existing(spec.network.existing)
        return
    first, second = spec.network.availability_zone, spec.network.secondary_availability_zone
    # Where no zone is named the network takes the first two of the region.
    if first is None or len({first, *_other_zones(spec)}) > 1:
        return
    path = ("network", "availability_zone" if second is None else "secondary_availability_zone")
    again = f"{first} is the only zone of the network" if second is None else f"the second zone is {first} again"
    yield Problem(path, f"{again}, and the control plane of EKS needs two")


def check_eksctl(document: Document) -> Iterator[Problem]:
    """Yield lists of one zone, and existing networks of which a single subnet is named."""
    zones = texts_in(mapping_at(document), "availabilityZones")
    if len(set(zones)) == 1:
        yield Problem(("availabilityZones",), f"the cluster has one zone, {zones[0]}, and EKS wants two")
    subnets = mapping_at(document, "vpc", "subnets")
    named = [name for kind in ("private", "public") for name in mapping_in(subnets, kind)]
    if len(named) == 1:
        yield Problem(("vpc", "subnets"), f"the cluster has one subnet, {named[0]}, and EKS wants two in two zones")


def _other_zones(spec: Spec) -> Iterator[str]:
    network = spec.network
    yield from () if network.secondary_availability_zone is None else (network.secondary_availability_zone,)
    yield from network.further_availability_zones
    yield from (zone for queue in spec.queues if queue.subnet == "private" for zone in queue.zones)


def _of_existing(existing: ExistingNetwork) -> Iterator[Problem]:
    subnets = sorted(set(existing.private_subnets))
    if len(subnets) < 2:
        message = f"{subnets[0]} is the only private subnet of {existing.vpc}, and EKS needs two in two zones"
        remedy = "name a second private subnet that lies in another zone, and the one of the nodes as queues[].subnet"
        yield Problem(("network", "existing", "private_subnets"), message, remedy)


RULE = Rule(
    severity="error",
    applies_to="has_kubernetes",
    title="Control plane in a single zone",
    rationale=(
        "EKS refuses to make a cluster whose subnets do not lie in two zones at least: its control plane has network "
        "interfaces in both. Nodes stay in the one zone of theirs, and nothing else stands in the second subnet."
    ),
    remedy="write network.secondary_availability_zone: a subnet there costs nothing by itself",
    source="https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html",
    bad="""\
platform: eks
access: {allow_from: [203.0.113.7/32]}
network: {availability_zone: us-east-2a}
""",
    good="""\
platform: eks
access: {allow_from: [203.0.113.7/32]}
network: {availability_zone: us-east-2a, secondary_availability_zone: us-east-2b}
""",
    check=check,
)
EKSCTL = RULE.in_documents(
    "eksctl-zones-too-few",
    check_eksctl,
    remedy="name a second zone for the cluster, and the one zone of its nodes in the node group",
    bad="""\
availabilityZones: [us-east-2a]
""",
    good="""\
availabilityZones: [us-east-2a, us-east-2b]
""",
)
