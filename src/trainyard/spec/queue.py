"""A queue: the compute nodes that jobs ask for by one name."""

from __future__ import annotations

from typing import Annotated

from trainyard.field import ByShape, Count, NotEmpty, Positive
from trainyard.record import Record
from trainyard.spec.capacity import Capacity
from trainyard.spec.head_node import RootVolume
from trainyard.spec.network import Subnet
from trainyard.spec.software import Setup
from trainyard.spec.text import AmiId, AvailabilityZone, InstanceTypeName, QueueName


class NodeRange(Record):
    """How many nodes an elastic queue keeps and may grow to."""

    min: Count = 0
    """Nodes that always run."""
    max: Positive
    """Nodes at most."""


Nodes = Annotated[
    int | NodeRange,
    ByShape("a number of nodes, or {min: …, max: …}", scalar=Positive, mapping=NodeRange),
]
Zones = Annotated[
    str | tuple[AvailabilityZone, ...],
    ByShape(
        "a zone such as us-east-2a, or a list of zones",
        scalar=AvailabilityZone,
        sequence=Annotated[tuple[AvailabilityZone, ...], NotEmpty("at least one zone")],
    ),
]


class OneKindOfNodes(Record):
    """What nodes of one instance type share, whether a queue has one kind of them or several."""

    nodes: Nodes = 1
    """How many nodes: a fixed number, or a range."""
    capacity: Capacity = "on-demand"
    """Where the instances come from."""
    efa: bool | None = None
    """Elastic Fabric Adapter. By default on wherever the instance type has it."""
    placement_group: bool | None = None
    """Launch the nodes close together. By default on for EFA nodes without reserved capacity."""


class ComputeResource(OneKindOfNodes):
    """Nodes of one instance type and one source of capacity, as one of several in a queue."""

    name: QueueName | None = None
    """Name within the queue; part of the node names. By default the instance type, spelt with hyphens."""
    instance_type: InstanceTypeName
    """Instance type of every node."""


class Queue(OneKindOfNodes):
    """A Slurm queue, a Batch queue or an EKS node group. The flat form describes one compute resource."""

    one_of = (("instance_type", "compute_resources"),)

    name: QueueName
    """The name that jobs ask for."""
    instance_type: InstanceTypeName | None = None
    """Instance type of every node; or list compute_resources instead."""
    compute_resources: Annotated[tuple[ComputeResource, ...], NotEmpty("at least one")] | None = None
    """The long form: several kinds of nodes in one queue."""
    availability_zone: Zones | None = None
    """Zone of this queue where it is not the network's; a list lets nodes start in any of them (never with EFA)."""
    subnet: Subnet = "private"
    """Where the nodes stand. Nodes with several network interfaces get no public address."""
    ami: AmiId | None = None
    """Machine image of this queue."""
    root_volume: RootVolume = {"size_gib": 200}  # type: ignore[assignment]  # plain data, validated like input
    """Root volume of the compute nodes; container images land there."""
    setup: Setup | None = None
    """What is installed on these nodes, where it is not software.setup."""

    @property
    def zones(self) -> tuple[str, ...]:
        """Return the zones that the queue names itself."""
        zones = self.availability_zone
        return (zones,) if isinstance(zones, str) else zones or ()
