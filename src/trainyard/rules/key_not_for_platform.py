"""A key that the chosen platform has no use for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainyard.rules import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainyard.finding import Path
    from trainyard.spec.cluster import Spec

# Sections, and keys of sections that the other platforms have too: what is ParallelCluster's or its Slurm's own.
_PARALLELCLUSTER_ONLY: tuple[Path, ...] = (
    ("head_node",),
    ("login_nodes",),
    ("scratch",),
    ("timeouts",),
    ("parallelcluster",),
    ("access", "directory_service"),
    ("image", "built_for"),
)
_QUEUE_KEYS = ("job_exclusive", "partition_settings")
_NODE_KEYS = ("static_priority", "dynamic_priority", "gpu_health_check", "schedulable_memory_mib", "slurm_settings")


def check(spec: Spec) -> Iterator[Problem]:
    """Yield sections and keys that were written although the platform cannot use them."""
    if spec.platform == "parallelcluster":
        return
    for path in _written(spec):
        yield Problem(path, f"{spec.platform} has no use for {path[-1]}")
    for index, file_system in enumerate(spec.file_systems):
        if file_system.ebs is not None:
            problem = f"{spec.platform} has no head node to share an EBS volume at {file_system.mount}"
            yield Problem(("file_systems", index, "ebs"), problem, "use lustre or openzfs")


def _written(spec: Spec) -> Iterator[Path]:
    for path in _PARALLELCLUSTER_ONLY:
        *section, key = path
        if key in (getattr(spec, str(section[0])) if section else spec).written:
            yield path
    for index, queue in enumerate(spec.queues):
        yield from (("queues", index, key) for key in _QUEUE_KEYS if key in queue.written)
    for group in spec.node_groups():
        yield from ((*group.path, key) for key in _NODE_KEYS if key in group.settings.written)


RULE = Rule(
    severity="error",
    title="Key that the platform cannot use",
    rationale="A setting that is silently ignored is worse than none: the cluster is not what the spec says.",
    remedy="remove the key, or choose platform: parallelcluster",
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
