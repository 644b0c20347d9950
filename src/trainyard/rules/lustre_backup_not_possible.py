"""Backups of a Lustre file system that cannot have any."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec
from trainyard.spec.file_system import Lustre


def check(spec: Spec) -> Iterator[Problem]:
    """Yield backups of scratch file systems and of those that are linked to S3."""
    for path, mount, lustre in spec.new_lustre():
        if lustre.backup_days > 0 and (reason := _reason(lustre)):
            yield Problem((*path, "backup_days"), f"{mount} can have no backups: {reason}")


def _reason(lustre: Lustre) -> str | None:
    if lustre.deployment.startswith("SCRATCH"):
        return f"it is {lustre.deployment}"
    return f"it is linked to {lustre.links[0].uri}" if lustre.links else None


RULE = Rule(
    severity="error",
    title="Lustre backup that is not possible",
    rationale=(
        "FSx makes backups only of persistent Lustre file systems without a link to S3. What is exported to the "
        "bucket is the backup of a linked one."
    ),
    remedy="remove backup_days; auto_export keeps a copy in the bucket, where versioning keeps earlier states",
    source="https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateBackup.html",
    bad="""\
file_systems:
  - {mount: /fsx, lustre: {size_gib: 4800, deployment: SCRATCH_2, backup_days: 7}}
""",
    good="""\
file_systems:
  - {mount: /fsx, lustre: {size_gib: 4800, throughput_mb_s_per_tib: 250, backup_days: 7}}
""",
    check=check,
)
