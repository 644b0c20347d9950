"""A key that another key leaves without any effect."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.instances import find, uses_efa
from trainyard.finding import Path
from trainyard.rules import Problem, Rule
from trainyard.rules.ami_version_mismatch import own_images
from trainyard.spec.cluster import Spec
from trainyard.spec.file_system import FileSystem
from trainyard.spec.node_group import NodeGroup

# How an EFS file system is mounted is the cluster's own affair, also where the file system exists.
_MOUNTING = frozenset(("id", "access_point", "encryption_in_transit", "iam_authorization"))
# Keys of monitoring that say something of its own instance.
_OF_INSTANCE = frozenset(("instance_type", "volume_gib", "volume_id"))


def check(spec: Spec) -> Iterator[Problem]:
    """Yield keys of what exists already, and keys for what another key has switched off."""
    if spec.network.existing is not None and spec.network.availability_zone is not None:
        path: Path = ("network", "availability_zone")
        yield Problem(path, f"zone {spec.network.availability_zone} beside existing subnets, which have their zones")
    if spec.image.built_for is not None and not any(own_images(spec)):
        message = f"built_for {spec.image.built_for}, and no image of your own is named"
        yield Problem(("image", "built_for"), message, "name the image in ami, or remove the key")
    if spec.monitoring.alert_email is not None and spec.monitoring.mode == "none" and spec.environment is None:
        problem = f"nothing finds alerts to mail to {spec.monitoring.alert_email}: monitoring.mode is none"
        yield Problem(("monitoring", "alert_email"), problem, "choose a mode, or remove the key")
    if spec.monitoring.alert_receivers and spec.monitoring.mode == "none" and spec.environment is None:
        problem = "nothing finds alerts to tell receivers of: monitoring.mode is none"
        yield Problem(("monitoring", "alert_receivers"), problem, "choose a mode, or remove the key")
    if spec.monitoring.mode != "self-hosting" and not spec.is_environment:
        problem = f"no instance keeps metrics where monitoring.mode is {spec.monitoring.mode}"
        for key in sorted(_OF_INSTANCE & spec.monitoring.written):
            yield Problem(("monitoring", key), problem, "write mode: self-hosting, or remove the key")
    if spec.monitoring.volume_id is not None and "volume_gib" in spec.monitoring.written:
        problem = f"volume_gib beside volume_id: {spec.monitoring.volume_id} has its size"
        yield Problem(("monitoring", "volume_gib"), problem)
    yield from _queue_problems(spec)
    for group in spec.node_groups():
        yield from _node_problems(group)
        yield from _priority_problems(group)
        yield from _memory_problems(group, tracked=spec.parallelcluster.slurm.memory_scheduling)
    for index, file_system in enumerate(spec.file_systems):
        yield from _file_system_problems(("file_systems", index, file_system.kind), file_system)


def _queue_problems(spec: Spec) -> Iterator[Problem]:
    for index, queue in enumerate(spec.queues):
        if queue.zones and (spec.network.existing is not None or queue.subnet != "private"):
            problem = f"queue {queue.name!r} names {', '.join(queue.zones)}, but its subnets have their zones already"
            yield Problem(("queues", index, "availability_zone"), problem, "name the subnet that lies there, in subnet")
        one_type = all(len(group.instance_types) == 1 for group in spec.groups_in(queue))
        if queue.allocation_strategy is not None and one_type and not _may_span_zones(spec, len(queue.zones)):
            problem = f"queue {queue.name!r} has nothing to choose by {queue.allocation_strategy}: one type in one zone"
            yield Problem(("queues", index, "allocation_strategy"), problem, "list instance_types, or remove the key")


def _may_span_zones(spec: Spec, zones: int) -> bool:
    existing = spec.network.existing
    return zones > 1 or (existing is not None and len(existing.private_subnets) > 1)


def _node_problems(group: NodeGroup) -> Iterator[Problem]:
    name, nodes, kind = group.queue.name, group.settings, group.capacity_kind.replace("_", " ")
    if nodes.spot_price_usd_per_hour is not None and kind != "spot":
        problem = f"queue {name!r} has {kind} capacity, so {nodes.spot_price_usd_per_hour:g} USD limits nothing"
        yield Problem((*group.path, "spot_price_usd_per_hour"), problem, "write capacity: spot, or remove the key")
    if nodes.gpudirect and not uses_efa(group.instance_type, group.efa):
        problem = f"queue {name!r} has gpudirect on {group.instance_type} without EFA, over which it goes"
        yield Problem((*group.path, "gpudirect"), problem, "switch EFA on, or remove the key")
    elif nodes.gpudirect and (facts := find(group.instance_type)) is not None and facts.gpudirect_rdma is False:
        yield Problem((*group.path, "gpudirect"), f"the EFA of {facts.name} does not reach the memory of its GPUs")


def _priority_problems(group: NodeGroup) -> Iterator[Problem]:
    # Only a warning: nodes of that kind may come with the next change of the number, and the priority with them.
    if group.settings.static_priority is not None and group.min_nodes == 0:
        problem = f"static_priority in queue {group.queue.name!r}, whose {group.instance_type} nodes never always run"
        yield Problem((*group.path, "static_priority"), problem, severity="warning")
    if group.settings.dynamic_priority is not None and group.min_nodes == group.max_nodes:
        problem = f"dynamic_priority in queue {group.queue.name!r}, whose {group.instance_type} nodes always run"
        yield Problem((*group.path, "dynamic_priority"), problem, severity="warning")


def _memory_problems(group: NodeGroup, *, tracked: bool) -> Iterator[Problem]:
    # A warning: Slurm still compares the size of the node with what one job asks for.
    # https://docs.aws.amazon.com/parallelcluster/latest/ug/slurm-mem-based-scheduling-v3.html
    if group.settings.schedulable_memory_mib is not None and not tracked:
        problem = (
            f"queue {group.queue.name!r} gives jobs {group.settings.schedulable_memory_mib:,} MiB, "
            "and Slurm does not count memory"
        )
        remedy = "write parallelcluster.slurm.memory_scheduling: true, or remove the key"
        yield Problem((*group.path, "schedulable_memory_mib"), problem, remedy, severity="warning")


def _file_system_problems(path: Path, file_system: FileSystem) -> Iterator[Problem]:
    settings = file_system.settings
    if settings.id is not None:
        used = _MOUNTING if file_system.efs is not None else {"id"}
        for key in sorted(settings.written - used):
            if getattr(settings, key) is not None:
                yield Problem((*path, key), f"{settings.id} exists, so {key} has no effect")
    elif file_system.efs is not None and (access_point := file_system.efs.access_point) is not None:
        problem = f"{access_point} belongs to a file system that exists, and {file_system.mount} is to be made"
        yield Problem((*path, "access_point"), problem, "write the id of its file system, or remove the key")


RULE = Rule(
    severity="error",
    title="Key without effect",
    rationale=(
        "What exists already has its zone, its size and its settings, and what is switched off needs none. A key that "
        "says otherwise would be ignored, and the cluster would not be what the spec says."
    ),
    remedy="remove the key",
    fixed_by_removal=True,
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/SharedStorage-v3.html",
    bad="""\
file_systems:
  - {mount: /fsx, lustre: {id: fs-0123456789abcdef0, throughput_mb_s_per_tib: 500}}
""",
    good="""\
network:
  existing: {vpc: vpc-0123456789abcdef0, private_subnets: [subnet-0123456789abcdef0]}
file_systems:
  - {mount: /fsx, lustre: {id: fs-0123456789abcdef0}}
""",
    check=check,
)
