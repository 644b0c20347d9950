"""A mount over a directory that the system needs."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.parallelcluster import reserved_mounts
from trainyard.platform_table import platform_of
from trainyard.rules import Problem, Rule
from trainyard.rules.mounts_overlap import mounts
from trainyard.spec.cluster import Spec

# Where the kernel shows itself: /dev/shm, for one, is memory that NCCL needs, in containers too.
_OF_THE_KERNEL = ("/dev/", "/proc/", "/sys/")
# Where pods of the example jobs have their program; a test holds it against the manifest.
PROGRAM_ON_EKS = "/program"


def check(spec: Spec) -> Iterator[Problem]:
    """Yield mounts that ParallelCluster reserves, those of the kernel, and what pods on Amazon EKS mount besides."""
    for path, mount in mounts(spec):
        if mount in reserved_mounts() or mount.startswith(_OF_THE_KERNEL):
            yield Problem(path, f"{mount} belongs to the system of every node")
        elif platform_of(spec).has_kubernetes and mount == PROGRAM_ON_EKS:
            yield Problem(path, f"{mount} is where pods of the example jobs have their program")


RULE = Rule(
    severity="error",
    title="Reserved mount directory",
    rationale=(
        "A file system over a system directory hides what the node needs to boot or to run Slurm. ParallelCluster "
        "refuses these directories for shared storage."
    ),
    remedy="choose another directory, such as /fsx, /apps or /data",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/SharedStorage-v3.html#yaml-SharedStorage-MountDir",
    bad="""\
file_systems:
  - {mount: /opt/slurm, ebs: {size_gib: 200}}
""",
    good="""\
file_systems:
  - {mount: /apps, ebs: {size_gib: 200}}
""",
    check=check,
)
