"""VPCs, subnets and security groups that the account does not have."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.deploy.account_state.subnets import subnets_by_name
from trainyard.deploy.preflights import Preflight, PreflightContext
from trainyard.deploy.requirements.subnets import named_subnets
from trainyard.edge.aws import ec2
from trainyard.rules import Problem


def check(context: PreflightContext) -> Iterator[Problem]:
    """Yield ids of the network that lead nowhere."""
    where = f"account {context.account.id} has no"
    existing = context.spec.network.existing
    if existing is not None and existing.vpc not in context.ask(ec2.vpcs):
        yield Problem(("network", "existing", "vpc"), f"{where} VPC {existing.vpc} in {context.spec.region}")
    subnets = list(named_subnets(context.spec))
    subnets_found = subnets_by_name(context) if subnets else {}
    yield from (
        Problem(subnet.path, f"{where} subnet {subnet.id}") for subnet in subnets if subnet.id not in subnets_found
    )
    if existing is not None and existing.security_groups:
        groups = context.ask(ec2.security_groups, existing.security_groups)
        for index, id_ in enumerate(existing.security_groups):
            if id_ not in groups:
                yield Problem(("network", "existing", "security_groups", index), f"{where} security group {id_}")


PREFLIGHT = Preflight(
    severity="error",
    title="Network that does not exist",
    rationale=(
        "Ids of a VPC and of what stands in it belong to one region of one account. Nothing starts in a subnet that is "
        "not there."
    ),
    remedy="look the ids up with `aws ec2 describe-subnets`, with the same region and profile",
    source="https://docs.aws.amazon.com/vpc/latest/userguide/configure-subnets.html",
    permissions=("ec2:DescribeVpcs", "ec2:DescribeSubnets", "ec2:DescribeSecurityGroups"),
    check=check,
)
