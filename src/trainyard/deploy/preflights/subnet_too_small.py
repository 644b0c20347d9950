"""Subnets with fewer free addresses than the nodes take."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from trainyard.deploy.account_state.instances import own_instances
from trainyard.deploy.account_state.subnets import subnets_by_name
from trainyard.deploy.preflights import Preflight, PreflightContext
from trainyard.deploy.requirements.subnets import NamedSubnet, existing_subnets
from trainyard.finding import Severity
from trainyard.launch.launch import Launch, launches
from trainyard.rules import Problem


class SubnetShare(NamedTuple):
    """Nodes that stand in the same subnets."""

    subnets: tuple[NamedSubnet, ...]
    launches: list[Launch]


def check(context: PreflightContext) -> Iterator[Problem]:
    """Yield subnets in which not all nodes have room: an error where the static ones already have none."""
    subnets_by_id = subnets_by_name(context)
    for share in _shares(context):
        ids = [subnet.id for subnet in share.subnets if subnet.id in subnets_by_id]
        if not ids:
            continue
        free = sum(int(subnets_by_id[id_].get("AvailableIpAddressCount", 0)) for id_ in ids) + _own_addresses(
            context, set(ids)
        )
        least = sum(launch.first_nodes * _addresses(launch) for launch in share.launches)
        most = sum(launch.max_nodes * _addresses(launch) for launch in share.launches)
        if most > free:
            severity: Severity = "error" if least > free else "warning"
            titles = ", ".join(launch.title for launch in share.launches)
            message = (
                f"{', '.join(ids)} has {free:,} free addresses, and {titles} need {least if least > free else most:,}"
            )
            yield Problem(share.subnets[0].path, message, severity=severity)


def _addresses(launch: Launch) -> int:
    """Return how many private addresses one node takes."""
    return max(instance.private_addresses for instance in launch.instances)


def _shares(context: PreflightContext) -> Iterator[SubnetShare]:
    shares: dict[tuple[str, ...], SubnetShare] = {}
    for launch in launches(context.spec):
        if subnets := existing_subnets(context.spec, launch, context.outputs):
            ids = tuple(sorted(subnet.id for subnet in subnets))
            shares.setdefault(ids, SubnetShare(subnets, [])).launches.append(launch)
    yield from shares.values()


def _own_addresses(context: PreflightContext, subnets: set[str]) -> int:
    """Return the addresses that nodes of this cluster hold there already."""
    interfaces = [
        network_interface
        for instance in own_instances(context)
        for network_interface in instance.get("NetworkInterfaces", ())
    ]
    held = [interface for interface in interfaces if interface.get("SubnetId") in subnets]
    return sum(len(interface.get("PrivateIpAddresses", ())) for interface in held)


PREFLIGHT = Preflight(
    severity="error",
    title="Subnet with too few free addresses",
    rationale=(
        "Every interface of a node takes an address of its subnet, except those that are for EFA alone. Without EFA a "
        "type with 32 network cards takes 32. AWS keeps five addresses of every subnet, and load balancers, endpoints "
        "and file systems take some too. Nodes beyond the last address fail to launch."
    ),
    remedy="choose a larger subnet; its range cannot be changed, but a VPC can be given another one",
    source="https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html",
    permissions=("ec2:DescribeSubnets", "ec2:DescribeInstances"),
    check=check,
)
