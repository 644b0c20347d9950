"""Automatic export by which deleting a file deletes its object in S3."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield data repositories that deletions are exported to."""
    for index, file_system in enumerate(spec.file_systems):
        lustre = file_system.lustre
        if lustre is None or lustre.id is not None or lustre.data_repository is None:
            continue
        if "DELETED" in lustre.auto_export:
            place = f"{file_system.mount}{lustre.data_path}".rstrip("/")
            yield Problem(
                ("file_systems", index, "lustre", "auto_export"),
                f"whoever deletes a file in {place} deletes its object in {lustre.data_repository}",
            )


RULE = Rule(
    severity="warning",
    title="Data repository whose objects users delete",
    rationale=(
        "With DELETED among the exported events, every rm of any user, and every job that tidies up, deletes objects. "
        "The bucket is then no copy of the data: only its versioning brings back what was deleted by mistake."
    ),
    remedy="export NEW and CHANGED alone, or switch on versioning of the bucket and suppress this finding",
    source="https://docs.aws.amazon.com/fsx/latest/APIReference/API_AutoExportPolicy.html",
    bad="""\
file_systems:
  - mount: /fsx
    lustre:
      size_gib: 4800
      throughput_mb_s_per_tib: 250
      data_repository: s3://my-bucket/datasets
      auto_export: [NEW, CHANGED, DELETED]
""",
    good="""\
file_systems:
  - mount: /fsx
    lustre:
      size_gib: 4800
      throughput_mb_s_per_tib: 250
      data_repository: s3://my-bucket/datasets
      auto_export: [NEW, CHANGED]
""",
    check=check,
)
