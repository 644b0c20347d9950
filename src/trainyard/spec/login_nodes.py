"""Nodes where people log in, so that the head node keeps its resources for scheduling."""

from __future__ import annotations

from typing import Annotated

from trainyard.field import ByShape, Count, NotEmpty, Whole
from trainyard.record import Record
from trainyard.spec.access import Dcv
from trainyard.spec.custom_actions import CustomActionsWithUpdate
from trainyard.spec.network import Subnet
from trainyard.spec.text import AmiId, InstanceTypeName, KeyPairName, PoolName

# https://docs.aws.amazon.com/parallelcluster/latest/ug/LoginNodes-v3.html#yaml-LoginNodes-Pools-GracetimePeriod
GraceMinutes = Annotated[int, Whole("3 to 120 minutes, as a whole number", least=3, most=120)]


class LoginPool(Record):
    """One pool of login nodes behind a network load balancer."""

    name: PoolName = "login"
    """Name of the pool."""
    count: Count = 1
    """How many; 0 stops the pool without removing it."""
    instance_type: InstanceTypeName = "m5.large"
    """A CPU type."""
    subnet: Subnet = "public"
    """Where they stand."""
    ami: AmiId | None = None
    """Machine image of the pool, where it is not image.ami."""
    ssh_key: KeyPairName | None = None
    """EC2 key pair of the pool, up to ParallelCluster 3.14. Later versions use access.ssh_key everywhere."""
    grace_minutes: GraceMinutes = 10
    """Minutes between the warning to who is logged in and the end of a node that is to go."""
    dcv: Dcv | None = None
    """A remote desktop on the login nodes."""
    custom_actions: CustomActionsWithUpdate = {}  # type: ignore[assignment]  # plain data, validated like input
    """Scripts of your own."""


LoginNodes = Annotated[
    LoginPool | tuple[LoginPool, ...],
    ByShape(
        "one pool such as {count: 2}, or a list of pools",
        mapping=LoginPool,
        sequence=Annotated[tuple[LoginPool, ...], NotEmpty("at least one pool")],
    ),
]
