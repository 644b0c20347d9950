"""The network a cluster lives in: made for it, or one that exists."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from trainyard.field import ByShape, NotEmpty, Whole
from trainyard.record import Record
from trainyard.spec.text import AvailabilityZone, Cidr, ProxyUrl, SecurityGroupId, SubnetId, VpcId

# https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html
SubnetPrefix = Annotated[int, Whole("the length of a prefix, 17 to 28", least=17, most=28)]


# us-east-1-dfw-2a: https://docs.aws.amazon.com/local-zones/latest/ug/available-local-zones.html (read 2026-11-23)
_LOCAL_ZONE = re.compile(r"([a-z]{2}(?:-[a-z]+)+-[0-9]-[a-z]{3})-[0-9][a-z]")


def local_zone_place(zone: str) -> str | None:
    """Return the place of a Local Zone, us-east-1-dfw for us-east-1-dfw-2a; None for an Availability Zone."""
    match = _LOCAL_ZONE.fullmatch(zone)
    return None if match is None else match[1]


class ExistingNetwork(Record):
    """A VPC that is there already."""

    vpc: VpcId
    """The VPC."""
    public_subnets: tuple[SubnetId, ...] = ()
    """Subnets with a route to an internet gateway, for login nodes and head nodes that are reached by SSH."""
    private_subnets: Annotated[tuple[SubnetId, ...], NotEmpty("at least one subnet")]
    """Subnets of the compute nodes. Types with several network cards get no public address."""
    security_groups: tuple[SecurityGroupId, ...] = ()
    """Security groups that every node gets beside those that ParallelCluster makes."""


class Network(Record):
    """The network: by default a VPC of the cluster's own."""

    availability_zone: AvailabilityZone | None = None
    """The zone of the compute nodes and file systems. A reservation lies in one zone: name that one."""
    secondary_availability_zone: AvailabilityZone | None = None
    """A second zone, for what needs two: the control plane of EKS, or the load balancer of a self-hosted Grafana with
    a certificate."""
    further_availability_zones: tuple[AvailabilityZone, ...] = ()
    """Further zones that get a private subnet. The zones of queues get one without being named here."""
    existing: ExistingNetwork | None = None
    """Use this network instead of making one."""
    cidr: Cidr | None = None
    """Range of the network that is made, from /16 to /23; final once it is there. By default 10.0.0.0/16 for public
    subnets and 10.1.0.0/16 for private ones."""
    private_prefix: SubnetPrefix | None = None
    """Prefix of the private subnet of the first zone, for nodes and file systems, such as 18 for 16,384 addresses. By
    default it is half of cidr."""
    other_prefix: SubnetPrefix | None = None
    """Prefix of every other subnet. By default each is a 32nd part of cidr."""
    connected_ranges: tuple[Cidr, ...] = ()
    """Ranges of networks that it is to be connected to, by a peering connection or transit gateway of your own: `check`
    refuses a network that shares addresses with them."""
    internet: Literal["nat", "none"] = "nat"
    """How private subnets reach the internet: through a NAT gateway, or not at all (VPC endpoints only)."""
    http_proxy: ProxyUrl | None = None
    """Proxy through which every node reaches the internet."""


Subnet = Annotated[
    str,
    ByShape(
        "private, public, or the id of a subnet such as subnet-0123456789abcdef0",
        scalar=Literal["private", "public"] | SubnetId,
    ),
]
"""Which subnet nodes go to: one of the cluster's own by kind, or a subnet by id."""
