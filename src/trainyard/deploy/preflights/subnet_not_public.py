"""Subnets that are to be public and are not."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.deploy.account_state.subnets import route_table_of, subnets_by_name, way_out
from trainyard.deploy.preflights import Preflight, PreflightContext
from trainyard.deploy.requirements.subnets import NamedSubnet, existing_subnets
from trainyard.edge.aws.ec2 import Described
from trainyard.launch.launch import Launch, launches
from trainyard.rules import Problem


def check(context: PreflightContext) -> Iterator[Problem]:
    """Yield public subnets without a route to an internet gateway, or without addresses for the head node."""
    subnets_by_id = subnets_by_name(context)
    reported: set[str] = set()
    for launch in launches(context.spec):
        for subnet in existing_subnets(context.spec, launch, context.outputs) if launch.subnet == "public" else ():
            if subnet.id in subnets_by_id and subnet.id not in reported:
                problem = _problem(context, launch, subnet, subnets_by_id[subnet.id])
                if problem is not None:
                    reported.add(subnet.id)
                    yield problem


def _problem(context: PreflightContext, launch: Launch, subnet: NamedSubnet, described: Described) -> Problem | None:
    target = way_out(route_table_of(context, described))
    if target is None or not target.startswith("igw-"):
        leads = "it has no default route" if target is None else f"its default route leads to {target}"
        return Problem(subnet.path, f"subnet {subnet.id} is not public: {leads}")
    has_address = described.get("MapPublicIpOnLaunch") or (launch.role == "head" and context.spec.head_node.elastic_ip)
    if has_address:
        return None
    message = f"subnet {subnet.id} gives {launch.title} no public address, so that it cannot reach the internet"
    remedy = "let the subnet assign public addresses" + (
        ", or write head_node.elastic_ip: true" if launch.role == "head" else ""
    )
    return Problem(subnet.path, message, remedy)


PREFLIGHT = Preflight(
    severity="error",
    title="Subnet that is not public",
    rationale=(
        "A subnet is public by its default route, which leads to an internet gateway, and a node there reaches the "
        "internet only with a public address. A head node without one never signals that it is ready."
    ),
    remedy="name a subnet with a route to an internet gateway, or stand in a private one",
    source="https://docs.aws.amazon.com/vpc/latest/userguide/configure-subnets.html#subnet-types",
    permissions=("ec2:DescribeSubnets", "ec2:DescribeRouteTables"),
    check=check,
)
