"""A root volume that container images may fill."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.platform_table import platform_of
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec

# What the guide for training with ParallelCluster recommends for compute nodes that run containers.
# https://github.com/bae12-jo/parallelcluster-for-llm-training
_RECOMMENDED_GIB = 200
# The size of the ECS-optimized images, which Batch picks; EC2 starts no instance with less than its image has.
# https://github.com/aws/amazon-ecs-ami/blob/main/variables.pkr.hcl (block_device_size_gb, read 2026-11-22)
_ECS_IMAGE_GIB = 30


def check(spec: Spec) -> Iterator[Problem]:
    """Yield queues whose root volume is smaller than recommended where nodes run containers, as all of Batch do."""
    runs_batch = platform_of(spec).has_batch
    if not spec.software.containers and not runs_batch:
        return
    for index, queue in enumerate(spec.queues):
        size_gib, path = queue.root_volume.size_gib, ("queues", index, "root_volume", "size_gib")
        own_image = queue.ami or spec.image.ami
        if runs_batch and own_image is None and size_gib < _ECS_IMAGE_GIB:
            problem = f"queue {queue.name} has a root volume of {size_gib} GiB, and its image {_ECS_IMAGE_GIB} GiB"
            yield Problem(path, problem, severity="error")
        elif size_gib < _RECOMMENDED_GIB:
            problem = f"queue {queue.name} runs containers with a root volume of {size_gib:,} GiB"
            yield Problem(path, problem)


RULE = Rule(
    severity="info",
    confidence="possible",
    title="Root volume that container images may fill",
    rationale=(
        "One image for training takes tens of GiB, more while it is unpacked, and the operating system takes its "
        "part. A full root volume fails jobs in ways that do not say so. On AWS Batch all nodes run containers, and "
        "instances with less than the image has do not start."
    ),
    remedy=f"{_RECOMMENDED_GIB} GiB or more, or keep images on local NVMe",
    source="https://github.com/bae12-jo/parallelcluster-for-llm-training",
    bad="""\
queues: [{name: compute-gpu, instance_type: p5.48xlarge, root_volume: {size_gib: 100}}]
software: {containers: true}
""",
    good="""\
queues: [{name: compute-gpu, instance_type: p5.48xlarge, root_volume: {size_gib: 200}}]
software: {containers: true}
timeouts: {head_node_s: 3600}
""",
    check=check,
)
