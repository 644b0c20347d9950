"""A data repository whose later changes never appear in the file system."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield data repositories without automatic import."""
    for index, file_system in enumerate(spec.file_systems):
        lustre = file_system.lustre
        if lustre is not None and lustre.id is None and lustre.data_repository is not None and not lustre.auto_import:
            yield Problem(
                ("file_systems", index, "lustre", "auto_import"),
                f"objects that reach {lustre.data_repository} later never appear in {file_system.mount}",
            )


RULE = Rule(
    severity="warning",
    title="Data repository without import",
    rationale=(
        "What a bucket holds is listed once at most, when it is linked. Without automatic import nothing follows: "
        "data sets that are uploaded afterwards are missing, and nothing says so."
    ),
    remedy="leave auto_import out, or start import tasks yourself: aws fsx create-data-repository-task",
    source="https://docs.aws.amazon.com/fsx/latest/APIReference/API_AutoImportPolicy.html",
    bad="""\
file_systems:
  - mount: /fsx
    lustre:
      size_gib: 4800
      throughput_mb_s_per_tib: 250
      data_repository: s3://my-bucket/datasets
      auto_import: []
""",
    good="""\
file_systems:
  - mount: /fsx
    lustre:
      size_gib: 4800
      throughput_mb_s_per_tib: 250
      data_repository: s3://my-bucket/datasets
""",
    check=check,
)
