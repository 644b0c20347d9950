"""File systems that an environment cannot make."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec
from trainyard.spec.file_system import Ebs, Efs

_NAMES = {"ebs": "an EBS volume", "efs": "an EFS file system"}


def check(spec: Spec) -> Iterator[Problem]:
    """Yield file systems of an environment that ParallelCluster makes with each cluster, and those that exist."""
    if not spec.is_environment:
        return
    for index, file_system in enumerate(spec.file_systems):
        path = ("file_systems", index, file_system.kind)
        if isinstance(file_system.settings, Ebs | Efs):
            message = f"{file_system.mount} is {_NAMES[file_system.kind]}, which is made with each cluster"
            yield Problem(path, message, "write it into the spec of the cluster")
        elif file_system.settings.id is not None:
            yield Problem((*path, "id"), f"{file_system.mount} exists already", "write its id into the clusters")


RULE = Rule(
    severity="error",
    title="File system that an environment cannot make",
    rationale=(
        "An environment makes the FSx file systems that its clusters share. EBS volumes belong to a head node and are "
        "made by ParallelCluster, as are EFS file systems; what exists already needs no environment."
    ),
    remedy="write it into the spec of the cluster",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/SharedStorage-v3.html",
    bad="kind: environment\nfile_systems: [{mount: /apps, ebs: {size_gib: 200}}]",
    good="kind: environment\nfile_systems: [{mount: /home, openzfs: {size_gib: 512}}]",
    check=check,
)
