"""A deployment type of FSx for OpenZFS that the region does not have."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.storage import openzfs_deployments, openzfs_refused
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield file systems to be made whose deployment type the region is known to lack."""
    for index, file_system in enumerate(spec.file_systems):
        openzfs = file_system.openzfs
        if openzfs is not None and openzfs.id is None and openzfs.deployment in openzfs_refused(spec.region):
            path = ("file_systems", index, "openzfs", "deployment")
            yield Problem(path, f"{spec.region} has no FSx for OpenZFS {openzfs.deployment}", _remedy(spec.region))


def _remedy(region: str) -> str | None:
    offered = sorted(name for name in openzfs_deployments(region) or () if name.startswith("SINGLE_AZ"))
    return f"choose one of {', '.join(offered)}" if offered else None


RULE = Rule(
    severity="error",
    title="FSx for OpenZFS that the region does not have",
    rationale=(
        "Not every region has every deployment type, and the largest ones lack SINGLE_AZ_HA_1, which templates "
        "name. The creation fails after the network was made."
    ),
    remedy="choose a deployment type that the region has",
    source="https://docs.aws.amazon.com/fsx/latest/OpenZFSGuide/available-aws-regions.html",
    bad="""\
region: us-east-2
file_systems:
  - {mount: /home, openzfs: {size_gib: 512, deployment: SINGLE_AZ_HA_1}}
""",
    good="""\
region: us-east-2
file_systems:
  - {mount: /home, openzfs: {size_gib: 512, deployment: SINGLE_AZ_HA_2}}
""",
    check=check,
)
