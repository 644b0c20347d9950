"""Automatic export by which deleting a file deletes its object in S3."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield data repositories that deletions are exported to."""
    for path, mount, lustre in spec.new_lustre():
        for link in lustre.links:
            if "DELETED" in link.auto_export:
                place = f"{mount}{link.directory}".rstrip("/")
                problem = f"whoever deletes a file in {place} deletes its object in {link.uri}"
                yield Problem((*path, *link.keys_path, "auto_export"), problem)


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
