"""A throughput of FSx for OpenZFS that its deployment type does not have."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.storage import openzfs_deployment
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield OpenZFS file systems to be made whose throughput is not one to choose from."""
    for index, file_system in enumerate(spec.file_systems):
        openzfs = file_system.openzfs
        if openzfs is None or openzfs.id is not None or openzfs.throughput_mb_s is None:
            continue
        offered = openzfs_deployment(openzfs.deployment)
        if offered is not None and openzfs.throughput_mb_s not in offered.throughputs_mb_s:
            yield Problem(
                ("file_systems", index, "openzfs", "throughput_mb_s"),
                f"FSx for OpenZFS {openzfs.deployment} has no {openzfs.throughput_mb_s:,} MB/s",
                f"choose one of {', '.join(f'{rate:,}' for rate in offered.throughputs_mb_s)} MB/s",
            )


RULE = Rule(
    severity="error",
    title="FSx for OpenZFS throughput that does not exist",
    rationale=(
        "Each deployment type offers a few throughputs and nothing between them; the first and the second generation "
        "have none in common. Creation fails with any other."
    ),
    remedy="choose a throughput that the deployment type offers",
    source="https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystemOpenZFSConfiguration.html",
    bad="""\
file_systems:
  - {mount: /home, openzfs: {size_gib: 512, deployment: SINGLE_AZ_HA_2, throughput_mb_s: 128}}
""",
    good="""\
file_systems:
  - {mount: /home, openzfs: {size_gib: 512, deployment: SINGLE_AZ_HA_2, throughput_mb_s: 160}}
""",
    check=check,
)
