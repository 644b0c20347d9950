"""A key, or a value, that the chosen platform has no use for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from trainyard.finding import Path
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Platform, Spec

# Sections, and keys of sections that the other platforms have too: what is ParallelCluster's or its Slurm's own.
_PARALLELCLUSTER_ONLY: tuple[Path, ...] = (
    ("head_node",),
    ("login_nodes",),
    ("timeouts",),
    ("parallelcluster",),
    ("access", "directory_service"),
    ("image", "built_for"),
)
# On Batch nothing of trainyard runs on nodes, which come from an image for ECS, stand in private subnets and reach AWS
# through NAT; what watches them is outside.
_NOT_ON_BATCH: tuple[Path, ...] = (
    ("network", "secondary_availability_zone"),
    ("network", "http_proxy"),
    ("network", "existing", "public_subnets"),
    ("access", "allow_from"),
    ("image", "os"),
    ("software",),
    ("assets",),
    *(
        ("monitoring", key)
        for key in (
            "certificate", "instance_type", "logs", "log_rotation", "alarms", "slurm_names", "cloudwatch_metrics",
        )
    ),
)  # fmt: skip
# On EKS pods do what steps do elsewhere: nothing of trainyard is installed on nodes, which come from an image for EKS,
# whose bootstrap stripes their NVMe drives and mounts them where it wants. eksctl names the roles.
_NOT_ON_EKS: tuple[Path, ...] = (
    ("scratch",),
    ("network", "http_proxy"),
    ("image", "os"),
    ("iam", "resource_prefix"),
    ("software",),
    ("assets",),
    *(
        ("monitoring", key)
        for key in (
            "certificate", "instance_type", "keep_logs", "log_rotation", "dashboard", "alarms", "slurm_names",
            "cloudwatch_metrics",
        )
    ),
)  # fmt: skip
_NOT_ON: Mapping[Platform, tuple[Path, ...]] = {
    "parallelcluster": (("batch",), ("eks",)),
    "batch": (*_PARALLELCLUSTER_ONLY, *_NOT_ON_BATCH, ("eks",)),
    "eks": (*_PARALLELCLUSTER_ONLY, *_NOT_ON_EKS, ("batch",)),
}
_QUEUE_KEYS = ("job_exclusive", "partition_settings")
_NODE_KEYS = ("static_priority", "dynamic_priority", "gpu_health_check", "schedulable_memory_mib", "slurm_settings")
# What neither Batch nor EKS can be told.
_OTHER_QUEUE_KEYS = ("allocation_strategy", "setup", "custom_actions")
_OTHER_NODE_KEYS = ("spot_price_usd_per_hour", "gpudirect", "multithreading")


def check(spec: Spec) -> Iterator[Problem]:
    """Yield sections and keys that were written although the platform cannot use them, and values that it has not."""
    for path in _written(spec):
        yield Problem(path, f"{spec.platform} has no use for {path[-1]}", f"remove {path[-1]}, or change platform")
    if spec.platform == "parallelcluster":
        return
    yield from _of_eks(spec) if spec.platform == "eks" else _of_batch(spec)
    yield from _values(spec)


def _of_batch(spec: Spec) -> Iterator[Problem]:
    for index, file_system in enumerate(spec.file_systems):
        if file_system.ebs is not None:
            problem = f"{spec.platform} has no head node to share an EBS volume at {file_system.mount}"
            yield Problem(("file_systems", index, "ebs"), problem, "use lustre or openzfs")
        if file_system.efs is not None and file_system.efs.id is None:
            problem = f"{spec.platform} makes no EFS file system for {file_system.mount}: ParallelCluster does"
            yield Problem(("file_systems", index, "efs"), problem, "write efs: {id: fs-…}, or use lustre")


def _of_eks(spec: Spec) -> Iterator[Problem]:
    for index, file_system in enumerate(spec.file_systems):
        kinds = (kind for kind in ("ebs", "openzfs", "efs") if getattr(file_system, kind) is not None)
        for kind in kinds:
            problem = f"pods of eks mount FSx for Lustre alone, and {file_system.mount} is {kind}"
            yield Problem(("file_systems", index, kind), problem, "use lustre")


def _written(spec: Spec) -> Iterator[Path]:
    yield from (path for path in _NOT_ON[spec.platform] if _is_written(spec, path))
    if spec.platform != "eks":
        yield from _desired_numbers(spec)
    if spec.platform != "parallelcluster":
        yield from _written_of_nodes(spec, (*_QUEUE_KEYS, *_OTHER_QUEUE_KEYS), (*_NODE_KEYS, *_OTHER_NODE_KEYS))


def _desired_numbers(spec: Spec) -> Iterator[Path]:
    for group in spec.node_groups():
        nodes = group.settings.nodes
        if not isinstance(nodes, int) and "desired" in nodes.written:
            yield (*group.path, "nodes", "desired")


def _is_written(spec: Spec, path: Path) -> bool:
    *sections, key = path
    place = spec
    for section in sections:
        place = getattr(place, str(section))
        if place is None:
            return False
    return key in place.written


def _written_of_nodes(spec: Spec, queue_keys: Sequence[str], node_keys: Sequence[str]) -> Iterator[Path]:
    for index, queue in enumerate(spec.queues):
        yield from (("queues", index, key) for key in queue_keys if key in queue.written)
    for group in spec.node_groups():
        yield from ((*group.path, key) for key in node_keys if key in group.settings.written)


def _values(spec: Spec) -> Iterator[Problem]:
    """Yield values that no platform but ParallelCluster has."""
    if spec.network.internet == "none":
        problem = f"internet: none makes no endpoints for {_NEEDED[spec.platform]}"
        yield Problem(("network", "internet"), problem, "remove internet: nodes reach AWS through NAT")
    if spec.monitoring.mode == "self-hosting":
        problem = f"{spec.platform} has no head node, which sends metrics to a Prometheus of mode self-hosting"
        yield Problem(("monitoring", "mode"), problem, "write mode: amp-only or amp+amg, or none")


_NEEDED = {
    "batch": "ECS and ECR, without which nodes of batch take no jobs",
    "eks": "EKS and ECR, without which nodes of eks join no cluster",
}


RULE = Rule(
    severity="error",
    title="Key that the platform cannot use",
    rationale="A setting that is silently ignored is worse than none: the cluster is not what the spec says.",
    remedy="remove the key, or choose another platform",
    source="https://docs.aws.amazon.com/batch/latest/userguide/compute_environments.html",
    bad="""\
platform: batch
head_node: {instance_type: m5.8xlarge}
""",
    good="""\
platform: parallelcluster
head_node: {instance_type: m5.8xlarge}
""",
    check=check,
)
