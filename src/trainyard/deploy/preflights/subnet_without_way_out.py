"""Private subnets from which nodes reach neither the internet nor the endpoints that stand in for it."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.deploy.account_state.subnets import route_table_of, subnets_by_name, way_out
from trainyard.deploy.preflights import Preflight, PreflightContext
from trainyard.deploy.requirements.subnets import NamedSubnet, existing_subnets
from trainyard.edge.aws import ec2
from trainyard.launch.launch import launches
from trainyard.platform_table import platform_of
from trainyard.rules import Problem


def check(context: PreflightContext) -> Iterator[Problem]:
    """Yield subnets whose nodes would wait for AWS in vain."""
    if context.spec.network.http_proxy is not None:
        return
    for subnet, described in _private(context):
        if context.spec.network.internet == "none":
            yield from _without_endpoints(context, subnet, described)
            continue
        target = way_out(route_table_of(context, described))
        if target is None:
            yield Problem(subnet.path, f"subnet {subnet.id} has no default route that works")
        elif target.startswith("igw-") and not described.get("MapPublicIpOnLaunch"):
            message = (
                f"the default route of subnet {subnet.id} leads to {target}, and nodes there get no public address"
            )
            yield Problem(subnet.path, message)


def _private(context: PreflightContext) -> Iterator[tuple[NamedSubnet, ec2.Described]]:
    """Yield the subnets, each once, whose nodes have to find a way out without a public address."""
    subnets_by_id = subnets_by_name(context)
    reported: set[str] = set()
    for launch in launches(context.spec):
        has_elastic_ip = launch.role == "head" and context.spec.head_node.elastic_ip
        has_address = launch.subnet == "public" or has_elastic_ip
        for subnet in () if has_address else existing_subnets(context.spec, launch, context.outputs):
            if subnet.id in subnets_by_id and subnet.id not in reported:
                reported.add(subnet.id)
                yield subnet, subnets_by_id[subnet.id]


def _without_endpoints(context: PreflightContext, subnet: NamedSubnet, described: ec2.Described) -> Iterator[Problem]:
    table = (route_table_of(context, described) or {}).get("RouteTableId")
    endpoints = context.ask(ec2.vpc_endpoints, described["VpcId"])
    region = f".{context.spec.region}."
    services = {
        str(endpoint["ServiceName"]).partition(region)[2] for endpoint in endpoints if _leads_from(endpoint, table)
    }
    needed = platform_of(context.spec).deployment().endpoints(context.spec)
    if missing := [service for service in needed if service not in services]:
        message = f"subnet {subnet.id} has no internet, and {described['VpcId']} no endpoint for {', '.join(missing)}"
        yield Problem(subnet.path, message, "make them: the README of the bundle has the commands")


def _leads_from(endpoint: ec2.Described, table: str | None) -> bool:
    """Return whether an endpoint can be reached: one of type gateway only through the route tables that know it."""
    by_route = endpoint.get("VpcEndpointType") == "Gateway"
    is_available = endpoint.get("State", "").lower() == "available"
    return is_available and (not by_route or table in endpoint.get("RouteTableIds", ()))


PREFLIGHT = Preflight(
    severity="error",
    title="Subnet without a way out",
    rationale=(
        "A node that comes up asks CloudFormation, DynamoDB, S3 and other services. A private subnet leads there "
        "through a NAT gateway, or through an endpoint for each service; an internet gateway serves only nodes with a "
        "public address, which nodes with several network cards never get. Without a way the head node never signals, "
        "and the cluster fails after half an hour."
    ),
    remedy="give its route table a default route to a NAT gateway, or make endpoints and write network.internet: none",
    source="https://github.com/aws/aws-parallelcluster/issues/3604",
    permissions=("ec2:DescribeSubnets", "ec2:DescribeRouteTables", "ec2:DescribeVpcEndpoints"),
    check=check,
)
