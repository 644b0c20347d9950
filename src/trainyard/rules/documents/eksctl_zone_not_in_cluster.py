"""A node group's zone that the cluster has no subnet in, in an eksctl ClusterConfig."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.documents import mapping_at
from trainyard.rules.eksctl.config import node_groups, texts_in

_ZONE = re.compile(r"(?P<region>[a-z]{2,4}(-[a-z]+)+-[0-9])[a-z]")


def check(document: Document) -> Iterator[Problem]:
    """Yield zones of node groups outside of the cluster's zones, and zones of either outside of its region."""
    zones = texts_in(mapping_at(document), "availabilityZones")
    region = mapping_at(document, "metadata").get("region")
    for index, zone in enumerate(zones):
        if _outside(zone, region):
            yield Problem(("availabilityZones", index), f"{zone} does not lie in {region}")
    for group in node_groups(document):
        for index, zone in enumerate(group.zones):
            path = (*group.path, "availabilityZones", index)
            if _outside(zone, region):
                yield Problem(path, f"{zone} does not lie in {region}")
            elif zones and zone not in zones:
                message = f"node group {group.name!r} stands in {zone}, and the cluster has {', '.join(zones)}"
                yield Problem(path, message, f"add {zone} to availabilityZones of the cluster")


def _outside(zone: str, region: object) -> bool:
    match = _ZONE.fullmatch(zone)
    # A region that is a placeholder to be filled in says nothing.
    return (
        match is not None and isinstance(region, str) and f"{region}a" != f"{match['region']}a" and _is_region(region)
    )


def _is_region(text: str) -> bool:
    return _ZONE.fullmatch(f"{text}a") is not None


RULE = DocumentRule(
    severity="error",
    title="Zone without a subnet of the cluster",
    rationale=(
        "eksctl makes subnets in the zones of the cluster, and a node group can only use those: it refuses a zone that "
        "is missing there."
    ),
    remedy="write zones of the cluster's region that the cluster has",
    source="https://docs.aws.amazon.com/eks/latest/eksctl/vpc-subnet-settings.html",
    bad="""\
availabilityZones: [us-east-2a, us-east-2b]
managedNodeGroups:
  - {name: gpu, instanceType: g5.8xlarge, privateNetworking: true, availabilityZones: [us-east-2c]}
""",
    good="""\
availabilityZones: [us-east-2a, us-east-2c]
managedNodeGroups:
  - {name: gpu, instanceType: g5.8xlarge, privateNetworking: true, availabilityZones: [us-east-2c]}
""",
    check=check,
)
