"""A queue: the compute nodes that jobs ask for by one name."""

from __future__ import annotations

from typing import Annotated, Literal

from trainyard.field import Above, ByShape, Count, NotEmpty, Positive, Whole
from trainyard.record import Record
from trainyard.spec.capacity import Capacity
from trainyard.spec.custom_actions import CustomActions
from trainyard.spec.network import Subnet
from trainyard.spec.slurm import SlurmSettings
from trainyard.spec.software import Setup
from trainyard.spec.text import AmiId, AvailabilityZone, InstanceTypeName, QueueName
from trainyard.spec.volume import RootVolume


class NodeRange(Record):
    """How many nodes an elastic queue keeps and may grow to."""

    min: Count = 0
    """Nodes that always run."""
    max: Positive
    """Nodes at most."""
    desired: Count | None = None
    """Nodes at first, on EKS, where nothing but you changes their number. By default min."""


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
InstanceTypeNames = Annotated[tuple[InstanceTypeName, ...], NotEmpty("at least one instance type")]
# https://docs.aws.amazon.com/parallelcluster/latest/ug/Scheduling-v3.html#yaml-Scheduling-SlurmQueues-ComputeResources-StaticNodePriority
Priority = Annotated[int, Whole("1 to 4,294,967,295, as a whole number", least=1, most=4_294_967_295)]
PriceUsd = Annotated[float, Above("a price in USD such as 12.5", 0)]


class OneKindOfNodes(Record):
    """What nodes of one kind share, whether a queue has one kind of them or several."""

    nodes: Nodes = 1
    """How many nodes: a fixed number, or a range."""
    capacity: Capacity = "on-demand"
    """Where the instances come from."""
    spot_price_usd_per_hour: PriceUsd | None = None
    """The most to pay for a spot instance. By default the on-demand price."""
    efa: bool | None = None
    """Elastic Fabric Adapter. By default on wherever the instance type has it."""
    gpudirect: bool | None = None
    """GPUDirect RDMA over EFA. By default on wherever the instance type has it."""
    placement_group: bool | None = None
    """Launch the nodes close together. By default on for EFA nodes without reserved capacity."""
    multithreading: bool = True
    """Two threads on every core; false leaves one."""
    static_priority: Priority | None = None
    """Nodes that always run are given jobs in this order, the lowest first. By default 1."""
    dynamic_priority: Priority | None = None
    """Nodes that start when needed are given jobs in this order, the lowest first. By default 1000."""
    gpu_health_check: bool | None = None
    """Test the GPUs before every job; a node that fails is replaced. On p4d and p5 it can hang the prolog."""
    schedulable_memory_mib: Positive | None = None
    """Memory that jobs may have, in MiB. By default 95 % of the instance type's."""
    slurm_settings: SlurmSettings = {}
    """Further settings of these nodes in Slurm."""


class ComputeResource(OneKindOfNodes):
    """Nodes of one kind and one source of capacity, as one of several in a queue."""

    one_of = (("instance_type", "instance_types"),)

    name: QueueName | None = None
    """Name within the queue; part of the node names. By default the instance type, spelt with hyphens."""
    instance_type: InstanceTypeName | None = None
    """Instance type of every node."""
    instance_types: InstanceTypeNames | None = None
    """Several instance types, as much alike as their vCPUs and accelerators, of which every node is any one."""


class Queue(OneKindOfNodes):
    """A Slurm queue, a Batch queue or an EKS node group. The flat form describes one compute resource."""

    one_of = (("instance_type", "instance_types", "compute_resources"),)

    name: QueueName
    """The name that jobs ask for."""
    instance_type: InstanceTypeName | None = None
    """Instance type of every node; or list compute_resources instead."""
    instance_types: InstanceTypeNames | None = None
    """Several instance types, as much alike as their vCPUs and accelerators, of which every node is any one."""
    compute_resources: Annotated[tuple[ComputeResource, ...], NotEmpty("at least one")] | None = None
    """The long form: several kinds of nodes in one queue."""
    allocation_strategy: (
        Literal[
            "lowest-price",
            "capacity-optimized",
            "price-capacity-optimized",
            "prioritized",
            "capacity-optimized-prioritized",
        ]
        | None
    ) = None
    """Which of several instance_types AWS gives: the cheapest, or those least likely to be taken away again."""
    availability_zone: Zones | None = None
    """Zone of this queue where it is not the network's; a list lets nodes start in any of them (never with EFA)."""
    subnet: Subnet = "private"
    """Where the nodes stand. Nodes with several network interfaces get no public address."""
    ami: AmiId | None = None
    """Machine image of this queue, where it is not image.ami."""
    root_volume: RootVolume = {}  # type: ignore[assignment]  # plain data, validated like input
    """Root volume of the compute nodes; container images land there."""
    setup: Setup | None = None
    """What is installed on these nodes, where it is not software.setup."""
    job_exclusive: bool | None = None
    """Give every job whole nodes, where it is not as parallelcluster.slurm.job_exclusive says. On UltraServers it is so
    by default: NVLink between nodes is set up for such jobs alone."""
    partition_settings: SlurmSettings = {}
    """Further settings of this queue's partition in Slurm."""
    custom_actions: CustomActions = {}  # type: ignore[assignment]  # as above
    """Scripts of your own on these nodes."""

    @property
    def zones(self) -> tuple[str, ...]:
        """Return the zones that the queue names itself."""
        zones = self.availability_zone
        return (zones,) if isinstance(zones, str) else zones or ()
