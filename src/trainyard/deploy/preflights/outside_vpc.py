"""Subnets and security groups of another VPC."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.deploy.account_state.subnets import subnets_by_name
from trainyard.deploy.preflights import Preflight, PreflightContext
from trainyard.deploy.requirements.subnets import named_subnets
from trainyard.edge.aws import ec2
from trainyard.rules import Problem


def check(context: PreflightContext) -> Iterator[Problem]:
    """Yield what does not stand in the VPC of the cluster."""
    existing = context.spec.network.existing
    named = list(named_subnets(context.spec))
    subnets = subnets_by_name(context) if named else {}
    vpc = _vpc(context)
    for subnet in named:
        if subnet.id in subnets and vpc is not None and subnets[subnet.id]["VpcId"] != vpc:
            yield Problem(
                subnet.path, f"subnet {subnet.id} is in {subnets[subnet.id]['VpcId']}, and the cluster in {vpc}"
            )
    if existing is not None and existing.security_groups:
        groups = context.ask(ec2.security_groups, existing.security_groups)
        for index, id_ in enumerate(existing.security_groups):
            if id_ in groups and groups[id_].get("VpcId") != vpc:
                path = ("network", "existing", "security_groups", index)
                yield Problem(path, f"security group {id_} is in {groups[id_].get('VpcId')}, and the cluster in {vpc}")


def _vpc(context: PreflightContext) -> str | None:
    """Return the VPC of the cluster, None where it is yet to be made."""
    existing = context.spec.network.existing
    return context.outputs.get("VpcId") if existing is None else existing.vpc


PREFLIGHT = Preflight(
    severity="error",
    title="Subnet or security group of another VPC",
    rationale=(
        "All nodes of a cluster and its file systems talk to each other inside one VPC. ParallelCluster refuses "
        "subnets of several (SubnetsValidator), and EC2 a security group of another one."
    ),
    remedy="choose subnets and security groups of the same VPC",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/network-configuration-v3.html",
    permissions=("ec2:DescribeSubnets", "ec2:DescribeSecurityGroups"),
    check=check,
)
