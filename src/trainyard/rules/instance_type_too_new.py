"""An instance type that a version of ParallelCluster does not know yet."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.parallelcluster import first_line_with, is_older
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield nodes of a family that came with a later version, as a warning where they boot an image of the user's."""
    version = spec.parallelcluster.version
    for group in spec.node_groups():
        for name in group.instance_types:
            line = first_line_with(name.partition(".")[0])
            if line is not None and is_older(version, line):
                yield Problem(
                    (*group.path, "instance_types" if group.settings.instance_types else "instance_type"),
                    f"{name} came with ParallelCluster {line}, and this is {version}",
                    f"write a parallelcluster.version of {line} or later",
                    severity="warning" if group.queue.ami or spec.image.ami else None,
                )


RULE = Rule(
    severity="error",
    applies_to="made_by_parallelcluster",
    title="Instance type that is newer than ParallelCluster",
    rationale=(
        "New GPUs need new drivers, which the official images of earlier versions lack, and on some types the first "
        "network card has no EFA, which earlier versions ask for. The nodes fail to launch, or come up without GPUs."
    ),
    remedy="use a later version of ParallelCluster",
    source="https://github.com/aws/aws-parallelcluster/pull/7210",
    bad="""\
network: {availability_zone: us-west-2a}
region: us-west-2
queues:
  - name: compute-gpu
    instance_type: p6-b300.48xlarge
    nodes: 2
    capacity: {capacity_block: cr-0123456789abcdef0}
parallelcluster: {version: 3.14.2}
""",
    good="""\
network: {availability_zone: us-west-2a}
region: us-west-2
queues:
  - name: compute-gpu
    instance_type: p6-b300.48xlarge
    nodes: 2
    capacity: {capacity_block: cr-0123456789abcdef0}
parallelcluster: {version: 3.16.1}
""",
    check=check,
)
