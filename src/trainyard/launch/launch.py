"""What a spec launches: each kind of instance, resolved once for whoever renders, checks, plans or rehearses it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from trainyard.catalog.gpus import compute_capability
from trainyard.finding import Path
from trainyard.launch.capacity import CapacityTarget, capacity_target
from trainyard.launch.instance import Hardware, Instance, hardware_by_type, instance
from trainyard.platform_table import platform_of
from trainyard.spec.cluster import Spec
from trainyard.spec.node_group import NodeGroup
from trainyard.spec.queue import Queue
from trainyard.spec.volume import RootVolume

Role = Literal["head", "login", "system", "compute"]
ON_DEMAND = CapacityTarget("on-demand")


class LaunchPaths(NamedTuple):
    """Where the spec says what is launched."""

    nodes: Path
    instance_type: Path
    node_count: Path
    subnet: Path
    image: Path
    root_volume: Path


class Launch(NamedTuple):
    """Instances that are launched alike."""

    role: Role
    title: str
    """In the words of the spec: queue 'compute-gpu'."""
    instances: tuple[Instance, ...]
    """The instance types of which every node is one; nearly always just one."""
    min_nodes: int
    first_nodes: int
    """How many start with the cluster: on Amazon EKS as many as are desired, elsewhere the least."""
    max_nodes: int
    subnet: str
    """private, public, or the id of a subnet."""
    image: str | None
    """An image of the user's own."""
    paths: LaunchPaths
    capacity: CapacityTarget = ON_DEMAND
    placement_group: bool = False
    """Whether the nodes stand close to each other: as asked for, otherwise with EFA where no capacity is reserved."""
    root_volume: RootVolume | None = None
    """None where the platform decides."""
    queue_name: str | None = None
    group: NodeGroup | None = None
    """The nodes of a queue, as they are written."""

    @property
    def instance(self) -> Instance:
        """The instance type, the first where there are several: they are as good as alike."""
        return self.instances[0]

    @property
    def instance_types(self) -> tuple[str, ...]:
        """The names of the instance types."""
        return tuple(instance.name for instance in self.instances)

    @property
    def nodes(self) -> NodeGroup:
        """The nodes of a queue, of what is launched for one."""
        assert self.group is not None, self.title  # noqa: S101  only the nodes of queues are asked for it
        return self.group


def launches(spec: Spec) -> tuple[Launch, ...]:
    """Return all that is launched: head node, login nodes, system nodes, then each kind of nodes of each queue.

    The same spec is resolved once.
    """
    return _launches(_Identity(spec))


def compute_launches(spec: Spec, queue: Queue | None = None) -> tuple[Launch, ...]:
    """Return the nodes that run jobs: of all queues, or of one, in the order of the spec."""
    nodes = (launch for launch in launches(spec) if launch.group is not None)
    return tuple(node for node in nodes if queue is None or node.nodes.queue is queue)


def launch_of(spec: Spec, group: NodeGroup) -> Launch:
    """Return what is launched for a kind of nodes."""
    return next(compute_launch for compute_launch in compute_launches(spec) if compute_launch.paths.nodes == group.path)


def queue_hardware(spec: Spec, queue: Queue) -> dict[str, Hardware]:
    """Return what there is to look for on the nodes of a queue, by instance type."""
    return hardware_by_type(instance for launch in compute_launches(spec, queue) for instance in launch.instances)


def has_ultraservers(spec: Spec, queue: Queue | None = None) -> bool:
    """Return whether any nodes, or those of one queue, are of UltraServers, whose GPUs share NVLink between nodes."""
    instances = (instance for launch in compute_launches(spec, queue) for instance in launch.instances)
    return any(instance.facts is not None and instance.facts.ultraserver_instances for instance in instances)


def jobs_take_whole_nodes(spec: Spec, queue: Queue) -> bool:
    """Return whether every job of a queue gets whole nodes. On UltraServers NVLink between nodes is for such alone."""
    if queue.job_exclusive is not None:
        return queue.job_exclusive
    return spec.parallelcluster.slurm.job_exclusive or has_ultraservers(spec, queue)


def cuda_architectures(spec: Spec) -> tuple[str, ...]:
    """Return what code for the GPUs of all queues is compiled for, such as 90 and 100, as far as that is known."""
    instances = (instance for launch in compute_launches(spec) for instance in launch.instances)
    models = {
        instance.facts.accelerators.model for instance in instances if instance.facts and instance.facts.accelerators
    }
    capabilities = {capability for model in models if (capability := compute_capability(model)) is not None}
    return tuple(sorted(capabilities, key=int))


class _Identity:
    """A spec as a key: comparing two of them by content costs more than resolving one."""

    __slots__ = ("spec",)

    def __init__(self, spec: Spec) -> None:
        self.spec = spec

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Identity) and self.spec is other.spec

    def __hash__(self) -> int:
        return id(self.spec)


@lru_cache(maxsize=32)
def _launches(key: _Identity) -> tuple[Launch, ...]:
    spec = key.spec
    platform = platform_of(spec)
    head_nodes = (_head_node(spec), *_login_nodes(spec)) if platform.has_head_node else ()
    system_nodes = (_system_nodes(spec),) if platform.has_system_nodes and not spec.eks.adopted else ()
    return (*head_nodes, *system_nodes, *(_compute_nodes(spec, group) for group in spec.node_groups()))


def _head_node(spec: Spec) -> Launch:
    head, path = spec.head_node, ("head_node",)
    return Launch(
        role="head",
        title="the head node",
        instances=(_instance(spec, head.instance_type),),
        min_nodes=1,
        first_nodes=1,
        max_nodes=1,
        subnet=head.subnet,
        image=head.ami or spec.image.ami,
        root_volume=head.root_volume,
        paths=LaunchPaths(
            path,
            (*path, "instance_type"),
            path,
            (*path, "subnet"),
            (*path, "ami") if head.ami else ("image", "ami"),
            (*path, "root_volume", "size_gib"),
        ),
    )


def _login_nodes(spec: Spec) -> Iterator[Launch]:
    for path, pool in spec.login_pools():
        image_path = (*path, "ami") if pool.ami else ("image", "ami")
        yield Launch(
            role="login",
            title=f"login pool {pool.name!r}",
            instances=(_instance(spec, pool.instance_type),),
            min_nodes=pool.count,
            first_nodes=pool.count,
            max_nodes=pool.count,
            subnet=pool.subnet,
            image=pool.ami or spec.image.ami,
            paths=LaunchPaths(path, (*path, "instance_type"), (*path, "count"), (*path, "subnet"), image_path, path),
        )


def _system_nodes(spec: Spec) -> Launch:
    system, path = spec.eks.system_nodes, ("eks", "system_nodes")
    return Launch(
        role="system",
        title="the system nodes",
        instances=(_instance(spec, system.instance_type),),
        min_nodes=system.count,
        first_nodes=system.count,
        max_nodes=system.count,
        subnet="private",
        image=None,
        paths=LaunchPaths(path, (*path, "instance_type"), (*path, "count"), path, path, path),
    )


def _compute_nodes(spec: Spec, group: NodeGroup) -> Launch:
    queue, place = group.queue, group.path[:2]
    instances = tuple(_instance(spec, name, efa=group.efa) for name in group.instance_types)
    capacity = capacity_target(spec, group.capacity)
    types_key = "instance_type" if group.settings.instance_types is None else "instance_types"
    return Launch(
        role="compute",
        title=f"queue {queue.name!r}",
        instances=instances,
        min_nodes=group.min_nodes,
        first_nodes=group.desired_nodes,
        max_nodes=group.max_nodes,
        capacity=capacity,
        placement_group=_is_placed(spec, group, instances[0], capacity),
        subnet=queue.subnet,
        image=queue.ami or spec.image.ami,
        root_volume=queue.root_volume,
        paths=LaunchPaths(
            group.path,
            (*group.path, types_key),
            (*group.path, "nodes"),
            (*place, "subnet"),
            (*place, "ami") if queue.ami else ("image", "ami"),
            (*place, "root_volume", "size_gib"),
        ),
        queue_name=queue.name,
        group=group,
    )


def _is_placed(spec: Spec, group: NodeGroup, first: Instance, capacity: CapacityTarget) -> bool:
    if group.placement_group is not None:
        return group.placement_group
    together = group.max_nodes > 1 or platform_of(spec).places_single_nodes
    return first.efa and together and not capacity.is_reserved


def _instance(spec: Spec, name: str, *, efa: bool | None = False) -> Instance:
    layout = platform_of(spec).interface_layout
    assert layout is not None, name  # noqa: S101  an environment launches nothing of these
    return instance(name, layout, efa=efa)
