"""A mount over a directory that the system needs."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.parallelcluster import reserved_mounts
from trainyard.platform_table import platform_of
from trainyard.rules import Problem, Rule
from trainyard.rules.mounts_overlap import mounts
from trainyard.spec.cluster import Spec

# Of the reserved directories, those below which people put what is theirs: chapters 3.11 to 3.18 of
# https://refspecs.linuxfoundation.org/FHS_3.0/fhs/index.html
_FOR_PEOPLE = frozenset({"/media", "/mnt", "/opt", "/srv", "/tmp"})  # noqa: S108  names
# From here root runs what packages and trainyard itself bring: EFA, the agents of AWS, NVLink's manager, releases.
_SOFTWARE = ("/opt/amazon", "/opt/aws", "/opt/nvidia", "/opt/trainyard")
# Where pods of the example jobs have their program; a test holds it against the manifest.
PROGRAM_ON_EKS = "/program"


def root_folders() -> tuple[str, ...]:
    """Return the directories below which lies everything that root of a node runs, loads or is told by.

    A test holds them against what root opens while a node comes up.
    """
    return (*(mount for mount in reserved_mounts() if mount not in _FOR_PEOPLE), *_SOFTWARE)


def check(spec: Spec) -> Iterator[Problem]:
    """Yield mounts that ParallelCluster reserves, those where root's programs lie, and what pods mount besides."""
    for path, mount in mounts(spec):
        if mount in reserved_mounts() or any(f"{mount}/".startswith(f"{folder}/") for folder in root_folders()):
            yield Problem(path, f"{mount} belongs to the system of every node")
        elif platform_of(spec).has_kubernetes and mount == PROGRAM_ON_EKS:
            yield Problem(path, f"{mount} is where pods of the example jobs have their program")


RULE = Rule(
    severity="error",
    title="Reserved mount directory",
    rationale=(
        "A file system over a system directory, or below one, hides what the node needs to boot or to run Slurm, and "
        "whoever may write to it decides what root runs: /opt/trainyard holds the releases, /etc/profile.d what login "
        "shells read. ParallelCluster refuses only the directories themselves."
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
