"""The node that runs the scheduler and shares /home."""

from __future__ import annotations

from typing import Annotated

from trainyard.field import ByShape
from trainyard.record import Record
from trainyard.spec.access import Dcv
from trainyard.spec.custom_actions import CustomActionsWithUpdate
from trainyard.spec.network import Subnet
from trainyard.spec.text import AmiId, InstanceTypeName, IpAddress
from trainyard.spec.volume import HeadRootVolume

ElasticIp = Annotated[
    bool | str,
    ByShape("true, false, or an Elastic IP address that you own, such as 203.0.113.7", scalar=bool | IpAddress),
]


class HeadNode(Record):
    """The head node. Its instance type cannot be changed by an update."""

    instance_type: InstanceTypeName = "m5.8xlarge"
    """A CPU type is enough: the head node runs Slurm and serves NFS."""
    subnet: Subnet = "private"
    """public gives it a public address for SSH; private leaves SSM and login nodes as the ways in."""
    elastic_ip: ElasticIp = False
    """An address that stays: true for a new one, or one that you own. Only in a public subnet."""
    ami: AmiId | None = None
    """Machine image of the head node, where it is not image.ami."""
    multithreading: bool = True
    """Two threads on every core; false leaves one."""
    root_volume: HeadRootVolume = {}  # type: ignore[assignment]  # plain data, validated like input
    """Holds /home and the logs, unless /home is a file system of its own."""
    imds_for_root_only: bool = True
    """Only root and ParallelCluster's own users may ask for the head node's credentials."""
    dcv: Dcv | None = None
    """A remote desktop on the head node."""
    custom_actions: CustomActionsWithUpdate = {}  # type: ignore[assignment]  # as above
    """Scripts of your own."""
