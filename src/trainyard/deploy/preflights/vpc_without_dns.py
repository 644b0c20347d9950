"""VPCs in which names cannot be resolved."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.deploy.preflights import Preflight, PreflightContext
from trainyard.edge.aws import ec2
from trainyard.rules import Problem

_ATTRIBUTES = {"enableDnsSupport": "DNS resolution", "enableDnsHostnames": "DNS host names"}


def check(context: PreflightContext) -> Iterator[Problem]:
    """Yield the VPC where DNS is off in it."""
    existing = context.spec.network.existing
    if existing is None or existing.vpc not in context.ask(ec2.vpcs):
        return
    for attribute, what in _ATTRIBUTES.items():
        if not context.ask(ec2.vpc_attribute, existing.vpc, attribute):
            option = "--enable-dns-support" if attribute == "enableDnsSupport" else "--enable-dns-hostnames"
            remedy = f"`aws ec2 modify-vpc-attribute --vpc-id {existing.vpc} {option}` switches them on"
            yield Problem(("network", "existing", "vpc"), f"{existing.vpc} has no {what}", remedy)


PREFLIGHT = Preflight(
    severity="error",
    title="VPC without DNS",
    rationale=(
        "Nodes find each other, file systems and endpoints by name. ParallelCluster refuses a VPC where DNS resolution "
        "or DNS host names are off (SubnetsValidator)."
    ),
    remedy="switch on DNS resolution and DNS host names in the VPC",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/network-configuration-v3.html",
    permissions=("ec2:DescribeVpcs", "ec2:DescribeVpcAttribute"),
    check=check,
)
