"""The spec itself: one cluster, from its name to its tags."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic_core import PydanticCustomError

from trainyard.field import NotEmpty, OneOf, Text
from trainyard.finding import Path
from trainyard.platform_table import PLATFORMS, platform_of
from trainyard.record import Record
from trainyard.spec.access import Access
from trainyard.spec.batch import Batch
from trainyard.spec.eks import Eks
from trainyard.spec.file_system import FileSystem, Lustre, Scratch
from trainyard.spec.head_node import HeadNode
from trainyard.spec.iam import Iam
from trainyard.spec.image import Image
from trainyard.spec.login_nodes import LoginNodes, LoginPool
from trainyard.spec.network import Network
from trainyard.spec.node_group import NodeGroup, groups_of
from trainyard.spec.parallelcluster import ParallelCluster, Timeouts
from trainyard.spec.queue import Queue
from trainyard.spec.software import Assets, Monitoring, Software
from trainyard.spec.stack_overlays import StackOverlays
from trainyard.spec.text import ClusterName, Region


def platform_name(value: object) -> str:
    """Return the name of a platform. Raises PydanticCustomError where it is none."""
    if isinstance(value, str) and value in PLATFORMS:
        return value
    *most, last = PLATFORMS
    raise PydanticCustomError("bad_value", "must be {names}", {"names": f"{', '.join(most)} or {last}"})


def platform_names() -> Iterator[str]:
    """Yield the names of the platforms."""
    yield from PLATFORMS


# Up to 128 characters; what may not begin a key is for the rule tag-reserved.
# https://docs.aws.amazon.com/tag-editor/latest/userguide/best-practices-and-strats.html
TagKey = Annotated[str, Text(r"^[\w .:/=+\-@]+$", "1 to 128 letters, digits, spaces and . : / = + - @ _", longest=128)]
TagValue = Annotated[
    str, Text(r"^[\w .:/=+\-@]*$", "up to 256 letters, digits, spaces and . : / = + - @ _", longest=256)
]


class Spec(Record):
    """A distributed-training cluster."""

    name: ClusterName
    """Name of the cluster, and of everything that is made for it."""
    region: Region
    """AWS region."""
    platform: Annotated[str, OneOf(platform_names, platform_name)]
    """What runs the jobs: AWS ParallelCluster (Slurm), AWS Batch or Amazon EKS."""
    kind: Literal["cluster"] = "cluster"
    """cluster. The other kind of spec is an environment, which has other keys."""
    environment: ClusterName | None = None
    """Environment whose network, file systems and monitoring the cluster uses, instead of some of its own."""
    network: Network = {}  # type: ignore[assignment]  # plain data, validated like input; so below
    """The network the cluster lives in."""
    access: Access = {}  # type: ignore[assignment]
    """Who may reach it."""
    iam: Iam = {}  # type: ignore[assignment]
    """Limits on the roles that it creates."""
    head_node: HeadNode = {}  # type: ignore[assignment]
    """The node that schedules."""
    login_nodes: LoginNodes | None = None
    """Nodes where people log in: one pool, or a list of pools. By default there are none."""
    image: Image = {}  # type: ignore[assignment]
    """What nodes boot."""
    queues: Annotated[tuple[Queue, ...], NotEmpty("at least one queue")]
    """The compute nodes. At least one queue."""
    file_systems: tuple[FileSystem, ...] = ()
    """File systems that every node mounts."""
    scratch: Scratch = {"mount": "/scratch"}  # type: ignore[assignment]
    """Local NVMe of the compute nodes."""
    software: Software = {}  # type: ignore[assignment]
    """What nodes install."""
    monitoring: Monitoring = {}  # type: ignore[assignment]
    """Where metrics and logs go."""
    assets: Assets = {}  # type: ignore[assignment]
    """Where nodes fetch what they install."""
    timeouts: Timeouts = {}  # type: ignore[assignment]
    """How long nodes may take to come up."""
    parallelcluster: ParallelCluster = {}  # type: ignore[assignment]
    """What only AWS ParallelCluster has."""
    batch: Batch = {}  # type: ignore[assignment]
    """What only AWS Batch has."""
    eks: Eks = {}  # type: ignore[assignment]
    """What only Amazon EKS has."""
    stack_overlays: StackOverlays = {}  # type: ignore[assignment]
    """What CloudFormation's stacks get that the spec has no key for."""
    tags: dict[TagKey, TagValue] = {}
    """Tags on everything that is made."""

    @property
    def is_environment(self) -> bool:
        """Return whether this is an environment in the shape of a cluster: only that has no queues."""
        return not self.queues

    @property
    def read_buckets(self) -> tuple[str, ...]:
        """The buckets that every node may read: those of data repositories, and those that the spec names."""
        lustre = (file_system.lustre for file_system in self.file_systems if file_system.lustre)
        names = (link.uri.removeprefix("s3://").partition("/")[0] for settings in lustre for link in settings.links)
        return tuple(dict.fromkeys((*names, *self.iam.read_buckets)))

    @property
    def installs_anything(self) -> bool:
        """Whether any node, or the monitoring instance, gets anything beyond its image from trainyard."""
        if self.has_monitoring_instance:
            return True
        if not platform_of(self).nodes_run_release:
            return False
        setups = {queue.setup or self.software.setup for queue in self.queues}
        monitoring = self.monitoring
        measures = monitoring.mode != "none" or (monitoring.logs and bool(monitoring.cloudwatch_metrics))
        return setups != {"none"} or self.software.containers or measures

    @property
    def has_monitoring_instance(self) -> bool:
        """Whether an instance for Prometheus and Grafana is made with it. A cluster in an environment uses another."""
        return self.monitoring.mode == "self-hosting" and self.environment is None

    def login_pools(self) -> Iterator[tuple[Path, LoginPool]]:
        """Yield the pools of login nodes with where they stand, however they were written."""
        if isinstance(self.login_nodes, tuple):
            yield from ((("login_nodes", index), pool) for index, pool in enumerate(self.login_nodes))
        elif self.login_nodes is not None:
            yield ("login_nodes",), self.login_nodes

    def new_lustre(self) -> Iterator[tuple[Path, str, Lustre]]:
        """Yield the Lustre file systems that are to be made: where each stands, its mount, and its settings."""
        for index, file_system in enumerate(self.file_systems):
            if file_system.lustre is not None and file_system.lustre.id is None:
                yield ("file_systems", index, "lustre"), file_system.mount, file_system.lustre

    def node_groups(self) -> Iterator[NodeGroup]:
        """Yield the nodes of every queue by kind, however the queue was written."""
        for queue in self.queues:
            yield from self.groups_in(queue)

    def groups_in(self, queue: Queue) -> Iterator[NodeGroup]:
        """Yield the nodes of one queue by kind."""
        index = next(index for index, other in enumerate(self.queues) if other is queue)
        yield from groups_of(queue, ("queues", index))
