"""The node that runs the scheduler and shares /home."""

from __future__ import annotations

from trainyard.field import Positive
from trainyard.record import Record
from trainyard.spec.network import Subnet
from trainyard.spec.text import InstanceTypeName


class RootVolume(Record):
    """The EBS volume that holds the operating system."""

    size_gib: Positive
    """Size in GiB."""


class HeadNode(Record):
    """The head node. Its instance type cannot be changed by an update."""

    instance_type: InstanceTypeName = "m5.8xlarge"
    """A CPU type is enough: the head node runs Slurm and serves NFS."""
    subnet: Subnet = "private"
    """public gives it a public address for SSH; private leaves SSM and login nodes as the ways in."""
    root_volume: RootVolume = {"size_gib": 500}  # type: ignore[assignment]  # plain data, validated like input
    """Holds /home and the logs, unless /home is a file system of its own."""
