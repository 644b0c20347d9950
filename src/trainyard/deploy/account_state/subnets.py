"""The subnets of a spec as the account has them: zones, free addresses and routes."""

from __future__ import annotations

from typing import Any

from trainyard.deploy.preflights import PreflightContext
from trainyard.deploy.requirements.subnets import existing_subnets, named_subnets, zones_to_be
from trainyard.edge.aws import ec2
from trainyard.launch.launch import Launch, launches


def subnets_by_name(context: PreflightContext) -> dict[str, ec2.Described]:
    """Return the subnets of the spec that exist, by their ids."""
    named = {subnet.id for subnet in named_subnets(context.spec)}
    for launch in launches(context.spec):
        named |= {subnet.id for subnet in existing_subnets(context.spec, launch, context.outputs)}
    return context.ask(ec2.subnets, tuple(sorted(named))) if named else {}


def zones_of(context: PreflightContext, launch: Launch) -> tuple[str, ...]:
    """Return the zones that some nodes will stand in; none where nothing says."""
    existing = existing_subnets(context.spec, launch, context.outputs)
    if not existing:
        return zones_to_be(context.spec, launch)
    subnets = subnets_by_name(context)
    return tuple(dict.fromkeys(subnets[subnet.id]["AvailabilityZone"] for subnet in existing if subnet.id in subnets))


def route_table_of(context: PreflightContext, subnet: ec2.Described) -> ec2.Described | None:
    """Return the route table that a subnet follows: its own, otherwise the main one of its VPC.

    https://docs.aws.amazon.com/vpc/latest/userguide/subnet-route-tables.html
    """
    tables = context.ask(ec2.route_tables, subnet["VpcId"])
    own = [table for table in tables if _associated(table, SubnetId=subnet["SubnetId"])]
    return next(iter([*own, *(table for table in tables if _associated(table, Main=True))]), None)


def _associated(table: ec2.Described, **values: Any) -> bool:
    associations = table.get("Associations", ())
    return any(association.get(key) == value for association in associations for key, value in values.items())


def way_out(table: ec2.Described | None) -> str | None:
    """Return what the default route leads to, such as nat-0123; None where there is none or its target is gone."""
    for route in () if table is None else table.get("Routes", ()):
        if route.get("DestinationCidrBlock") == "0.0.0.0/0" and route.get("State") != "blackhole":
            return next((str(route[key]) for key in _TARGETS if route.get(key)), None)
    return None


# https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_Route.html
_TARGETS = (
    "GatewayId",
    "NatGatewayId",
    "TransitGatewayId",
    "NetworkInterfaceId",
    "InstanceId",
    "VpcPeeringConnectionId",
    "LocalGatewayId",
    "CoreNetworkArn",
)
