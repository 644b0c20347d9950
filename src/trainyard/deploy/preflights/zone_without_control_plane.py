"""Zones in which the control plane of EKS cannot have interfaces."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.eks_limits import eks_limits
from trainyard.deploy.preflights import Preflight, PreflightContext
from trainyard.edge.aws import ec2
from trainyard.finding import Path
from trainyard.rules import Problem


def check(context: PreflightContext) -> Iterator[Problem]:
    """Yield zones whose id is one of the few. Their letters differ between accounts."""
    without = eks_limits().zones_without_control_plane
    for path, name in _zones(context):
        zone = context.ask(ec2.zones).get(name)
        if zone is not None and zone.get("ZoneId") in without:
            message = f"zone {name} is {zone['ZoneId']} in account {context.account.id}, where EKS has no control plane"
            yield Problem(path, message)


def _zones(context: PreflightContext) -> Iterator[tuple[Path, str]]:
    """Yield the zones of the subnets that the control plane is given."""
    spec = context.spec
    for key in ("availability_zone", "secondary_availability_zone"):
        if spec.network.existing is None and (zone := getattr(spec.network, key)) is not None:
            yield ("network", key), zone
    for index, queue in enumerate(spec.queues):
        yield from ((("queues", index, "availability_zone"), zone) for zone in queue.zones)
    existing = spec.network.existing
    if existing is None:
        return
    subnets = context.ask(ec2.subnets, tuple(sorted(existing.private_subnets)))
    for index, subnet in enumerate(existing.private_subnets):
        if subnet in subnets:
            yield ("network", "existing", "private_subnets", index), subnets[subnet]["AvailabilityZone"]


PREFLIGHT = Preflight(
    severity="error",
    applies_to="has_kubernetes",
    title="Zone without control planes",
    rationale=(
        "EKS puts network interfaces of the control plane into the subnets of a cluster, and cannot do so in one zone "
        "of us-east-1, us-west-1 and ca-central-1 each. eksctl gives it every private subnet that it knows."
    ),
    remedy="choose another zone; `aws ec2 describe-availability-zones` shows the ids",
    source="https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html",
    permissions=("ec2:DescribeAvailabilityZones",),
    check=check,
)
