"""A data repository whose later changes never appear in the file system."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield data repositories without automatic import."""
    for path, mount, lustre in spec.new_lustre():
        for link in lustre.links:
            if not link.auto_import:
                problem = f"objects that reach {link.uri} later never appear in {mount}"
                yield Problem((*path, *link.keys_path, "auto_import"), problem)


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
