"""File systems that are to be made in another zone than the nodes of a queue."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield queues in zones that the file systems of one zone are not made in."""
    zone, file_systems = spec.network.availability_zone, _made_in_one_zone(spec)
    if zone is None or spec.network.existing is not None or not file_systems:
        return
    for index, queue in enumerate(spec.queues):
        elsewhere = [other for other in dict.fromkeys(queue.zones) if other != zone]
        if elsewhere and queue.subnet == "private":
            yield Problem(
                ("queues", index, "availability_zone"),
                f"queue {queue.name!r} is in {', '.join(elsewhere)}, and {', '.join(file_systems)} will be in {zone}",
            )


def _made_in_one_zone(spec: Spec) -> list[str]:
    """Return the mounts of the FSx file systems to be made. EBS is the head node's, and EFS is in every zone."""
    return [
        file_system.mount
        for file_system in spec.file_systems
        if file_system.kind in ("lustre", "openzfs") and file_system.settings.id is None
    ]


RULE = Rule(
    severity="warning",
    confidence="possible",
    title="File system in another zone",
    rationale=(
        "Lustre and OpenZFS stand in one zone, that of the network. Nodes in another one reach them, but more slowly, "
        "and every byte between zones is charged: reading a data set again and again costs more than storing it. "
        "ParallelCluster notes it, too (UnmanagedFsxMultiAzValidator)."
    ),
    remedy="write the zone of the queue as network.availability_zone, or put both in one zone otherwise",
    source="https://github.com/aws/aws-parallelcluster/blob/develop/cli/src/pcluster/validators/cluster_validators.py",
    bad="""\
network: {availability_zone: us-east-2a}
queues:
  - name: compute-gpu
    instance_type: p5.48xlarge
    nodes: 2
    availability_zone: us-east-2b
    capacity: {capacity_block: cr-0123456789abcdef0}
file_systems:
  - {mount: /fsx, lustre: {size_gib: 4800, throughput_mb_s_per_tib: 250}}
""",
    good="""\
network: {availability_zone: us-east-2b}
queues:
  - name: compute-gpu
    instance_type: p5.48xlarge
    nodes: 2
    availability_zone: us-east-2b
    capacity: {capacity_block: cr-0123456789abcdef0}
file_systems:
  - {mount: /fsx, lustre: {size_gib: 4800, throughput_mb_s_per_tib: 250}}
""",
    check=check,
)
