"""The network a cluster lives in: made for it, or one that exists."""

from __future__ import annotations

from typing import Annotated, Literal

from trainyard.field import ByShape, NotEmpty
from trainyard.record import Record
from trainyard.spec.text import AvailabilityZone, ProxyUrl, SecurityGroupId, SubnetId, VpcId


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
